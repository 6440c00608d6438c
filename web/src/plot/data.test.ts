import { expect, it } from 'vitest';
import { align } from './data';

it('joins the x of all series', () => {
  const one = { name: 'a', points: [{ x: 4, y: 1 }, { x: 1, y: 3 }] };
  const two = { name: 'b', points: [{ x: 2, y: 5 }, { x: 4, y: null }] };
  const aligned = align([one, two], false, false);
  expect(aligned.x).toEqual([1, 2, 4]);
  expect(aligned.y).toEqual([[3, null, 1], [null, 5, null]]);
  expect([...aligned.at[0]!]).toEqual([2, 0]);
  expect([...aligned.at[1]!]).toEqual([1, -1]);
  expect(aligned.low).toBeNull();
});

it('keeps several points of one x', () => {
  const aligned = align([{ name: 'a', points: [{ x: 1, y: 1 }, { x: 1, y: 2 }] }, { name: 'b', points: [{ x: 1, y: 9 }] }], false, false);
  expect(aligned.x).toEqual([1, 1]);
  expect(aligned.y).toEqual([[1, 2], [9, null]]);
});

it('leaves out and counts what a logarithmic axis cannot show', () => {
  const points = [{ x: 0, y: 1 }, { x: 1, y: 0 }, { x: 2, y: -1 }, { x: 4, y: 8 }];
  expect(align([{ name: 'a', points }], false, true)).toMatchObject({ x: [0, 4], left: 2 });
  expect(align([{ name: 'a', points }], true, true)).toMatchObject({ x: [4], left: 3 });
});

it('has bands where there are intervals', () => {
  const aligned = align([{ name: 'a', points: [{ x: 1, y: 2, low: 1, high: 3 }, { x: 2, y: 2 }] }], false, false);
  expect(aligned.low).toEqual([[1, null]]);
  expect(aligned.high).toEqual([[3, null]]);
});

it('aligns 100,000 points at once', () => {
  const points = Array.from({ length: 100_000 }, (_, index) => ({ x: index % 50_000, y: index }));
  const begun = performance.now();
  expect(align([{ name: 'a', points }], false, false).x).toHaveLength(100_000);
  expect(performance.now() - begun).toBeLessThan(2000);
});
