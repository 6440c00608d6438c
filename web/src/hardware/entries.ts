/** Own catalogue entries: tables of a file `hardware/NAME.toml`. */
import type { CatalogueEntry } from '$lib/types';
import { formatQuantity, parseQuantity } from '../formulas/units';
import { appendTable, plain, read, type Plain, type Toml } from '../toml';

export const QUALITIES = ['vendor', 'standard', 'derived', 'measured', 'assumed'] as const;
export const ENTRY_KINDS = ['cpu', 'gpu', 'accelerator', 'machine', 'network', 'bus', 'storage', 'volunteer'] as const;

/** Keys of an entry that are no figures. */
const ABOUT = ['kind', 'name', 'source', 'quality', 'note'];

export interface OwnEntry {
  id: string;
  kind: string;
  source: string;
  quality: string;
  note: string;
  attributes: { key: string; value: string; quality: string; source: string; formula: string; isTable: boolean }[];
}

const text = (value: Plain | undefined) => (typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value));

export function entriesOf(source: string): OwnEntry[] | null {
  const { doc } = read(source);
  if (!doc) return null;
  const all = plain(doc.root) as Record<string, Plain>;
  return Object.entries(all).flatMap(([id, said]) => {
    if (typeof said !== 'object' || Array.isArray(said)) return [];
    return [{
      id,
      kind: text(said.kind),
      source: text(said.source),
      quality: text(said.quality),
      note: text(said.note),
      attributes: Object.entries(said).filter(([key]) => !ABOUT.includes(key)).map(([key, value]) => {
        const isTable = typeof value === 'object' && !Array.isArray(value);
        const table = isTable ? (value as Record<string, Plain>) : { value };
        return { key, value: text(table.value), quality: text(table.quality), source: text(table.source), formula: text(table.formula), isTable };
      }),
    }];
  });
}

/** A figure as people write it, or as exact as it is where rounding would show. */
export function exact(value: number | string | null, unit: string): Toml {
  if (typeof value !== 'number') return value ?? '';
  if (unit === '') return value;
  if (unit === 'op/s') return exact(value, 'flop/s');
  if (unit === 'B' && value % 1024 === 0) {
    const power = [3, 2, 1].find((one) => value % 1024 ** one === 0)!;
    return `${value / 1024 ** power}${['', 'KiB', 'MiB', 'GiB'][power]}`;
  }
  for (const digits of [4, 6, 9, 12]) {
    const said: string = formatQuantity(value, unit, digits).replace(' ', '');
    if (parseQuantity(said)?.value === value) return said;
  }
  return value;
}

/** A copy of an entry under another name, as a file of its own, every source and quality kept. */
export function copyOf(entry: CatalogueEntry, id: string): string {
  const common = <T,>(values: T[]): T | undefined => [...values].sort((a, b) => values.filter((one) => one === b).length - values.filter((one) => one === a).length)[0];
  const source = common(entry.attributes.map((one) => one.source ?? '')) ?? '';
  const quality = common(entry.attributes.filter((one) => one.source === source).map((one) => one.quality ?? '')) ?? 'assumed';
  const table: Record<string, Toml> = { kind: entry.kind, source, quality };
  for (const one of entry.attributes) {
    const value = exact(one.value, one.unit ?? '');
    const formula = (one as { formula?: string | null }).formula;
    const own = one.source !== source || one.quality !== quality || !!formula;
    // What follows from other figures goes on following from them when one of those is changed.
    table[one.attribute] = own
      ? { ...(formula ? {} : { value }), ...(one.quality !== quality ? { quality: one.quality ?? '' } : {}), ...(one.source !== source ? { source: one.source ?? '' } : {}), ...(formula ? { formula } : {}) }
      : value;
  }
  return appendTable(`# A copy of ${entry.name} of the catalogue.\n`, [id], table);
}

export function blankEntry(id: string, kind: string, date = new Date()): string {
  const source = `own figures, ${date.toISOString().slice(0, 7)}`;
  const figures: Record<string, Record<string, Toml>> = {
    cpu: { cores: 8, clock: '2.5GHz', flops_double: { quality: 'derived', formula: 'cores * 16 * clock' }, power_load: '120W' },
    gpu: { flops_double: '10Tflop/s', flops_single: '20Tflop/s', power_load: '400W', memory: '80GB', mem_bandwidth: '2TB/s' },
    network: { bandwidth: '100Gbit/s', latency: '1us' },
    bus: { bandwidth: '16GB/s', latency: '0.5us' },
    storage: { read_bandwidth: '3GB/s', write_bandwidth: '2GB/s', latency: '100us' },
    machine: { power_idle: '60W', memory: '256GB' },
    volunteer: { cores: 4, flops_double: '50Gflop/s', availability: 0.4, on_mean: '8h', off_mean: '12h' },
  };
  return appendTable('', [id], { kind, source, quality: 'assumed', ...(figures[kind] ?? figures[kind === 'accelerator' ? 'gpu' : 'cpu']) });
}
