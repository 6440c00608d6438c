/** What the canvas does to the text of a system. Each answers the changed text, and what should be selected then. */
import { appendTable, find, insert, plain, Raw, read, remove, removeAll, set, source, type Plain, type Toml } from '../toml';
import { idLike } from './blank';
import { isAggregator, PARENTS, readSystem, withDescendants, type Component, type Kind, type Part, type System } from './model';

export interface Edited {
  text: string;
  /** Keys of the parts to select. */
  select: string[];
}

/** `node`, or `node-2` when that is taken. */
export function freeId(system: System, wanted: string, more: Set<string> = new Set()): string {
  const base = idLike(wanted);
  let id = base;
  for (let number = 2; system.byId.has(id) || more.has(id); number += 1) id = `${base}-${number}`;
  return id;
}

/** What may be put somewhere: a kind, or an entry of the catalogue. */
export interface Offer {
  kind: Kind | 'network' | 'bus';
  /** Catalogue entry. */
  hardware?: string;
  label: string;
}

/** Default hardware of parts that are nothing without: the first of these that the catalogue has. */
export type Defaults = Partial<Record<'cpu' | 'gpu' | 'network' | 'bus', string>>;

/** The nearest part at or above `at` into which a part of this kind may go; null: only the top. */
export function host(system: System, kind: Kind | 'network' | 'bus', at: Component | null): Component | null {
  const fits = (one: Component) => (kind === 'network' || kind === 'bus' ? isAggregator(one.kind) : PARENTS[kind].includes(one.kind));
  let one: Component | null = at;
  for (let steps = 0; one && steps < 64; steps += 1) {
    if (fits(one)) return one;
    one = one.parent === null ? null : (system.byId.get(one.parent) ?? null);
  }
  return (system.children.get(null) ?? []).find(fits) ?? null;
}

const component = (id: string, kind: Kind, parent: string | null, more: Record<string, Toml> = {}): Toml => ({
  id, kind, ...(parent === null ? {} : { parent }), ...more,
});

/** Adds a part where it fits best at `at`. A processor outside a machine gets a machine around it; a machine alone gets a processor. */
export function add(text: string, offer: Offer, at: Component | null, defaults: Defaults): Edited {
  const { system } = readSystem(text);
  if (!system) return { text, select: [] };
  if (offer.kind === 'network' || offer.kind === 'bus') return addNetwork(text, system, offer, at, defaults);
  const fresh: Toml[] = [];
  const ids = new Set<string>();
  const name = (wanted: string) => {
    const id = freeId(system, wanted, ids);
    ids.add(id);
    return id;
  };
  const { kind } = offer;
  let parent = host(system, kind, at)?.id ?? null;
  const top = system.children.get(null) ?? [];
  const wrapped: [Component, string][] = [];
  const device = kind === 'cpu' || kind === 'gpu' || kind === 'accelerator';
  if (parent === null) {
    const outer = device ? host(system, 'machine', at) : null;
    if (outer) parent = outer.id;
    else if (kind !== 'wan' && kind !== 'group') {
      // Something has to be around it, and around what stands at the top already.
      parent = name('cluster');
      fresh.push(component(parent, 'group', null));
      for (const one of top) if (PARENTS[one.kind].includes('group')) wrapped.push([one, parent]);
    }
    if (device && parent !== null) {
      const machine = name('machine');
      fresh.push(component(machine, 'machine', parent));
      parent = machine;
    }
  }
  const id = name(offer.hardware ? kind : kind === 'machine' ? 'node' : kind);
  const hardware = offer.hardware ?? (kind === 'cpu' || kind === 'volunteer' ? defaults.cpu : kind === 'gpu' || kind === 'accelerator' ? defaults.gpu : undefined);
  const extra: Record<string, Toml> = hardware ? { hardware } : {};
  if (kind === 'storage' && !hardware) extra.set = { read_bandwidth: '2GB/s', write_bandwidth: '1GB/s', latency: '100us' };
  fresh.push(component(id, kind, parent, extra));
  if (kind === 'machine' && !offer.hardware && defaults.cpu) fresh.push(component(name('cpu'), 'cpu', id, { hardware: defaults.cpu }));
  // A group or a WAN beside the root goes around it: there is one root.
  if (parent === null) for (const one of top) if (PARENTS[one.kind].includes(kind)) wrapped.push([one, id]);
  let next = headed(text);
  for (const [one, around] of wrapped) next = change(next, one, ['parent'], around);
  return { text: insert(next, ['component'], fresh), select: [id] };
}

/** A text without `format` gets it, so that an empty file becomes a system. */
function headed(text: string): string {
  return find(read(text).doc!.root, ['format']) ? text : set(text, ['format'], 'runcast-system/1');
}

function addNetwork(text: string, system: System, offer: Offer, at: Component | null, defaults: Defaults): Edited {
  let next = headed(text);
  let of = host(system, offer.kind, at)?.id ?? null;
  if (of === null) {
    of = freeId(system, 'cluster');
    next = insert(next, ['component'], [component(of, 'group', null)]);
  }
  const others = system.networksOf.get(of) ?? [];
  const names = new Set(others.map((one) => one.id));
  const hardware = offer.hardware ?? defaults[offer.kind as 'network' | 'bus'];
  let id = of;
  for (let number = 2; names.has(id); number += 1) id = `${hardware ?? offer.kind}${number > 2 ? `-${number}` : ''}`;
  id = idLike(id);
  const value: Record<string, Toml> = { of, ...(id === of ? {} : { id }) };
  if (hardware) value.hardware = hardware;
  else value.set = { bandwidth: '10Gbit/s', latency: '5us' };
  if (offer.kind === 'bus' && !hardware) value.topology = 'bus';
  return { text: insert(next, ['network'], [value], { blocks: true, before: 'model' }), select: [`network:${of}/${id}`] };
}

/** The least part in which all of these stand, not one of them. */
export function common(system: System, parts: Component[]): Component | null {
  const above = (one: Component) => {
    const all: string[] = [];
    for (let at = one.parent; at !== null && !all.includes(at); at = system.byId.get(at)?.parent ?? null) all.push(at);
    return all;
  };
  const [first, ...rest] = parts.map(above);
  const found = first?.find((id) => rest.every((other) => other.includes(id)));
  return found === undefined ? null : (system.byId.get(found) ?? null);
}

const sectionOf = (part: Part) => (part.what === 'component' ? 'component' : 'network');

/** Sets or (null) takes away a key of a part: `count`, `hardware`, `set.power_idle`. A table that becomes empty goes too. */
export function change(text: string, part: Part, path: string[], value: Toml | null): string {
  const at = [sectionOf(part), part.index];
  if (value !== null) return set(text, [...at, ...path], value);
  const next = remove(text, [...at, ...path]);
  if (path.length < 2) return next;
  const around = [...at, ...path.slice(0, -1)];
  const { doc } = read(next);
  const node = doc ? find(doc.root, around) : undefined;
  return node?.kind === 'table' && node.entries.size === 0 ? remove(next, around) : next;
}

/** Another id; what names the part follows. */
export function rename(text: string, system: System, part: Part, id: string): Edited {
  if (id === part.id || id === '') return { text, select: [part.key] };
  if (part.what === 'network') {
    return { text: change(text, part, ['id'], id === part.of ? null : id), select: [`network:${part.of}/${id}`] };
  }
  let next = change(text, part, ['id'], id);
  for (const child of system.components) if (child.parent === part.id) next = change(next, child, ['parent'], id);
  for (const network of system.networks) {
    if (network.of === part.id) next = change(next, network, ['of'], id);
    if (part.parent === network.of) next = renameRoutes(next, network.index, part.id, id);
  }
  return { text: next, select: [id] };
}

function renameRoutes(text: string, network: number, from: string, to: string): string {
  let next = text;
  const { doc } = read(text);
  const routes = doc ? find(doc.root, ['network', network, 'route']) : undefined;
  routes?.items.forEach((route, index) => {
    for (const end of ['from', 'to']) {
      const node = route.entries.get(end);
      const said = node?.kind === 'value' ? plain(node) : undefined;
      if (typeof said !== 'string' || !(said === from || said.startsWith(`${from}[`))) continue;
      next = set(next, ['network', network, 'route', index, end], to + said.slice(from.length));
    }
  });
  return next;
}

/** May it stand there? Not in itself. */
export function mayStand(system: System, part: Component, parent: Component | null): boolean {
  if (!parent) return false;
  if (!PARENTS[part.kind].includes(parent.kind)) return false;
  return !withDescendants(system, [part]).includes(parent);
}

export function move(text: string, system: System, parts: Component[], parent: Component): Edited {
  let next = text;
  for (const part of parts) {
    if (part.parent !== parent.id && mayStand(system, part, parent)) next = change(next, part, ['parent'], parent.id);
  }
  return { text: next, select: parts.map((part) => part.key) };
}

/** Parts go with all that stands in them, and with their networks. */
export function drop(text: string, system: System, parts: Part[]): Edited {
  const gone = withDescendants(system, parts.filter((part) => part.what === 'component'));
  const ids = new Set(gone.map((one) => one.id));
  const networks = system.networks.filter((one) => parts.includes(one) || ids.has(one.of));
  const paths = [...gone.map((one) => ['component', one.index]), ...networks.map((one) => ['network', one.index])];
  const above = parts.map((part) => (part.what === 'component' ? part.parent : part.of)).find((id) => id !== null && !ids.has(id));
  let next = removeAll(text, paths);
  for (const list of ['component', 'network']) {
    const { doc } = read(next);
    const node = doc ? find(doc.root, [list]) : undefined;
    if (list === 'network' && node?.kind === 'array' && node.content && node.items.length === 0) next = remove(next, [list]);
  }
  return { text: next, select: above ? [above] : [] };
}

/** Parts as text for the clipboard: a piece of a system file. */
export function copy(system: System, parts: Part[]): string {
  const all = withDescendants(system, parts.filter((part) => part.what === 'component'));
  const ids = new Set(all.map((one) => one.id));
  const networks = system.networks.filter((one) => parts.includes(one) || ids.has(one.of));
  const models = new Set(all.flatMap((one) => (one.model !== null && system.models.includes(one.model) ? [one.model] : [])));
  const value = (list: string, index: number) => {
    const node = find(system.doc.root, [list, index])!;
    return node.content ? new Raw(source(system.doc, node).replace(/\s*\n\s*/g, ' ')) : (plain(node) as Toml);
  };
  let text = insert('', ['component'], all.map((one) => value('component', one.index)));
  for (const one of networks) text = insert(text, ['network'], [plain(find(system.doc.root, ['network', one.index])!) as Toml], { blocks: true });
  for (const name of models) text = appendTable(text, ['model', name], plain(find(system.doc.root, ['model', name])!) as Record<string, Toml>);
  return text;
}

/** Puts a piece of a system file into `at`; ids that are taken get a number. Null: the text holds no parts. */
export function paste(text: string, piece: string, at: Component | null): Edited | null {
  const { system } = readSystem(text);
  const given = readSystem(piece).system;
  if (!system || !given || (given.components.length === 0 && given.networks.length === 0)) return null;
  const ids = new Map<string, string>();
  const taken = new Set<string>();
  for (const one of given.components) {
    const id = freeId(system, one.id, taken);
    taken.add(id);
    ids.set(one.id, id);
  }
  const select: string[] = [];
  const parts = given.components.map((one): Toml => {
    const said = plain(find(given.doc.root, ['component', one.index])!) as Record<string, Plain>;
    const inside = one.parent !== null && ids.has(one.parent);
    const parent = inside ? ids.get(one.parent!)! : (host(system, one.kind, at)?.id ?? null);
    if (!inside) select.push(ids.get(one.id)!);
    const { id: _id, kind: _kind, parent: _parent, ...rest } = said;
    return component(ids.get(one.id)!, one.kind, parent, rest as Record<string, Toml>);
  });
  let next = parts.length ? insert(headed(text), ['component'], parts) : text;
  const networks = given.networks.map((one): Toml => {
    const { of: _of, id, ...rest } = plain(find(given.doc.root, ['network', one.index])!) as Record<string, Plain>;
    const of = ids.get(one.of) ?? host(system, 'network', at)?.id ?? one.of;
    const names = new Set((system.networksOf.get(of) ?? []).map((other) => other.id));
    let name = typeof id === 'string' ? id : of;
    const base = name;
    for (let number = 2; names.has(name); number += 1) name = `${base}-${number}`;
    if (given.components.length === 0) select.push(`network:${of}/${name}`);
    return { of, ...(name === of ? {} : { id: name }), ...(rest as Record<string, Toml>) };
  });
  if (networks.length) next = insert(next, ['network'], networks, { blocks: true, before: 'model' });
  for (const name of given.models) {
    next = appendTable(next, ['model', name], plain(find(given.doc.root, ['model', name])!) as Record<string, Toml>);
  }
  return { text: next, select };
}

/** Puts parts of one place into a new group there. */
export function group(text: string, system: System, parts: Component[]): Edited {
  const parent = common(system, parts);
  const fits = parts.length > 0 && parent && PARENTS.group.includes(parent.kind) && parts.every((one) => PARENTS[one.kind].includes('group') && one.parent === parent.id);
  if (!fits) return { text, select: parts.map((one) => one.key) };
  const id = freeId(system, 'group');
  let next = insert(text, ['component'], [component(id, 'group', parent.id)]);
  for (const one of parts) next = change(next, one, ['parent'], id);
  return { text: next, select: [id] };
}
