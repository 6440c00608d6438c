/** Two numbers against each other, the metric as color; what was not computed is hatched. */
import { number } from '$lib/format';
import { median } from './lines';
import { Collect, NONE, panels, type Ask, type Picture } from './picture';
import { around, at } from './scale';
import type { Item } from './scene';

/** The color of a value is logarithmic from this ratio on. */
const LOG_FROM = 20;
/** From few to much, readable in both themes and by color-blind eyes (after viridis, in nine steps). */
const RAMP = ['#440154', '#482878', '#3e4a89', '#31688e', '#26828e', '#1f9e89', '#35b779', '#6ece58', '#fde725'].map((text) => [1, 3, 5].map((from) => parseInt(text.slice(from, from + 2), 16)));

export function ramp(share: number): string {
  const place = Math.min(1, Math.max(0, share)) * (RAMP.length - 1);
  const from = Math.min(RAMP.length - 2, Math.floor(place));
  const parts = RAMP[from]!.map((value, index) => Math.round(value + (RAMP[from + 1]![index]! - value) * (place - from)));
  return `rgb(${parts.join(', ')})`;
}

/** `y` stands up, the metric is the color. */
export function heatmap(ask: Ask, up: string): Picture {
  const { frame, rows } = ask;
  const metric = frame.get(ask.y)?.values;
  if (!metric || !frame.get(ask.x) || !frame.get(up)) return { items: [], places: NONE, areas: [], legend: [], left: 0 };
  const [xs, ys] = [frame.distinct(ask.x, rows), frame.distinct(up, rows)];
  const inside = ask.zoom;
  const [keptX, keptY] = inside ? [xs.filter((value) => value >= inside[0] && value <= inside[1]), ys.filter((value) => value >= inside[2] && value <= inside[3])] : [xs, ys];
  const cells = new Map<string, number[]>();
  for (const row of rows) {
    const key = `${frame.number(ask.x, row)} ${frame.number(up, row)}`;
    const cell = cells.get(key);
    if (cell) cell.push(row);
    else cells.set(key, [row]);
  }
  const valueOf = (same: number[] | undefined) => (same ? median(same.map((row) => metric[row]!)) : NaN);
  const values = keptX.flatMap((x) => keptY.map((y) => valueOf(cells.get(`${x} ${y}`)))).filter(Number.isFinite);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const log = least > 0 && most / least >= LOG_FROM;
  const scale = values.length ? { log, from: least, to: most > least ? most : least + (least || 1) } : { log: false, from: 0, to: 1 };
  const bar = 74;
  const grid = panels({ ...ask, width: ask.width - bar, column: '', row: '' }, around([0, Math.max(1, keptX.length)], false, 0), around([0, Math.max(1, keptY.length)], false, 0), { x: '', y: '' });
  const area = grid.areas[0]!;
  const label = (name: string, value: number) => frame.get(name)?.words?.[value] ?? ask.text(name, value);
  // The room that the longest name of a row needs.
  const room = Math.max(0, 34 + Math.min(140, Math.max(0, ...keptY.map((value) => label(up, value).length * 6.8))) - area.left);
  area.left += room;
  area.width -= room;
  const [w, h] = [area.width / Math.max(1, keptX.length), area.height / Math.max(1, keptY.length)];
  // Cells are as wide as their neighbors whatever their values: their own values name them.
  const items: Item[] = grid.items.filter((item) => item.kind === 'text' && item.size === 13).map((item) => (item.kind === 'text' && item.turned ? { ...item, text: ask.title(up) } : item));
  const places = new Collect();
  const round = (value: number) => Math.round(value);
  keptX.forEach((x, across) => {
    keptY.forEach((y, above) => {
      const [left, top] = [round(area.left + across * w), round(area.top + area.height - (above + 1) * h)];
      const [wide, high] = [Math.max(1, round(area.left + (across + 1) * w) - left), Math.max(1, round(area.top + area.height - above * h) - top)];
      const same = cells.get(`${x} ${y}`);
      const value = valueOf(same);
      if (!Number.isFinite(value)) {
        items.push({ kind: 'rect', x: left, y: top, w: wide, h: high, fill: '--line', hatch: true });
        return;
      }
      items.push({ kind: 'rect', x: left, y: top, w: wide, h: high, fill: ramp(at(scale, value)), opacity: same!.some(ask.chosen) ? 1 : 0.15 });
      places.add(left + wide / 2, top + high / 2, same![0]!);
    });
  });
  const everyX = Math.max(1, Math.ceil((Math.max(...keptX.map((value) => label(ask.x, value).length), 1) * 7 + 10) / w));
  keptX.forEach((value, index) => {
    if (index % everyX === 0) items.push({ kind: 'text', x: area.left + (index + 0.5) * w, y: area.top + area.height + 14, text: label(ask.x, value), fill: '--text-2', size: 12, anchor: 'middle' });
  });
  const everyY = Math.max(1, Math.ceil(15 / h));
  keptY.forEach((value, index) => {
    if (index % everyY === 0) items.push({ kind: 'text', x: area.left - 6, y: area.top + area.height - (index + 0.5) * h, text: label(up, value), fill: '--text-2', size: 12, anchor: 'end' });
  });
  // The color's own scale, with its unit.
  const [left, steps] = [ask.width - bar + 18, 40];
  for (let step = 0; step < steps; step += 1) {
    items.push({ kind: 'rect', x: left, y: area.top + area.height * (1 - (step + 1) / steps), w: 12, h: area.height / steps + 0.5, fill: ramp((step + 0.5) / steps) });
  }
  if (values.length) {
    for (const share of [0, 0.5, 1]) {
      const value = log ? least * (most / least) ** share : scale.from + share * (scale.to - scale.from);
      items.push({ kind: 'text', x: left + 16, y: area.top + area.height * (1 - share), text: ask.text(ask.y, Number(value.toPrecision(2))) || number(value, 2), fill: '--text-2', size: 11, anchor: 'start' });
    }
  }
  return { items, places: places.done(), areas: [{ ...area, xName: '', yName: '' }], legend: [], left: 0 };
}
