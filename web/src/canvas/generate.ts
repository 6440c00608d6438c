/** Many parts at once, as one step: racks, GPU nodes, and machines on a fat tree, a dragonfly or a torus. */
import { insert, Raw, type Toml } from '../toml';
import { freeId, host, type Defaults, type Edited } from './edits';
import { readSystem, type Component } from './model';

export interface Count {
  name: string;
  label: string;
  value: number;
  least: number;
  most: number;
}

export interface Generator {
  id: string;
  label: string;
  counts: Count[];
  /** How many machines it makes, in words. */
  says(counts: Record<string, number>): string;
}

const count = (name: string, label: string, value: number, least = 1, most = 100_000): Count => ({ name, label, value, least, most });
const machines = (number: number) => `${number.toLocaleString('en-US')} machine${number === 1 ? '' : 's'}`;

export const GENERATORS: Generator[] = [
  { id: 'rack', label: 'Rack', counts: [count('machines', 'Machines in a rack', 32), count('racks', 'Racks', 1)], says: (n) => machines(n.machines! * n.racks!) },
  { id: 'fat_tree', label: 'Fat tree', counts: [count('k', 'Ports of a switch (k)', 8, 2, 64)], says: (n) => machines(n.k! ** 3 / 4) },
  {
    id: 'dragonfly', label: 'Dragonfly',
    counts: [count('a', 'Routers in a group (a)', 4, 1, 256), count('p', 'Machines at a router (p)', 2, 1, 256), count('h', 'Links of a router to other groups (h)', 1, 1, 64), count('g', 'Groups (g)', 4, 1, 256)],
    says: (n) => (n.g! > n.a! ? 'Not more groups than routers in one: router j of a group has the link to group j' : machines(n.a! * n.p! * n.g!)),
  },
  { id: 'torus', label: 'Torus', counts: [count('x', 'Machines along x', 4, 1, 1024), count('y', 'Along y', 4, 1, 1024), count('z', 'Along z', 4, 1, 1024)], says: (n) => machines(n.x! * n.y! * n.z!) },
  { id: 'gpu', label: 'GPU node', counts: [count('cpus', 'Processors', 2, 1, 64), count('gpus', 'GPUs', 4, 1, 64), count('nodes', 'Nodes', 1)], says: (n) => `${machines(n.nodes!)} with ${n.gpus!} GPUs each` },
];

/** Why these counts do not do; '' where they do. */
export function wrong(generator: Generator, counts: Record<string, number>): string {
  for (const one of generator.counts) {
    const value = counts[one.name];
    if (value === undefined || !Number.isInteger(value) || value < one.least || value > one.most) return `${one.label}: a whole number from ${one.least} to ${one.most}`;
  }
  if (generator.id === 'fat_tree' && counts.k! % 2) return 'Switches of a fat tree have an even number of ports';
  if (generator.id === 'dragonfly' && counts.g! > counts.a!) return generator.says(counts);
  return '';
}

/** Adds them where machines may stand; one step of the text's history. */
export function generate(text: string, generator: Generator, counts: Record<string, number>, at: Component | null, defaults: Defaults): Edited {
  const { system } = readSystem(text);
  if (!system || wrong(generator, counts)) return { text, select: [] };
  const taken = new Set<string>();
  const name = (wanted: string) => {
    const id = freeId(system, wanted, taken);
    taken.add(id);
    return id;
  };
  const around = host(system, 'group', at)?.id ?? host(system, 'machine', at)?.id ?? null;
  const parts: Toml[] = [];
  const part = (id: string, kind: string, parent: string | null, more: Record<string, Toml> = {}) =>
    parts.push({ id, kind, ...(parent === null ? {} : { parent }), ...more } as Toml);
  const many = (number: number): Record<string, Toml> => (number > 1 ? { count: number } : {});
  const hardware = (which: 'cpu' | 'gpu'): Record<string, Toml> => (defaults[which] ? { hardware: defaults[which]! } : {});
  const group = name(generator.id === 'gpu' ? 'gpu-nodes' : generator.id.replace('_', '-'));
  const node = name('node');
  const number: Record<string, number> = {
    rack: counts.machines!, fat_tree: counts.k! ** 3 / 4, dragonfly: counts.a! * counts.p! * counts.g!, torus: counts.x! * counts.y! * counts.z!, gpu: counts.nodes!,
  };
  part(group, 'group', around, generator.id === 'rack' ? many(counts.racks!) : {});
  part(node, 'machine', group, many(number[generator.id]!));
  part(name('cpu'), 'cpu', node, { ...(generator.id === 'gpu' ? many(counts.cpus!) : {}), ...hardware('cpu') });
  if (generator.id === 'gpu') part(name('gpu'), 'gpu', node, { ...many(counts.gpus!), ...hardware('gpu') });
  const network: Record<string, Toml> = { of: group };
  if (defaults.network) network.hardware = defaults.network;
  else network.set = { bandwidth: '10Gbit/s', latency: '5us' };
  const shape = topology(generator.id, counts);
  if (shape) network.topology = new Raw(shape);
  const networks: Toml[] = [network as Toml];
  if (generator.id === 'gpu' && defaults.bus) networks.push({ of: node, hardware: defaults.bus } as Toml);
  const next = insert(insert(text, ['component'], parts), ['network'], networks, { blocks: true, before: 'model' });
  return { text: next, select: [group] };
}

function topology(id: string, n: Record<string, number>): string {
  if (id === 'fat_tree') {
    const half = n.k! / 2;
    return `{ kind = "fat_tree", down = [${half}, ${half}, ${n.k!}], up = [1, ${half}, ${half}], links = [1, 1, 1] }`;
  }
  if (id === 'torus') return `{ kind = "torus", dims = [${n.x!}, ${n.y!}, ${n.z!}] }`;
  if (id === 'dragonfly') return `{ kind = "dragonfly", groups = ${n.g!}, routers = ${n.a!}, nodes = ${n.p!}${n.h! > 1 ? `, group_links = ${n.h!}` : ''} }`;
  return '';
}
