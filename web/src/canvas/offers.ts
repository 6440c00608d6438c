/** What the catalogue of the editor offers: plain parts first, then the entries by kind. */
import type { CatalogueEntry } from '$lib/api';
import { formatQuantity } from '../formulas/units';
import type { Offer } from './edits';
import { attributesOf, type Kind } from './model';

export interface Shown extends Offer {
  id: string;
  /** A few figures. */
  detail: string;
}

const PLAIN: [Kind | 'network' | 'bus', string, string][] = [
  ['machine', 'Machine', 'with a processor'],
  ['network', 'Network', 'joins what stands in a group'],
  ['group', 'Group', 'cluster, rack, LAN'],
  ['wan', 'WAN', 'groups far from each other'],
  ['cpu', 'Processor', 'cores of a socket'],
  ['gpu', 'GPU', ''],
  ['accelerator', 'Accelerator', ''],
  ['bus', 'Bus', 'inside a machine'],
  ['storage', 'Storage', ''],
  ['volunteer', 'Volunteer', 'a host that comes and goes'],
];

export const KIND_NAMES: Record<string, string> = {
  machine: 'Machines', cpu: 'Processors', gpu: 'GPUs', accelerator: 'Accelerators', network: 'Networks', bus: 'Buses',
  storage: 'Storage', volunteer: 'Volunteers',
};

function figures(entry: CatalogueEntry): string {
  const of = attributesOf(entry);
  const say = (key: string, unit: string, word = '') => {
    const value = of.get(key)?.value;
    return typeof value === 'number' ? `${formatQuantity(value, unit, 3)}${word}` : null;
  };
  const all = [say('cores', '', ' cores'), say('flops_double', 'flop/s'), say('bandwidth', 'B/s'), say('latency', 's'), say('read_bandwidth', 'B/s'), say('power_load', 'W')];
  return all.filter((one) => one !== null).slice(0, 3).join(', ');
}

export function offers(entries: CatalogueEntry[], search: string): { label: string; offers: Shown[] }[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (one: Shown) => words.every((word) => `${one.label} ${one.kind} ${one.detail}`.toLowerCase().includes(word));
  const groups = new Map<string, Shown[]>([['Parts', PLAIN.map(([kind, label, detail]) => ({ id: `plain-${kind}`, kind, label, detail }))]]);
  for (const entry of entries) {
    const label = KIND_NAMES[entry.kind] ?? entry.kind;
    const shown: Shown = { id: `entry-${entry.name}`, kind: entry.kind as Kind, hardware: entry.name, label: entry.name, detail: figures(entry) };
    groups.set(label, [...(groups.get(label) ?? []), shown]);
  }
  return [...groups].map(([label, all]) => ({ label, offers: all.filter(fits) })).filter((group) => group.offers.length > 0);
}

export const iconOf = (kind: string) =>
  ({ machine: 'systems', network: 'network', bus: 'network', group: 'group', wan: 'group', cpu: 'hardware', gpu: 'hardware', accelerator: 'hardware', storage: 'folder', volunteer: 'user' } as const)[kind] ?? 'hardware';
