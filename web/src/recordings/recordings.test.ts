import { expect, test } from 'vitest';
import { factorsOf, shade, type Shown } from './documents';

test('factors that no recording has are left out, and forecasts stand beside', () => {
  const of = (p: number, balance: number) => ({ p, factors: { load_balance: balance, ipc_scaling: null } });
  const shown = { recordings: [of(2, 1), of(4, 0.5)], forecast: [{ p: 8, factors: { load_balance: { value: 0.25, low: 0.2, high: 0.3 } } }], warnings: [] };
  const rows = factorsOf(shown as unknown as Shown);
  expect(rows.map((row) => row.label)).toEqual(['Load balance']);
  expect(rows[0]!.values).toEqual([1, 0.5]);
  expect(rows[0]!.ahead[0]!.value).toBe(0.25);
});

test('nothing is white, the most is full', () => {
  expect(shade(0, 10)).toBe(0);
  expect(shade(1000, 1000)).toBe(1);
  expect(shade(1, 1000)).toBeGreaterThan(0.15);
});
