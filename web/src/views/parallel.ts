/** An axis for each column, a line for each row: what goes with what. Each axis takes a brush. */
import { colors, Collect, FADED, fit, NONE, widthOf, type Ask, type Picture } from './picture';
import { around, at, type Scale } from './scale';
import type { Item } from './scene';

/** Lines that are drawn, at most: of more, every so many. */
const MOST = 4_000;

export interface Axis {
  name: string;
  x: number;
  top: number;
  height: number;
  scale: Scale;
  /** Of a text: the places of its words, from below, and the words. */
  words: number[] | null;
  labels: string[];
}

/** The axes side by side. */
export function axes(ask: Ask, names: string[], isLog: (name: string) => boolean): Axis[] {
  const { frame, rows } = ask;
  const [top, bottom, side] = [46, 26, Math.min(80, ask.width / (2 * Math.max(1, names.length)))];
  const gap = names.length > 1 ? (ask.width - 2 * side) / (names.length - 1) : 0;
  return names.flatMap((name, index): Axis[] => {
    const column = frame.get(name);
    if (!column) return [];
    const place = { name, x: side + index * gap, top, height: ask.height - top - bottom };
    if (column.words) {
      const words = frame.distinct(name, rows, 200);
      return [{ ...place, words, labels: words.map((value) => frame.word(name, value)), scale: { log: false, from: -0.5, to: Math.max(0.5, words.length - 0.5) } }];
    }
    const values = function* () {
      for (const row of rows) yield column.values[row]!;
    };
    return [{ ...place, words: null, labels: [], scale: around(values(), isLog(name), 0) }];
  });
}

/** Where a row is on an axis; NaN where it has no value. */
export function place(axis: Axis, value: number): number {
  const inner = axis.words ? axis.words.indexOf(value) : value;
  if (Number.isNaN(value) || (axis.words && inner < 0)) return NaN;
  return axis.top + (1 - at(axis.scale, inner)) * axis.height;
}

export function parallel(ask: Ask, all: Axis[]): Picture {
  const { frame, rows } = ask;
  if (all.length < 2) return { items: [], places: NONE, areas: [], legend: [], left: 0 };
  const hue = colors(ask);
  const items: Item[] = [];
  const places = new Collect();
  const step = Math.max(1, Math.ceil(rows.length / MOST));
  const width = rows.length > 500 ? 0.7 : 1.2;
  for (const bright of [false, true]) {
    for (let order = 0; order < rows.length; order += step) {
      const row = rows[order]!;
      if (ask.chosen(row) !== bright) continue;
      const points = all.flatMap((axis) => [axis.x, place(axis, frame.number(axis.name, row))]);
      items.push({ kind: 'line', points, stroke: hue.inkOf(row), width, opacity: bright ? 0.65 : FADED });
      if (bright) for (let index = 0; index < points.length; index += 2) if (!Number.isNaN(points[index + 1]!)) places.add(points[index]!, points[index + 1]!, row);
    }
  }
  const gap = all[1]!.x - all[0]!.x;
  all.forEach((axis, index) => {
    items.push({ kind: 'line', points: [axis.x, axis.top, axis.x, axis.top + axis.height], stroke: '--line-strong', width: 1 });
    const anchor = index === 0 ? 'start' : index === all.length - 1 ? 'end' : 'middle';
    const edge = anchor === 'start' ? axis.x - Math.min(30, axis.x) : anchor === 'end' ? axis.x + Math.min(30, ask.width - axis.x) : axis.x;
    // Headings stand in two rows, so that neighbors do not touch.
    items.push({ kind: 'text', x: edge, y: index % 2 ? 28 : 12, text: fit(ask.title(axis.name), (anchor === 'middle' ? 1.9 : 1.3) * gap), fill: '--text', size: 12, anchor, bold: true });
    const named = axis.words
      ? axis.words.filter((_, order) => order % Math.ceil((axis.words!.length * 14) / axis.height) === 0)
      : [...new Set([axis.scale.from, axis.scale.log ? Math.sqrt(axis.scale.from * axis.scale.to) : (axis.scale.from + axis.scale.to) / 2, axis.scale.to])];
    for (const value of named) {
      const text = fit(axis.words ? frame.word(axis.name, value) : ask.text(axis.name, Number(value.toPrecision(3))), gap - 16);
      const right = index < all.length - 1;
      const x = axis.x + (right ? 6 : -6);
      const y = place(axis, value);
      items.push({ kind: 'rect', x: right ? x - 2 : x - widthOf(text) - 2, y: y - 8, w: widthOf(text) + 4, h: 16, fill: '--surface', opacity: 0.75 });
      items.push({ kind: 'text', x, y, text, fill: '--text-2', size: 12, anchor: right ? 'start' : 'end' });
    }
  });
  return { items, places: places.done(), areas: [], legend: hue.legend, left: rows.length - Math.ceil(rows.length / step) };
}
