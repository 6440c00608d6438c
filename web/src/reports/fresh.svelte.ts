/** Pinned parts whose inputs have changed since: which, and how they are pinned anew. */
import { files, jobs, type FileItem } from '$lib/api';
import { until } from '../models/job';
import { set, type Toml } from '../toml';
import { absolute, itemsOf, type Item } from './items';

export class Fresh {
  /** By the place of the part: paths of the files that have changed. */
  changed = $state.raw<Record<number, string[]>>({});
  #now = new Map<string, FileItem>();

  /** Looks at all parts of a report. */
  async look(project: string, path: string, text: string) {
    this.#now = new Map((await files.list(project)).map((one) => [one.path, one]));
    const found = await Promise.all((itemsOf(text) ?? []).map((item) => this.#inputs(path, item)));
    this.changed = Object.fromEntries(found.flatMap((paths, index) => (paths.length ? [[index, paths]] : [])));
  }

  async #inputs(path: string, item: Item): Promise<string[]> {
    const differs = (at: string, digest: string) => (this.#now.get(at)?.digest ?? '') !== digest;
    const id = jobOf(item);
    if (id) {
      const job = await jobs.get(id).catch(() => null);
      return job?.files.filter((file) => differs(file.path, file.digest)).map((file) => file.path) ?? [];
    }
    const source = item.source === undefined ? '' : absolute(path, item.source);
    return source && item.digest && differs(source, item.digest) ? [source] : [];
  }

  /** The text of the report with a part pinned anew: of a job, the same command runs again on the files as they are now. */
  async refresh(project: string, path: string, text: string, index: number): Promise<string> {
    const item = itemsOf(text)?.[index];
    if (!item?.source) return text;
    const fields: Record<string, Toml> = { pinned_at: new Date().toISOString().replace(/\.\d+Z$/, 'Z') };
    const id = jobOf(item);
    if (id) {
      const before = await jobs.get(id);
      const after = await until(await jobs.launch(project, { argv: before.argv, ...(before.title ? { title: before.title } : {}) }));
      if (after.state !== 'succeeded') throw new Error(after.error?.problems?.[0]?.message ?? after.error?.message ?? `The job is ${after.state}`);
      fields.source = `job:${after.id}`;
    } else {
      fields.digest = this.#now.get(absolute(path, item.source))?.digest ?? '';
    }
    return Object.entries(fields).reduce((now, [name, value]) => set(now, ['item', index, name], value), text);
  }
}

const jobOf = (item: Item) => (item.source?.startsWith('job:') ? item.source.slice(4) : '');
