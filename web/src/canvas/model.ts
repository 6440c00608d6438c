/** The system of a TOML text as the canvas shows it. What is wrong with it the server says; here nothing is refused. */
import type { CatalogueEntry } from '$lib/types';
import { parseQuantity } from '../formulas/units';
import { lineOf, plain, read, start, type Doc, type Node, type Plain, type TomlError } from '../toml';

export const KINDS = ['wan', 'group', 'machine', 'cpu', 'gpu', 'accelerator', 'storage', 'volunteer'] as const;
export type Kind = (typeof KINDS)[number];

export const PARENTS: Record<Kind, Kind[]> = {
  wan: ['wan'],
  group: ['wan', 'group'],
  machine: ['wan', 'group'],
  volunteer: ['wan', 'group'],
  cpu: ['machine'],
  gpu: ['machine'],
  accelerator: ['machine'],
  storage: ['wan', 'group', 'machine'],
};

/** Kinds of catalogue entries that a part may be. */
export const HARDWARE: Record<Kind | 'network', string[]> = {
  wan: [],
  group: [],
  machine: ['machine'],
  cpu: ['cpu'],
  gpu: ['gpu', 'accelerator'],
  accelerator: ['accelerator', 'gpu'],
  storage: ['storage'],
  volunteer: ['volunteer', 'cpu', 'machine'],
  network: ['network', 'bus'],
};

export const isAggregator = (kind: string) => kind === 'wan' || kind === 'group' || kind === 'machine';
export const computes = (kind: string) => kind === 'cpu' || kind === 'gpu' || kind === 'accelerator' || kind === 'volunteer';

interface PartBase {
  /** Unlike any other part's: `galera`, `network:galera/galera`. */
  key: string;
  /** Where it stands in `component` or `network`. */
  index: number;
  id: string;
  hardware: string | null;
  set: Record<string, Plain>;
  line: number;
  endLine: number;
}

export interface Component extends PartBase {
  what: 'component';
  kind: Kind;
  /** As it is written, unknown kinds included. */
  kindWritten: string;
  parent: string | null;
  count: number;
  /** With the counts of all above. */
  total: number;
  model: string | null;
  depth: number;
}

export interface Network extends PartBase {
  what: 'network';
  of: string;
  topology: string;
  through: boolean | null;
}

export type Part = Component | Network;

export interface System {
  doc: Doc;
  name: string | null;
  components: Component[];
  networks: Network[];
  models: string[];
  defaultModel: string | null;
  byId: Map<string, Component>;
  byKey: Map<string, Part>;
  children: Map<string | null, Component[]>;
  networksOf: Map<string, Network[]>;
}

const text = (value: Plain | undefined): string | null => (typeof value === 'string' ? value : null);
const table = (value: Plain | undefined): Record<string, Plain> =>
  typeof value === 'object' && !Array.isArray(value) ? value : {};

export function readSystem(source: string): { system: System; error: null } | { system: null; error: TomlError } {
  const { doc, error } = read(source);
  if (!doc) return { system: null, error };
  const list = (key: string) => {
    const node = doc.root.entries.get(key);
    return node?.kind === 'array' ? node.items.filter((item) => item.kind === 'table') : [];
  };
  const lines = lineTable(source);
  const place = (node: Node) => {
    const from = start(node);
    const end = node.content?.range[1] ?? Math.max(from, ...node.headers.map((header) => header.range[1]));
    return { line: lines(from), endLine: lines(end) };
  };
  const taken = new Set<string>();
  const unique = (wanted: string) => {
    let key = wanted;
    for (let number = 2; taken.has(key); number += 1) key = `${wanted}#${number}`;
    taken.add(key);
    return key;
  };
  const components = list('component').map((node): Component => {
    const said = plain(node) as Record<string, Plain>;
    const written = text(said.kind) ?? '';
    const id = text(said.id) ?? '';
    return {
      what: 'component',
      key: unique(id),
      index: node.key as number,
      id,
      kind: (KINDS as readonly string[]).includes(written) ? (written as Kind) : 'group',
      kindWritten: written,
      parent: text(said.parent),
      count: typeof said.count === 'number' && said.count >= 1 ? said.count : 1,
      total: 1,
      hardware: text(said.hardware),
      set: table(said.set),
      model: text(said.model),
      depth: 0,
      ...place(node),
    };
  });
  const byId = new Map<string, Component>();
  for (const one of components) if (!byId.has(one.id)) byId.set(one.id, one);
  const children = new Map<string | null, Component[]>();
  for (const one of components) {
    const parent = one.parent !== null && byId.has(one.parent) && !inItself(one, byId) ? one.parent : null;
    children.set(parent, [...(children.get(parent) ?? []), one]);
  }
  const stack: [Component, number, number][] = (children.get(null) ?? []).map((one) => [one, 1, 0]);
  const seen = new Set<Component>();
  while (stack.length) {
    const [one, above, depth] = stack.pop()!;
    if (seen.has(one)) continue;
    seen.add(one);
    one.total = above * one.count;
    one.depth = depth;
    if (byId.get(one.id) === one) for (const inner of children.get(one.id) ?? []) stack.push([inner, one.total, depth + 1]);
  }
  const networks = list('network').map((node): Network => {
    const said = plain(node) as Record<string, Plain>;
    const of = text(said.of) ?? '';
    const id = text(said.id) ?? of;
    const hardware = text(said.hardware);
    const kind = text(said.topology) ?? text(table(said.topology).kind) ?? ('link' in said || 'route' in said ? 'explicit' : '');
    return {
      what: 'network',
      key: unique(`network:${of}/${id}`),
      index: node.key as number,
      id,
      of,
      hardware,
      set: table(said.set),
      topology: kind,
      through: typeof said.through === 'boolean' ? said.through : null,
      ...place(node),
    };
  });
  const networksOf = new Map<string, Network[]>();
  for (const one of networks) networksOf.set(one.of, [...(networksOf.get(one.of) ?? []), one]);
  const models = doc.root.entries.get('model');
  return {
    system: {
      doc,
      name: text(doc.root.entries.get('name')?.kind === 'value' ? plain(doc.root.entries.get('name')!) : undefined),
      components,
      networks,
      models: models?.kind === 'table' ? [...models.entries.keys()] : [],
      defaultModel: doc.root.entries.get('default_model')?.kind === 'value' ? text(plain(doc.root.entries.get('default_model')!)) : null,
      byId,
      byKey: new Map<string, Part>([...components, ...networks].map((part) => [part.key, part])),
      children,
      networksOf,
    },
    error: null,
  };
}

/** Does it stand in itself, somewhere up the tree? */
function inItself(one: Component, byId: Map<string, Component>): boolean {
  const seen = new Set<string>([one.id]);
  for (let at = one.parent; at !== null; at = byId.get(at)?.parent ?? null) {
    if (seen.has(at)) return true;
    seen.add(at);
  }
  return false;
}

function lineTable(source: string): (offset: number) => number {
  if (source.length < 4000) return (offset) => lineOf(source, offset);
  const starts = [0];
  for (let at = source.indexOf('\n'); at >= 0; at = source.indexOf('\n', at + 1)) starts.push(at + 1);
  return (offset) => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (starts[middle]! <= offset) low = middle;
      else high = middle - 1;
    }
    return low + 1;
  };
}

/** A part and all that stands in it, parents first. */
export function withDescendants(system: System, roots: Component[]): Component[] {
  const all: Component[] = [];
  const seen = new Set<Component>();
  const stack = [...roots].reverse();
  while (stack.length) {
    const one = stack.pop()!;
    if (seen.has(one)) continue;
    seen.add(one);
    all.push(one);
    if (system.byId.get(one.id) === one) stack.push(...[...(system.children.get(one.id) ?? [])].reverse());
  }
  return all;
}

export interface Value {
  value: number | boolean | string | null;
  unit: string;
  quality: string;
  source: string;
}

export type Catalogue = Map<string, CatalogueEntry>;

export function attributesOf(entry: CatalogueEntry | undefined): Map<string, Value> {
  const all = new Map<string, Value>();
  for (const { attribute, value, unit, quality, source } of entry?.attributes ?? []) {
    const said = typeof value === 'string' ? (parseQuantity(value)?.value ?? value) : (value as number | boolean | null);
    all.set(attribute, { value: said, unit: unit === 'op/s' ? 'flop/s' : (unit ?? ''), quality: quality ?? '', source: source ?? '' });
  }
  return all;
}

/** A number of a part: its own, else its catalogue entry's, in SI base units. */
export function numberOf(part: Part, key: string, catalogue: Catalogue): number | null {
  const own = part.set[key];
  if (typeof own === 'number') return own;
  if (typeof own === 'string') return parseQuantity(own)?.value ?? null;
  if (typeof own === 'object' && !Array.isArray(own)) {
    const value = own.value;
    return typeof value === 'number' ? value : typeof value === 'string' ? (parseQuantity(value)?.value ?? null) : null;
  }
  if (own !== undefined || part.hardware === null) return null;
  const value = attributesOf(catalogue.get(part.hardware)).get(key)?.value;
  return typeof value === 'number' ? value : null;
}
