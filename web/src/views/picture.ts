/** What every view is asked for, and what it gives: shapes, places of data for the pointer, areas for zooming. */
import { number } from '$lib/format';
import type { Frame } from './columns';
import { at, ticks, type Scale } from './scale';
import type { Item } from './scene';

export interface Ask {
  frame: Frame;
  /** Rows that are looked at. */
  rows: Int32Array;
  /** Whether a row is chosen; the others fade. */
  chosen: (row: number) => boolean;
  width: number;
  height: number;
  x: string;
  y: string;
  color: string;
  column: string;
  row: string;
  logX: boolean;
  logY: boolean;
  /** The part that is looked at: left, right, bottom, top. */
  zoom: [number, number, number, number] | null;
  /** A column as people say it, and a value of it. */
  title: (name: string) => string;
  text: (name: string, value: number) => string;
}

/** A part of the picture with two axes. */
export interface Area {
  left: number;
  top: number;
  width: number;
  height: number;
  x: Scale;
  y: Scale;
  /** The columns of the axes; '' where an axis has none that a range can be chosen of. */
  xName: string;
  yName: string;
}

/** Where data are drawn. */
export interface Places {
  x: Float32Array;
  y: Float32Array;
  /** The row of each. */
  rows: Int32Array;
}

export interface Picture {
  items: Item[];
  places: Places;
  areas: Area[];
  /** Colors and what they stand for. */
  legend: { ink: string; text: string }[];
  /** Rows that could not be drawn, and why. */
  left: number;
}

export const NONE: Places = { x: new Float32Array(0), y: new Float32Array(0), rows: new Int32Array(0) };
export const FADED = 0.15;
export const inkOf = (index: number) => `--series-${(index % 8) + 1}`;
const SMALL = 12;

/** About as wide as a text is. */
export const widthOf = (text: string, size = SMALL) => text.length * size * 0.56;

/** Text that fits: the end goes. */
export function fit(text: string, width: number, size = SMALL): string {
  const most = Math.max(1, Math.floor(width / (size * 0.56)));
  return text.length <= most ? text : `${text.slice(0, Math.max(1, most - 1))}…`;
}

/** Panels side by side and below each other, with room for axes and headings. */
export function panels(ask: Ask, x: Scale, y: Scale, names: { x: string; y: string }): { areas: Area[]; items: Item[]; find: (row: number) => number } {
  const columns = ask.column ? ask.frame.distinct(ask.column, ask.rows, 6) : [];
  const rows = ask.row ? ask.frame.distinct(ask.row, ask.rows, 4) : [];
  const [across, down] = [Math.max(1, columns.length), Math.max(1, rows.length)];
  const yTicks = ticks(y, Math.max(3, Math.floor(ask.height / down / 48)));
  const yText = (value: number) => (names.y ? ask.text(names.y, value) : number(value, 3));
  const left = 30 + Math.min(110, Math.max(...yTicks.map((value) => widthOf(yText(value))), 24));
  const [top, bottom, right] = [columns.length ? 26 : 12, 46, rows.length ? 30 : 14];
  const gap = 14;
  const width = Math.max(20, (ask.width - left - right - gap * (across - 1)) / across);
  const height = Math.max(20, (ask.height - top - bottom - gap * (down - 1)) / down);
  const areas: Area[] = [];
  const items: Item[] = [];
  const most = Math.max(3, Math.floor(width / 64));
  const xText = (value: number) => (names.x ? ask.text(names.x, value) : number(value, 3));
  for (let r = 0; r < down; r += 1) {
    for (let c = 0; c < across; c += 1) {
      const area: Area = { left: left + c * (width + gap), top: top + r * (height + gap), width, height, x, y, xName: names.x, yName: names.y };
      areas.push(area);
      let last = -Infinity;
      for (const value of ticks(x, most)) {
        const place = area.left + at(x, value) * width;
        items.push({ kind: 'line', points: [place, area.top, place, area.top + height], stroke: '--line', width: 1 });
        const text = xText(value);
        // Words that would touch the ones before are left out.
        if (r !== down - 1 || place - widthOf(text) / 2 < last + 6) continue;
        last = place + widthOf(text) / 2;
        items.push({ kind: 'text', x: place, y: area.top + height + 14, text, fill: '--text-2', size: SMALL, anchor: 'middle' });
      }
      for (const value of yTicks) {
        const place = area.top + (1 - at(y, value)) * height;
        items.push({ kind: 'line', points: [area.left, place, area.left + width, place], stroke: '--line', width: 1 });
        if (c === 0) items.push({ kind: 'text', x: area.left - 6, y: place, text: yText(value), fill: '--text-2', size: SMALL, anchor: 'end' });
      }
      if (r === 0 && columns.length) {
        const text = fit(`${ask.title(ask.column)} = ${ask.frame.word(ask.column, columns[c]!)}`, width);
        items.push({ kind: 'text', x: area.left + width / 2, y: 12, text, fill: '--text', size: SMALL, anchor: 'middle', bold: true });
      }
      if (c === across - 1 && rows.length) {
        const text = fit(`${ask.title(ask.row)} = ${ask.frame.word(ask.row, rows[r]!)}`, height);
        items.push({ kind: 'text', x: area.left + width + 16, y: area.top + height / 2, text, fill: '--text', size: SMALL, anchor: 'middle', bold: true, turned: true });
      }
    }
  }
  items.push({ kind: 'text', x: left + (ask.width - left - right) / 2, y: ask.height - 12, text: ask.title(names.x || ask.x), fill: '--text', size: 13, anchor: 'middle' });
  items.push({ kind: 'text', x: 12, y: top + (ask.height - top - bottom) / 2, text: ask.title(names.y || ask.y), fill: '--text', size: 13, anchor: 'middle', turned: true });
  const [columnAt, rowAt] = [new Map(columns.map((value, index) => [value, index])), new Map(rows.map((value, index) => [value, index]))];
  const find = (row: number) => {
    const c = columns.length ? columnAt.get(ask.frame.number(ask.column, row)) : 0;
    const r = rows.length ? rowAt.get(ask.frame.number(ask.row, row)) : 0;
    return c === undefined || r === undefined ? -1 : r * across + c;
  };
  return { areas, items, find };
}

/** Colors of the values of a column: of a few each its own; of many numbers one color from light to strong. */
export function colors(ask: Ask): { inkOf: (row: number) => string; index: (row: number) => number; legend: Picture['legend']; count: number } {
  if (!ask.color) return { inkOf: () => inkOf(0), index: () => 0, legend: [], count: 1 };
  const values = ask.frame.distinct(ask.color, ask.rows, 200);
  const place = new Map(values.map((value, index) => [value, index]));
  const index = (row: number) => place.get(ask.frame.number(ask.color, row)) ?? 0;
  const legend = values.slice(0, 24).map((value, order) => ({ ink: inkOf(order), text: `${ask.title(ask.color)} = ${ask.frame.word(ask.color, value)}` }));
  return { inkOf: (row) => inkOf(index(row)), index, legend, count: values.length };
}

/** Collects places without knowing how many there will be. */
export class Collect {
  #x: number[] = [];
  #y: number[] = [];
  #rows: number[] = [];

  add(x: number, y: number, row: number) {
    this.#x.push(x);
    this.#y.push(y);
    this.#rows.push(row);
  }

  done(): Places {
    return { x: Float32Array.from(this.#x), y: Float32Array.from(this.#y), rows: Int32Array.from(this.#rows) };
  }
}

/** The place of the pointer's nearest datum, within reach; -1 where there is none. */
export function nearest(places: Places, x: number, y: number, reach = 24): number {
  let [best, least] = [-1, reach * reach];
  for (let index = 0; index < places.x.length; index += 1) {
    const [dx, dy] = [places.x[index]! - x, places.y[index]! - y];
    const far = dx * dx + dy * dy;
    if (far < least) [best, least] = [index, far];
  }
  return best;
}
