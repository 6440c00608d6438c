/** Points: each a dot while they are few; counts per pixel where they are many, so that none hides another. */
import { colors, Collect, FADED, inkOf, NONE, panels, type Ask, type Picture } from './picture';
import { around, at } from './scale';
import type { Item } from './scene';

/** More points than this are counted per pixel. */
const MANY = 5_000;
/** Width and height of what is counted, in pixels. */
const CELL = 2;

/** Opacity of a pixel with `count` points where the fullest has `most`. */
export const opacity = (count: number, most: number) => Math.log1p(count) / Math.log1p(Math.max(1, most));

export function scatter(ask: Ask): Picture {
  const { frame, rows, zoom } = ask;
  const hue = colors(ask);
  const [xs, ys] = [frame.get(ask.x)?.values ?? new Float64Array(0), frame.get(ask.y)?.values ?? new Float64Array(0)];
  const [x, y] = [ends(xs, rows, ask.logX), ends(ys, rows, ask.logY)];
  const scaleX = zoom ? { log: ask.logX, from: zoom[0], to: zoom[1] } : around(x, ask.logX);
  const scaleY = zoom ? { log: ask.logY, from: zoom[2], to: zoom[3] } : around(y, ask.logY);
  const grid = panels(ask, scaleX, scaleY, { x: ask.x, y: ask.y });
  const items: Item[] = [...grid.items];
  const places = new Collect();
  const many = rows.length > MANY;
  // Of each pixel and color: how many, and the first of them.
  const [wide, high] = [Math.ceil(ask.width / CELL) + 1, Math.ceil(ask.height / CELL) + 1];
  const layers = 2 * Math.min(8, hue.count);
  const counts = new Uint32Array(many ? layers * wide * high : 0);
  const first = new Int32Array(counts.length);
  let most = 0;
  let left = 0;
  // For a million points: nothing is made in this loop, and the logarithms of the scales are taken once.
  const [lnX, lnY] = [Math.log(scaleX.from), Math.log(scaleY.from)];
  const perX = 1 / (ask.logX ? Math.log(scaleX.to) - lnX : scaleX.to - scaleX.from);
  const perY = 1 / (ask.logY ? Math.log(scaleY.to) - lnY : scaleY.to - scaleY.from);
  for (let index = 0; index < rows.length; index += 1) {
    const row = rows[index]!;
    const u = (ask.logX ? Math.log(xs[row]!) - lnX : xs[row]! - scaleX.from) * perX;
    const v = (ask.logY ? Math.log(ys[row]!) - lnY : ys[row]! - scaleY.from) * perY;
    if (!Number.isFinite(u) || !Number.isFinite(v)) {
      left += 1;
      continue;
    }
    if (u < 0 || u > 1 || v < 0 || v > 1) continue;
    const area = grid.areas[grid.find(row)];
    if (!area) continue;
    const px = area.left + u * area.width;
    const py = area.top + (1 - v) * area.height;
    const bright = ask.chosen(row);
    if (!many) {
      places.add(px, py, row);
      items.push({ kind: 'dot', x: px, y: py, r: 3.5, fill: hue.inkOf(row), opacity: bright ? 0.75 : FADED });
      continue;
    }
    const cell = (((hue.index(row) % 8) * 2 + (bright ? 1 : 0)) * high + Math.floor(py / CELL)) * wide + Math.floor(px / CELL);
    const count = counts[cell]! + 1;
    if (count === 1) first[cell] = row;
    counts[cell] = count;
    if (count > most) most = count;
  }
  for (let cell = 0; cell < counts.length; cell += 1) {
    if (counts[cell] === 0) continue;
    const [layer, place] = [Math.floor(cell / (wide * high)), cell % (wide * high)];
    const [px, py] = [(place % wide) * CELL, Math.floor(place / wide) * CELL];
    places.add(px, py, first[cell]!);
    items.push({ kind: 'rect', x: px, y: py, w: CELL, h: CELL, fill: inkOf(layer >> 1), opacity: opacity(counts[cell]!, most) * (layer % 2 ? 1 : FADED) });
  }
  return { items, places: places.done(), areas: grid.areas, legend: hue.legend, left };
}

/** Least and largest of the values that an axis can show. */
function ends(values: ArrayLike<number>, rows: Int32Array, log: boolean): number[] {
  let [from, to] = [Infinity, -Infinity];
  for (let index = 0; index < rows.length; index += 1) {
    const value = values[rows[index]!]!;
    if (!(value > (log ? 0 : -Infinity)) || value === Infinity) continue;
    if (value < from) from = value;
    if (value > to) to = value;
  }
  return from <= to ? [from, to] : [];
}

/** A dot for each text, sorted by value. */
export function dots(ask: Ask): Picture {
  const { frame, rows } = ask;
  const ys = frame.get(ask.y)?.values;
  if (!ys) return { items: [], places: NONE, areas: [], legend: [], left: 0 };
  const hue = colors(ask);
  const groups = new Map<number, number[]>();
  let left = 0;
  for (const row of rows) {
    const value = ys[row]!;
    if (!Number.isFinite(value) || (ask.logY && value <= 0)) {
      left += 1;
      continue;
    }
    const key = frame.number(ask.x, row);
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  const least = (group: number[]) => group.reduce((best, row) => Math.min(best, ys[row]!), Infinity);
  const sorted = [...groups].sort((a, b) => least(a[1]) - least(b[1]));
  const scale = around(sorted.flatMap(([, group]) => group.map((row) => ys[row]!)), ask.logY);
  // The texts stand at the left, in the room that the longest of them needs; the metric goes across.
  const longest = Math.max(40, ...sorted.map(([value]) => frame.word(ask.x, value).length * 6.8));
  const margin = Math.min(ask.width * 0.4, longest + 12);
  const inner: Ask = { ...ask, column: '', row: '', width: ask.width - margin + 40 };
  const grid = panels(inner, scale, { log: false, from: -0.5, to: Math.max(0.5, sorted.length - 0.5) }, { x: ask.y, y: '' });
  const area = grid.areas[0]!;
  const shift = margin - area.left;
  area.left += shift;
  area.yName = '';
  const items: Item[] = grid.items.flatMap((item): Item[] => {
    if (item.kind === 'text') return item.anchor === 'middle' && !item.turned ? [{ ...item, x: item.x + shift }] : [];
    return item.kind === 'line' && item.points[0] === item.points[2] ? [{ ...item, points: item.points.map((value, index) => (index % 2 ? value : value + shift)) }] : [];
  });
  const places = new Collect();
  const most = Math.floor(margin / 6.8);
  sorted.forEach(([value, group], order) => {
    const y = area.top + ((order + 0.5) / sorted.length) * area.height;
    const word = frame.word(ask.x, value);
    const text = word.length > most ? `${word.slice(0, most - 1)}…` : word;
    items.push({ kind: 'line', points: [area.left, y, area.left + area.width, y], stroke: '--line', width: 1, dash: [2, 3] });
    if (area.height / sorted.length >= 11 || order % Math.ceil((11 * sorted.length) / area.height) === 0) {
      items.push({ kind: 'text', x: area.left - 8, y, text, fill: '--text-2', size: 12, anchor: 'end' });
    }
    for (const row of group) {
      const x = area.left + at(scale, ys[row]!) * area.width;
      items.push({ kind: 'dot', x, y, r: 4, fill: hue.inkOf(row), opacity: ask.chosen(row) ? 0.85 : FADED });
      places.add(x, y, row);
    }
  });
  return { items, places: places.done(), areas: [area], legend: hue.legend, left };
}
