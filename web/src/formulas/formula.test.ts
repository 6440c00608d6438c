import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { evaluate, FormulaError, measure, names, parse, type Measure } from './formula';
import { formatQuantity, parseQuantity, unitOf, type Powers } from './units';

describe('values', () => {
  // The formula crate is tested against the same table.
  const rows = readFileSync(new URL('../../../testdata/formula/values.tsv', import.meta.url), 'utf8').split('\n');
  for (const row of rows.filter((one) => one && !one.startsWith('#'))) {
    const [text, given, value] = row.split('\t') as [string, string, string];
    it(text, () => {
      const known = Object.fromEntries(given.split(',').filter(Boolean).map((pair) => pair.split('=') as [string, string]));
      const seen = evaluate(parse(text), (name) => (name in known ? Number(known[name]) : undefined));
      const wanted = value === 'inf' ? Infinity : value === '-inf' ? -Infinity : Number(value);
      if (Number.isFinite(wanted)) expect(Math.abs(seen - wanted)).toBeLessThanOrEqual(1e-14 * Math.abs(wanted));
      else expect(seen).toBe(wanted);
    });
  }
});

describe('errors', () => {
  const wrong: [string, number, number][] = [
    ['2n', 1, 2], ['(a', 0, 1], ['a)', 1, 2], ['1,5', 1, 2], ['a < b < c', 6, 7], ['f(1)', 0, 1], ['if(1, 2)', 0, 8], ['a +', 3, 4],
    ['a ** 2', 2, 4], ["'open", 0, 5], ['', 0, 1], ['N²', 1, 2], ["1 == 'a'", 5, 8], ['constructor(1)', 0, 11], ['1e999', 0, 5],
  ];
  for (const [text, from, to] of wrong) {
    it(`${text} at ${from}`, () => {
      try {
        parse(text);
        expect.unreachable();
      } catch (error) {
        expect(error).toBeInstanceOf(FormulaError);
        expect((error as FormulaError).span).toEqual({ from, to });
      }
    });
  }
  it('nests and grows only so far', () => {
    expect(() => parse('('.repeat(100_000))).toThrow(/nest/);
    expect(() => parse('-'.repeat(100_000) + '1')).toThrow(/nest/);
    expect(evaluate(parse(Array(50_000).fill('1').join(' + ')), () => undefined)).toBe(50_000);
    expect(names(parse('c.a*n + c.a')).get('c.a')).toEqual([{ from: 0, to: 3 }, { from: 8, to: 11 }]);
  });
});

describe('units', () => {
  it('reads quantities', () => {
    const table: [string, number, string][] = [
      ['1.5us', 1.5e-6, 's'], ['5y', 5 * 8760 * 3600, 's'], ['56Gbit/s', 7e9, 'B/s'], ['1 GB / s', 1e9, 'B/s'], ['1/y', 1 / 31_536_000, 'Hz'],
      ['0.8ns/B', 0.8e-9, 's/B'], ['64KiB', 65536, 'B'], ['54.48Gflop/s', 54.48e9, 'flop/s'], ['60W', 60, 'W'], ['5%', 0.05, ''], ['12', 12, ''],
      ['29ns/op', 29e-9, 's/op'], ['1kWh', 3.6e6, '1'], ['1.9us', 1.9e-6, 's'],
    ];
    for (const [text, value, unit] of table) {
      const seen = parseQuantity(text);
      expect(seen?.value, text).toBeCloseTo(value, 20);
      expect(Math.abs(seen!.value - value)).toBeLessThanOrEqual(1e-15 * value);
      if (unit !== '1') expect(unitOf(seen!.powers), text).toBe(unit);
    }
    for (const text of ['', 'nan', '5 m', '1 KB', 'x', '1 s/%', '1 /', '3,5 s', '1e999', '1 ks']) expect(parseQuantity(text), text).toBeNull();
  });
  it('writes what it reads back', () => {
    expect(formatQuantity(54.48e9, 'flop/s')).toBe('54.48 Gflop/s');
    expect(formatQuantity(0.00153, 's')).toBe('1.53 ms');
    expect(formatQuantity(86_400, 's')).toBe('24 h');
    expect(formatQuantity(0.8e-9, 's/B')).toBe('800 ps/B');
    for (const [value, unit] of [[1.2e-13, 's'], [3.2e9, 'B/s'], [157_680_000, 's'], [6, ''], [1e-5, 'B']] as [number, string][]) {
      expect(Math.abs(parseQuantity(formatQuantity(value, unit))!.value / value - 1)).toBeLessThan(1e-3);
    }
  });
  it('follows them through a formula', () => {
    const time: Powers = [1, 0, 0, 0];
    const bytes: Powers = [0, 1, 0, 0];
    const of: Record<string, Measure> = { t: time, b: bytes, x: null, 'net.bandwidth': [-1, 1, 0, 0] };
    const unit = (text: string) => measure(parse(text), (name) => of[name] ?? null);
    expect(unit('t + b/net.bandwidth')).toEqual({ unit: time, faults: [] });
    expect(unit('max(t, 0)').faults).toEqual([]);
    expect(unit('t + b').faults).toEqual([{ message: 'adds s and B', from: 0, to: 5 }]);
    expect(unit('log(t)').faults).toHaveLength(1);
    expect(unit('sqrt(t*t)')).toEqual({ unit: time, faults: [] });
    expect(unit('x*t').unit).toBeNull();
  });
});
