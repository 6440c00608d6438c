import { describe, expect, it } from 'vitest';
import type { CatalogueEntry } from '$lib/types';
import { parseQuantity } from '../formulas/units';
import { read } from '../toml';
import { blankEntry, copyOf, ENTRY_KINDS, entriesOf, exact } from './entries';

const entry: CatalogueEntry = {
  name: 'amd-epyc-9654', kind: 'cpu', origin: 'built-in', attributes: [
    { attribute: 'cores', value: 96, unit: '', quality: 'vendor', source: 'AMD, 2026-11' },
    { attribute: 'clock', value: 2.4e9, unit: 'Hz', quality: 'vendor', source: 'AMD, 2026-11' },
    { attribute: 'cache', value: 402_653_184, unit: 'B', quality: 'vendor', source: 'AMD, 2026-11' },
    { attribute: 'flops_double', value: 3.6864e12, unit: 'op/s', quality: 'derived', source: 'AMD, 2026-11' },
    { attribute: 'latency', value: 3.33e-7, unit: 's', quality: 'assumed', source: 'nobody' },
  ],
};

describe('own entries', () => {
  it('keep every figure, source and quality of what they copy', () => {
    const text = copyOf(entry, 'mine+');
    expect(text).toBe(`# A copy of amd-epyc-9654 of the catalogue.
["mine+"]
kind = "cpu"
source = "AMD, 2026-11"
quality = "vendor"
cores = 96
clock = "2.4GHz"
cache = "384MiB"
flops_double = { value = "3.6864Tflop/s", quality = "derived" }
latency = { value = "333ns", quality = "assumed", source = "nobody" }
`);
    expect(entriesOf(text)![0]!.attributes.map((one) => [one.key, one.value, one.quality])).toEqual([
      ['cores', '96', ''], ['clock', '2.4GHz', ''], ['cache', '384MiB', ''], ['flops_double', '3.6864Tflop/s', 'derived'], ['latency', '333ns', 'assumed'],
    ]);
  });
  it('leave out what a formula gives, so that it follows the figures it is made of', () => {
    const derived = { ...entry, attributes: entry.attributes.map((one) => (one.attribute === 'flops_double' ? { ...one, formula: 'cores * 16 * clock' } : one)) };
    expect(copyOf(derived, 'mine')).toContain('\nflops_double = { quality = "derived", formula = "cores * 16 * clock" }\n');
    expect(entriesOf(copyOf(derived, 'mine'))![0]!.attributes[3]).toMatchObject({ key: 'flops_double', value: '', formula: 'cores * 16 * clock' });
  });
  it('write numbers that read back the same', () => {
    for (const [value, unit] of [[1 / 3, 's'], [1.23456789012345e10, 'B/s'], [0, 'W'], [1e-13, 's']] as [number, string][]) {
      const said = exact(value, unit);
      expect(typeof said === 'string' ? parseQuantity(said)!.value : said).toBe(value);
    }
  });
  it('begin with something that parses', () => {
    for (const kind of ENTRY_KINDS) expect(read(blankEntry('x', kind)).error).toBeNull();
    expect(entriesOf('a = [')).toBeNull();
  });
});
