/** Which section shows a file of a kind, and where the files of a template go. */
import { ApiError, files, type FileKind, type Template } from './api';
import { link, type Section } from './router.svelte';

const sections: Partial<Record<FileKind, Section>> = {
  system: 'systems', hardware: 'hardware', formulas: 'formulas', application: 'applications', experiment: 'experiments',
  table: 'tables', trace: 'tables', recording: 'recordings', model: 'models', plan: 'models', bsf: 'calculators', bsp: 'calculators',
  wavefront: 'calculators', report: 'reports',
};

/** Kinds in the order in which a template's files are worth opening. */
const first: FileKind[] = ['experiment', 'bsf', 'bsp', 'wavefront', 'table', 'trace', 'model', 'plan', 'report', 'application', 'system'];

export function pageOfFile(project: string, path: string, kind: FileKind): string | null {
  const section = sections[kind];
  return section ? link(project, section, path) : null;
}

/** Writes a template's files into one folder of their own; answers the address of the page to go on with. */
export async function useTemplate(project: string, template: Template): Promise<string> {
  for (let attempt = 1; ; attempt += 1) {
    const given = relocate(template, attempt === 1 ? '' : `-${attempt}`);
    const written: { path: string; kind: FileKind; etag: string }[] = [];
    try {
      for (const file of given) {
        const { item, etag } = await files.write(project, file.path, file.content, null, `From the template ${template.name}`);
        written.push({ path: item.path, kind: item.kind, etag });
      }
      const best = first.map((kind) => written.find((file) => file.kind === kind)).find(Boolean) ?? written[0];
      return (best && pageOfFile(project, best.path, best.kind)) ?? link(project);
    } catch (error) {
      // The folder is taken: another one, and nothing half-made stays behind.
      await Promise.allSettled(written.map((file) => files.remove(project, file.path, file.etag)));
      if (!(error instanceof ApiError && error.status === 412) || attempt >= 50) throw error;
    }
  }
}

function relocate(template: Template, ending: string): Template['files'] {
  const folders = new Set(template.files.map((file) => (file.path.includes('/') ? file.path.split('/')[0] : '')));
  const own = folders.size === 1 && !folders.has('');
  return template.files.map((file) => {
    const [head = '', ...rest] = file.path.split('/');
    return { ...file, path: own ? [head + ending, ...rest].join('/') : `${template.name}${ending}/${file.path}` };
  });
}
