import { expect, it } from 'vitest';
import type { Job } from '$lib/api';
import { differences, labels, overlay, pairs, type CompareDocument } from './compare';

const job = (title: string, argv: string[], version = 1) => ({ title, argv, state: 'succeeded', files: [{ path: 'e.toml', version, digest: '' }] }) as unknown as Job;

it('what differs between results stands first, the rest is left out', () => {
  const two = [job('a', ['sim', 'sweep', 'e.toml', '--vary', 'p=1,2', '--seed=1']), job('b', ['sim', 'sweep', 'e.toml', '--vary', 'p=1,4', '--seed=1', '--explain'], 3)];
  expect(differences(two)).toEqual([
    { name: 'vary p', values: ['1,2', '1,4'] }, { name: 'e.toml', values: ['version 1', 'version 3'] }, { name: '--explain', values: ['', 'yes'] },
  ]);
  expect(differences(two.slice(0, 1))).toEqual([]);
});

it('labels are distinct', () => {
  expect(labels([job('a', ['fit']), job('a', ['fit']), job('', ['fit', 'x.csv'])])).toEqual(['a #1', 'a #2', 'x.csv']);
});

const forecast = (input: string, value: number | null, error_pct: number | null) => ({ input, method: 'sim', model: input, value, low: null, high: null, error_pct, seen: false });
const document: CompareDocument = {
  metric: 'time_s', unit: 's', level: 0.9, parameters: ['n', 'p'], inputs: [], warnings: [],
  configurations: [
    { at: { p: 1, n: 9 }, group: {}, measured: { value: 10, low: 9, high: 11, runs: 3 }, forecasts: [forecast('a', 11, -10), forecast('b', 10.5, 5)] },
    { at: { p: 8, n: 9 }, group: {}, measured: null, forecasts: [forecast('a', 2, null), forecast('b', null, null)] },
  ],
};

it('the largest error is first, in either direction; what has no runs is last', () => {
  expect(pairs(document).map((pair) => [pair.input, pair.d])).toEqual([['a', 10], ['b', 5], ['a', null], ['b', null]]);
});

it('runs and forecasts are lines over what varies most', () => {
  const told = overlay(document)!;
  expect([told.x, told.log]).toEqual(['p', true]);
  expect(told.series.map((one) => [one.name, one.points.length])).toEqual([['Measured', 1], ['a', 2], ['b', 1]]);
  expect(overlay({ ...document, configurations: document.configurations.slice(0, 1) })).toBeNull();
});
