/**
 * Models shared between files: `[model.NAME]` is copied from a file of formulas into a system, whose view file remembers
 * from where and which one it was, so that the system can be offered the newer one.
 */
import { files } from '$lib/api';
import { appendTable, find, formatKey, isTable, plain, read, remove, type Node, type Toml } from '../toml';

/** A model in words of its own, so that order of keys and blanks make no difference. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    return `{${Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`).join(',')}}`;
  }
  return JSON.stringify(value);
}

/** Distinguishes models; two that say the same have the same. */
export function digest(model: Toml): string {
  // FNV-1a over 2 x 32 bits: there is no reason to forge one, and it works without a secure context.
  let [a, b] = [0x811c9dc5, 0x9747b28c];
  for (const letter of canonical(model)) {
    const code = letter.codePointAt(0)!;
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b ^ ((code << 5) | (code >>> 11)), 0x01000193) ^ (b >>> 13);
  }
  return [a, b].map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('');
}

export function modelNames(text: string): string[] {
  const models = read(text).doc?.root.entries.get('model');
  return models?.kind === 'table' ? [...models.entries].filter(([, node]) => node.kind === 'table').map(([name]) => name) : [];
}

function modelNode(text: string, name: string): Node | undefined {
  const { doc } = read(text);
  const node = doc ? find(doc.root, ['model', name]) : undefined;
  return node?.kind === 'table' ? node : undefined;
}

export function modelOf(text: string, name: string): Record<string, Toml> | null {
  const node = modelNode(text, name);
  return node ? (plain(node) as Record<string, Toml>) : null;
}

/** The lines of a model as they stand, comments included; null where it does not stand in sections of its own. */
function sections(text: string, name: string): string | null {
  const node = modelNode(text, name);
  const { doc } = read(text);
  if (!node || !doc || node.headers.length !== 1) return null;
  const tables = doc.program.body[0].body.filter((part) => part.type === 'TOMLTable');
  const own = tables.filter((table) => table.resolvedKey[0] === 'model' && table.resolvedKey[1] === name);
  const first = tables.indexOf(own[0]!);
  if (own.some((table, index) => tables[first + index] !== table)) return null;
  const last = own[own.length - 1]!;
  const end = last.body[last.body.length - 1]?.range[1] ?? last.range[1];
  const stop = text.indexOf('\n', end);
  return text.slice(own[0]!.range[0], stop < 0 ? text.length : stop).replace(/\r$/, '');
}

/** A model as text. */
export function modelText(text: string, name: string): string {
  const kept = sections(text, name);
  if (kept !== null) return `${kept}\n`;
  const value = modelOf(text, name);
  return value ? appendTable('', ['model', name], value) : '';
}

/** Puts a model, given as the text of its sections, in the place of the one of that name, or at the end. */
export function putModel(text: string, name: string, model: string): string {
  const without = modelNode(text, name) ? remove(text, ['model', name]) : text;
  const lead = without === '' || without.endsWith('\n') ? '' : '\n';
  const next = `${without}${lead}${model}`;
  if (!read(next).error) return next;
  const value = modelOf(model, name);
  return value ? appendTable(without, ['model', name], value) : text;
}

/** The bare text of a header, for messages. */
export const headerOf = (name: string) => `[model.${formatKey(name)}]`;

export interface News {
  name: string;
  path: string;
  /** The file of formulas has another one now. */
  changedThere: boolean;
  /** The system's own was changed since it was copied. */
  changedHere: boolean;
  here: string;
  fresh: string;
  freshDigest: string;
}

/** Compares the models of a system with the files that they were copied from. */
export async function news(project: string, origins: Record<string, { path: string; digest: string }>, system: string): Promise<Record<string, News>> {
  const found: Record<string, News> = {};
  const texts = new Map<string, Promise<string | null>>();
  for (const [name, origin] of Object.entries(origins)) {
    if (!texts.has(origin.path)) texts.set(origin.path, files.read(project, origin.path).then((file) => file.text, () => null));
    const text = await texts.get(origin.path)!;
    const there = text === null ? null : modelOf(text, name);
    const here = modelOf(system, name);
    if (text === null || !there || !here) continue;
    const freshDigest = digest(there);
    const own = digest(here);
    found[name] = {
      name, path: origin.path, freshDigest,
      changedThere: freshDigest !== origin.digest && freshDigest !== own,
      changedHere: own !== origin.digest && own !== freshDigest,
      here: modelText(system, name), fresh: modelText(text, name),
    };
  }
  return found;
}

/** Files of the project of a kind with their texts; those that cannot be read are left out. */
export async function texts(project: string, kind: string, most = 300): Promise<{ path: string; text: string; etag: string }[]> {
  const items = (await files.list(project, { kind })).slice(0, most);
  const all = await Promise.all(items.map((item) => files.read(project, item.path).then((file) => ({ path: item.path, ...file }), () => null)));
  return all.filter((one) => one !== null);
}

/** Copies a model into a system file and remembers it in the view file beside. */
export async function insertInto(project: string, systemPath: string, formulasPath: string, formulasText: string, name: string): Promise<void> {
  const model = modelOf(formulasText, name);
  if (!model) throw new Error(`There is no model ${name}`);
  const system = await files.read(project, systemPath);
  if (read(system.text).error) throw new Error(`${systemPath} does not parse`);
  await files.write(project, systemPath, putModel(system.text, name, modelText(formulasText, name)), system.etag, `${headerOf(name)} of ${formulasPath}`);
  const viewPath = `${systemPath.replace(/\.[^./]+$/, '')}.view.json`;
  // Asked for by a list: most systems have no looks yet, and a browser complains aloud of every 404.
  const known = await files.list(project, { kind: 'view', q: viewPath });
  const view = known.some((file) => file.path === viewPath) ? await files.read(project, viewPath).catch(() => null) : null;
  let looks: Record<string, unknown> = {};
  try {
    const parsed: unknown = JSON.parse(view?.text ?? '{}');
    if (isTable(parsed)) looks = parsed;
  } catch {
    looks = {};
  }
  const formulas = isTable(looks.formulas) ? looks.formulas : {};
  looks.formulas = { ...formulas, [name]: { path: formulasPath, digest: digest(model) } };
  await files.write(project, viewPath, `${JSON.stringify(looks, null, 1)}\n`, view?.etag ?? null);
}
