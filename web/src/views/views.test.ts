import { describe, expect, it } from 'vitest';
import { course, refusal } from './choose';
import { decode, Frame, type Column } from './columns';
import { heatmap, ramp } from './heatmap';
import { boundOf, lines, thinned } from './lines';
import { axes, parallel, place } from './parallel';
import { nearest, type Ask } from './picture';
import { around, at, back, ticks, zoomed } from './scale';
import { dots, opacity, scatter } from './scatter';
import { toSvg } from './scene';
import { both, formula, holds, read, write } from './selection';
import type { Schema } from '../results/long';

/** Columns written after the description of the format alone. */
function written(header: Record<string, unknown>, arrays: (Float64Array | Uint32Array)[], start = 256): ArrayBuffer {
  const text = new TextEncoder().encode(JSON.stringify(header));
  const bytes = new Uint8Array(start + arrays.reduce((sum, one) => sum + Math.ceil(one.byteLength / 8) * 8, 0));
  bytes.set([0x52, 0x43, 0x54, 0x31]);
  new DataView(bytes.buffer).setUint32(4, text.length, true);
  bytes.set(text, 8);
  let offset = start;
  for (const array of arrays) {
    bytes.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), offset);
    offset += Math.ceil(array.byteLength / 8) * 8;
  }
  return bytes.buffer;
}

const GOOD = { rows: 2, columns: [{ name: 'p', type: 'f8', offset: 256, bytes: 16 }, { name: 'app', type: 'dict', offset: 272, bytes: 8, words: ['a', 'b'] }] };
const ARRAYS = [new Float64Array([1, NaN]), new Uint32Array([1, 0])];

describe('columns', () => {
  it('are read as the format says', () => {
    const frame = decode(written(GOOD, ARRAYS));
    expect([frame.rows, frame.text('p', 0), frame.text('p', 1), frame.text('app', 0), frame.text('app', 1)]).toEqual([2, '1', '', 'b', 'a']);
    expect(frame.distinct('p', [0, 1])).toEqual([1]);
  });
  it('with hostile headers are refused', () => {
    const column = (change: Record<string, unknown>) => ({ rows: 2, columns: [{ ...GOOD.columns[0], ...change }] });
    const wrong = [
      {}, { rows: -1, columns: [] }, { rows: 1e9, columns: [] }, { rows: 2.5, columns: [] }, { rows: 2, columns: 'x' }, { rows: 2, columns: [null] },
      column({ offset: 252 }), column({ offset: -8 }), column({ offset: 1e15 }), column({ bytes: 8 }), column({ type: 'i8' }), column({ name: 7 }),
      { rows: 2, columns: [GOOD.columns[0], GOOD.columns[0]] },
      { rows: 2, columns: [{ ...GOOD.columns[1], words: ['a'] }] }, { rows: 2, columns: [{ ...GOOD.columns[1], words: undefined }] },
    ];
    for (const header of wrong) expect(() => decode(written(header, ARRAYS)), JSON.stringify(header)).toThrow();
    expect(() => decode(new ArrayBuffer(4))).toThrow();
    const long = written(GOOD, ARRAYS);
    new DataView(long).setUint32(4, 0xffffffff, true);
    expect(() => decode(long)).toThrow();
  });
});

describe('scales', () => {
  it('go there and back', () => {
    for (const log of [false, true]) {
      const scale = around([2, 512], log);
      for (const value of [2, 3, 100, 512]) expect(back(scale, at(scale, value))).toBeCloseTo(value, 9);
      expect([at(scale, 2) > 0, at(scale, 512) < 1]).toEqual([true, true]);
    }
    expect(at({ log: true, from: 1, to: 10 }, 0)).toBeNaN();
    expect(around([], false)).toEqual({ log: false, from: 0, to: 1 });
    expect(around([0, 5], false).from).toBe(0);
  });
  it('have round ticks, three or more', () => {
    expect(ticks({ log: false, from: 0, to: 10 }, 5)).toEqual([0, 2, 4, 6, 8, 10]);
    expect(ticks({ log: true, from: 1, to: 1000 }, 4)).toEqual([1, 10, 100, 1000]);
    expect(ticks({ log: true, from: 1, to: 100 }, 9)).toEqual([1, 2, 5, 10, 20, 50, 100]);
    for (const [from, to] of [[1, 16], [3, 40], [0.011, 0.9], [1, 8]] as const) expect(ticks({ log: true, from, to }, 5).length, `${from} ${to}`).toBeGreaterThan(2);
  });
  it('zoom about a place that stays where it is', () => {
    const scale = { log: true, from: 1, to: 10_000 };
    const near = zoomed(scale, 0.25, 0.5);
    expect(back(near, 0.25)).toBeCloseTo(back(scale, 0.25), 9);
    expect(near.to / near.from).toBeCloseTo(100, 6);
  });
});

describe('selections', () => {
  it('stand in the address and become a filter', () => {
    const chosen = new Map<string, [number, number] | string>([['n', [2000, 3000]], ['app', 'a, "b"..c'], ['x=y', [1, 1]]]);
    expect(read(write(chosen))).toEqual(chosen);
    expect(formula(read('n=2000..3000'))).toBe('n >= 2000 and n <= 3000');
    expect(formula(read('app=heat'))).toBe('app == "heat"');
    expect(read('=1..2,,n=..,%zz=a')).toEqual(new Map([['n', '..'], ['%zz', 'a']]));
    expect(both('a == 1 or b == 2', 'n <= 3')).toBe('(a == 1 or b == 2) and n <= 3');
    const frame = new Frame(2, [{ name: 'n', values: Float64Array.of(1999, 2000), words: null }]);
    expect([0, 1].map(holds(read('n=2000..3000'), frame))).toEqual([false, true]);
  });
});

const column = (name: string, values: (number | string)[]): Column => {
  if (typeof values[0] === 'number') return { name, values: Float64Array.from(values as number[]), words: null };
  const words = [...new Set(values as string[])];
  return { name, values: Uint32Array.from(values, (value) => words.indexOf(value as string)), words };
};

function asked(columns: Record<string, (number | string)[]>, more: Partial<Ask> = {}): Ask {
  const all = Object.entries(columns).map(([name, values]) => column(name, values));
  const rows = all[0]!.values.length;
  return {
    frame: new Frame(rows, all), rows: Int32Array.from({ length: rows }, (_, index) => index), chosen: () => true, width: 600, height: 400,
    x: 'p', y: 'time_s', color: '', column: '', row: '', logX: false, logY: false, zoom: null, title: (name) => name, text: (_, value) => String(value), ...more,
  };
}

describe('pictures', () => {
  it('fold repetitions of a line to medians, and know their places', () => {
    const told = lines(asked({ p: [2, 1, 1, 1], time_s: [4, 8, 9, 100] }));
    expect(told.places.rows.length).toBe(2);
    const [first, second] = [told.places.y[0]!, told.places.y[1]!];
    // The median of 8, 9, 100 is 9, which is above 4.
    expect(first < second && told.places.x[0]! < told.places.x[1]!).toBe(true);
    const none = lines(asked({ p: [1, 2], time_s: [0, 4] }, { logY: true }));
    expect([none.left, none.places.rows.length]).toEqual([1, 1]);
  });
  it('find bounds beside their metric', () => {
    const names = new Set(['time_low_s', 'cost_high']);
    expect([boundOf('time_s', 'low', (name) => names.has(name)), boundOf('cost', 'high', (name) => names.has(name)), boundOf('time_s', 'high', (name) => names.has(name))]).toEqual(['time_low_s', 'cost_high', null]);
  });
  it('keep what a pixel shows of a line of many points', () => {
    const y = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8];
    const points = y.map((value, x) => ({ x, y: value, low: NaN, high: NaN, row: x }));
    expect(thinned(points, (point) => point.x / 4).map((point) => point.x)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11]);
  });
  it('hatch cells that were not computed', () => {
    const told = heatmap(asked({ p: [1, 2, 1], n: [10, 10, 20], time_s: [1, 2, 400] }), 'n');
    const cells = told.items.filter((item) => item.kind === 'rect');
    expect(cells.filter((item) => item.kind === 'rect' && item.hatch).length).toBe(1);
    expect(told.places.rows.length).toBe(3);
    expect([ramp(0), ramp(1), ramp(7)]).toEqual(['rgb(68, 1, 84)', 'rgb(253, 231, 37)', 'rgb(253, 231, 37)']);
  });
  it('count points per pixel where there are many', () => {
    const many = Array.from({ length: 20_000 }, (_, index) => index % 7);
    const told = scatter(asked({ p: many, time_s: many }));
    expect(told.items.filter((item) => item.kind === 'rect').length).toBe(7);
    expect([1, 10, 100].map((count) => Math.round(255 * opacity(count, 1000)))).toEqual([26, 89, 170]);
  });
  it('sort dots by value', () => {
    const told = dots(asked({ cpu: ['slow', 'fast', 'middle'], time_s: [9, 1, 5] }, { x: 'cpu' }));
    const names = told.items.flatMap((item) => (item.kind === 'text' && item.anchor === 'end' ? [item.text] : []));
    expect(names).toEqual(['fast', 'middle', 'slow']);
  });
  it('have an axis for each column, texts too', () => {
    const ask = asked({ p: [1, 2, 4], cpu: ['a', 'b', 'a'], time_s: [4, 2, 1] });
    const all = axes(ask, ['p', 'cpu', 'time_s'], () => false);
    expect(all.map((axis) => axis.labels)).toEqual([[], ['a', 'b'], []]);
    expect(place(all[0]!, 1)).toBeGreaterThan(place(all[0]!, 4));
    expect(parallel(ask, all).items.filter((item) => item.kind === 'line' && item.points.length === 6).length).toBe(3);
  });
  it('tell the nearest datum within reach', () => {
    const places = { x: Float32Array.of(0, 100), y: Float32Array.of(0, 0), rows: Int32Array.of(5, 6) };
    expect([nearest(places, 90, 5), nearest(places, 50, 0)]).toEqual([1, -1]);
  });
  it('become SVG in which words are words', () => {
    const svg = toSvg([{ kind: 'text', x: 1, y: 2, text: '<script>&"', fill: '--text', size: 12, anchor: 'start' }], 10, 10, '<b>', () => '#000');
    expect(svg).toContain('&lt;script&gt;&amp;&quot;');
    expect(svg).toContain('<title>&lt;b&gt;</title>');
  });
});

it('a line is told in words', () => {
  const text = (value: number) => `${value} s`;
  expect(course([{ x: 512, y: 0.55 }, { x: 1, y: 20.8 }], 'p', text)).toBe('falls from 20.8 s at p = 1 to 0.55 s at 512');
  expect(course([{ x: 1, y: 3 }, { x: 2, y: 1 }, { x: 4, y: 2 }], 'p', text)).toBe('falls from 3 s at p = 1 to 1 s at 2, then rises to 2 s at 4');
  expect(course([{ x: 1, y: 3 }], 'p', text)).toBe('');
});

it('what cannot be drawn says why', () => {
  const column = (name: string, role: string, distinct: number, type = 'f8') => ({ name, role, type, unit: role === 'metric' ? 's' : '', distinct, min: 1, max: 9 });
  const schema = { rows: 9, columns: [column('p', 'processes', 9), column('time_s', 'metric', 9)], constants: {}, first_view: {}, sentence: null } as unknown as Schema;
  expect([refusal('line', schema), refusal('heatmap', schema), refusal('dots', schema)]).toEqual(['', 'two numbers must vary', 'no text varies']);
});
