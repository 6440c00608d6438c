/** An experiment as its form shows it, read from the text; every change goes back as an edit of the text. */
import { find, insert, plain, read, remove, set, type Doc, type Path, type Plain, type Toml } from '../toml';

export interface Place { label: string; on: string; per: string; order: string; list: string; count: string }
export interface App { name: string; file: string; start: string; params: Record<string, string>; place: Place[] }
export interface Range { name: string; values: string }
export const NOISES = ['run', 'node', 'block', 'link'] as const;
export type NoiseName = (typeof NOISES)[number];
export interface Noise { kind: string; value: string }

export interface Experiment {
  system: string;
  fidelity: string;
  repetitions: string;
  seed: string;
  level: string;
  coeff: string;
  apps: App[];
  vary: Range[];
  checkpoint: { cost: string; restart: string; downtime: string };
  noise: Record<NoiseName, Noise>;
  detour: { rate: string; mean: string };
}

type Table = { [key: string]: Plain };
const isTable = (value: Plain | undefined): value is Table => typeof value === 'object' && value !== null && !Array.isArray(value);
const table = (value: Plain | undefined): Table => (isTable(value) ? value : {});
const list = (value: Plain | undefined): Plain[] => (Array.isArray(value) ? value : []);

/** A value as it is typed in a field. */
export function text(value: Plain | undefined): string {
  if (value === undefined) return '';
  if (Array.isArray(value)) return value.map(text).join(', ');
  return isTable(value) ? JSON.stringify(value) : String(value);
}

/** What was typed as TOML: a number, true or false, else a text (perhaps with a unit). */
export function typed(field: string): Toml {
  const trimmed = field.trim();
  if (trimmed === 'true' || trimmed === 'false') return trimmed === 'true';
  return /^[+-]?(\d[\d_]*\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(trimmed) && Number.isFinite(Number(trimmed.replaceAll('_', ''))) ? Number(trimmed.replaceAll('_', '')) : trimmed;
}

/** Values of a range as typed: `1, 2, 4` is a list, `1..64*2` stays a text. */
export function typedValues(field: string): Toml {
  const trimmed = field.trim();
  if (trimmed.includes('..') || /^(powers|multiples|range|list|catalogue):|^(squares|cubes)$/.test(trimmed)) return trimmed;
  return trimmed.split(',').map((one) => one.trim()).filter(Boolean).map(typed);
}

const parameter: Record<string, string> = { exp: 'mean', normal: 'sd', uniform: 'max' };
export const noiseParameter = (kind: string) => parameter[kind] ?? 'mean';

export function experimentOf(doc: Doc): Experiment {
  const root = plain(doc.root) as Table;
  const checkpoint = table(root.checkpoint);
  const noise = table(root.noise);
  const detour = table(noise.detour);
  return {
    system: text(root.system), fidelity: text(root.fidelity), repetitions: text(root.repetitions), seed: text(root.seed),
    level: text(root.level), coeff: text(root.coeff),
    apps: list(root.app).map((one) => {
      const app = table(one);
      return {
        name: text(app.name), file: text(app.file), start: text(app.start),
        params: Object.fromEntries(Object.entries(table(app.params)).map(([name, value]) => [name, text(value)])),
        place: list(app.place).map((entry) => {
          const at = table(entry);
          return { label: text(at.label), on: text(at.on), per: text(at.per), order: text(at.order), list: text(at.list), count: text(at.count) };
        }),
      };
    }),
    vary: Object.entries(table(root.vary)).map(([name, values]) => ({ name, values: text(values) })),
    checkpoint: { cost: text(checkpoint.cost), restart: text(checkpoint.restart), downtime: text(checkpoint.downtime) },
    noise: Object.fromEntries(NOISES.map((name) => {
      const one = table(noise[name]);
      const kind = text(one.kind);
      return [name, { kind, value: text(one[noiseParameter(kind)]) }];
    })) as Record<NoiseName, Noise>,
    detour: { rate: text(detour.rate), mean: text(detour.mean) },
  };
}

/** Sets one value; an empty field takes the key away, and the table around it when it was the last. */
export function put(source: string, path: Path, field: string, as: (field: string) => Toml = typed): string {
  if (field.trim() === '') return drop(source, path);
  const { doc } = read(source);
  if (!doc) return source;
  const top = path[0];
  if ((top === 'vary') && !find(doc.root, ['vary'])) {
    const lead = source === '' || source.endsWith('\n') ? '' : '\n';
    return set(`${source}${lead}\n[vary]\n`, path, as(field));
  }
  return set(source, path, as(field));
}

export function drop(source: string, path: Path): string {
  let next = remove(source, path);
  for (let up = path.slice(0, -1); up.length > 0; up = up.slice(0, -1)) {
    const { doc } = read(next);
    const node = doc ? find(doc.root, up) : undefined;
    if (!node || node.kind !== 'table' || node.entries.size > 0 || node.parent?.kind === 'array') break;
    // An empty [vary] stays: it holds the place for more.
    if (up.length === 1 && up[0] === 'vary') break;
    next = remove(next, up);
  }
  return next;
}

export function addApp(source: string, file: string): string {
  return insert(source, ['app'], [{ file }], { blocks: true, before: 'vary' });
}

export function setNoise(source: string, name: NoiseName, kind: string, value: string): string {
  if (!kind) return drop(source, ['noise', name]);
  return set(source, ['noise', name], { kind, [noiseParameter(kind)]: typed(value || '0.01') });
}

/** Number of values of a range, where the page can tell; the server knows them all. */
export function countValues(field: string): number | null {
  const trimmed = field.trim();
  if (trimmed === '') return 0;
  const span = /^(?:range:)?(\d+(?:\.\d+)?)\.\.(\d+(?:\.\d+)?)(?:([+*:])(\d+(?:\.\d+)?))?$/.exec(trimmed);
  if (span) {
    const [low, high, step] = [Number(span[1]), Number(span[2]), Number(span[4] ?? 1)];
    if (high < low) return null;
    if (span[3] === '*') return step > 1 && low > 0 ? Math.floor(Math.log(high / low) / Math.log(step) + 1e-9) + 1 : null;
    return step > 0 ? Math.floor((high - low) / step + 1e-9) + 1 : null;
  }
  if (/[.]{2}|^(powers|multiples|catalogue):|^(squares|cubes)$/.test(trimmed)) return null;
  return trimmed.replace(/^list:/, '').split(',').filter((one) => one.trim()).length;
}

/** Points of a sweep: combinations times repetitions; null where only the server can tell. */
export function countPoints(experiment: Experiment): number | null {
  const repetitions = Number(experiment.repetitions || 1);
  let points = Number.isFinite(repetitions) && repetitions >= 1 ? repetitions : 1;
  for (const range of experiment.vary) {
    const values = countValues(range.values);
    if (values === null) return null;
    points *= values;
  }
  return points;
}

const folder = (path: string) => path.split('/').slice(0, -1);

/** The path that `reference`, standing in the file `of`, means; null when it leaves the project. */
export function resolve(of: string, reference: string): string | null {
  const parts = folder(of);
  for (const part of reference.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return null;
  }
  return parts.join('/');
}

/** How the file `of` refers to `path`. */
export function refer(of: string, path: string): string {
  const from = folder(of);
  const to = path.split('/');
  let same = 0;
  while (same < from.length && same < to.length - 1 && from[same] === to[same]) same += 1;
  return [...from.slice(same).map(() => '..'), ...to.slice(same)].join('/');
}

export interface SystemParts {
  components: { id: string; kind: string; hardware: string }[];
  networks: { id: string; of: string; hardware: string }[];
}

/** Components and networks of a system's text, for choosing places and hardware. */
export function partsOf(source: string): SystemParts {
  const { doc } = read(source);
  const root = doc ? (plain(doc.root) as Table) : {};
  return {
    components: list(root.component).map((one) => ({ id: text(table(one).id), kind: text(table(one).kind), hardware: text(table(one).hardware) })).filter((one) => one.id),
    networks: list(root.network).map((one) => ({ id: text(table(one).id) || text(table(one).of), of: text(table(one).of), hardware: text(table(one).hardware) })).filter((one) => one.id),
  };
}
