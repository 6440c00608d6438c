/** Pins what a result shows to the report that was used last. */
import { ApiError, files } from '$lib/api';
import { set, type Toml } from '../toml';
import { add } from './items';

const LAST = 'runcast:last-report';
const FIRST = 'reports/pinned.toml';
/** Parts of a result by the tab that shows them. */
const KINDS: Record<string, string> = {
  curves: 'figure', speedup: 'figure', pareto: 'figure', figure: 'figure', why: 'why', timeline: 'timeline', compare: 'figure', table: 'table', log: 'sentence',
};
/** Of the address, what belongs to the picture. */
const VIEW = ['view', 'x', 'y', 'color', 'column', 'row', 'where', 'zoom', 'sel'];

export interface Shown {
  job: string;
  /** Whether it has a table of several rows. */
  table: boolean;
  tab: string;
  title: string;
  query: URLSearchParams;
}

export function itemOf(shown: Shown, now = new Date()): Record<string, Toml> {
  const kind = KINDS[shown.tab] ?? 'figure';
  const view = new URLSearchParams(VIEW.flatMap((name) => (shown.query.get(name) ? [[name, shown.query.get(name)!]] : []))).toString();
  return {
    kind: kind === 'figure' && !shown.table ? 'key-figures' : kind,
    source: `job:${shown.job}`,
    ...(view ? { view } : {}),
    caption: shown.title,
    pinned_at: now.toISOString().replace(/\.\d+Z$/, 'Z'),
  };
}

/** The report that was used last, or else the newest; null: there is none. */
async function report(project: string): Promise<string | null> {
  const known = await files.list(project, { kind: 'report', sort: '-updated_at' });
  const last = localStorage.getItem(`${LAST}:${project}`);
  return known.find((one) => one.path === last)?.path ?? known[0]?.path ?? null;
}

export function used(project: string, path: string) {
  localStorage.setItem(`${LAST}:${project}`, path);
}

/** The path of the report. */
export async function pin(project: string, shown: Shown): Promise<string> {
  for (let attempt = 0; ; attempt += 1) {
    const known = await report(project);
    const path = known ?? FIRST;
    const there = known ? await files.read(project, known) : null;
    const text = there?.text ?? set('', ['title'], 'Pinned results');
    try {
      await files.write(project, path, add(text, itemOf(shown) as never), there?.etag ?? null, 'Pinned');
      used(project, path);
      return path;
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 412) || attempt > 3) throw error;
    }
  }
}
