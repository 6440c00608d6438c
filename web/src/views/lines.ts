/** Lines with bands, in panels; many of one column are a crowd in gray, with lowest, median and highest named. */
import { inkOf, panels, colors, Collect, FADED, type Ask, type Picture } from './picture';
import { around, at } from './scale';
import type { Item } from './scene';

/** `time_low_s` for `time_s`: where a metric keeps its bounds. */
export function boundOf(metric: string, word: 'low' | 'high', has: (name: string) => boolean): string | null {
  const cut = metric.lastIndexOf('_');
  const names = [cut > 0 ? `${metric.slice(0, cut)}_${word}${metric.slice(cut)}` : '', `${metric}_${word}`];
  return names.find((name) => name && has(name)) ?? null;
}

/** Middle one; of an even number the mean of the two in the middle. */
export function median(values: number[]): number {
  const sorted = values.filter((value) => !Number.isNaN(value)).sort((a, b) => a - b);
  const half = sorted.length >> 1;
  if (!sorted.length) return NaN;
  return sorted.length % 2 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
}

interface Point {
  x: number;
  y: number;
  low: number;
  high: number;
  row: number;
}

/** First, lowest, highest and last of each pixel column: the same pixels as all points (M4, Jugel et al. 2014). */
export function thinned(points: Point[], place: (point: Point) => number): Point[] {
  const kept: Point[] = [];
  for (let from = 0; from < points.length;) {
    const column = Math.floor(place(points[from]!));
    let to = from;
    let [low, high] = [from, from];
    while (to < points.length && Math.floor(place(points[to]!)) === column) {
      if (points[to]!.y < points[low]!.y) low = to;
      if (points[to]!.y > points[high]!.y) high = to;
      to += 1;
    }
    for (const index of [...new Set([from, low, high, to - 1])].sort((a, b) => a - b)) kept.push(points[index]!);
    from = to;
  }
  return kept;
}

export function lines(ask: Ask, crowd = ''): Picture {
  const { frame, rows } = ask;
  const has = (name: string) => frame.columns.has(name);
  const [lowName, highName] = [boundOf(ask.y, 'low', has), boundOf(ask.y, 'high', has)];
  const hue = colors(crowd ? { ...ask, color: '' } : ask);
  const xs = frame.get(ask.x)?.values ?? new Float64Array(0);
  const ys = frame.get(ask.y)?.values ?? new Float64Array(0);
  const good = (value: number | undefined, log: boolean) => value !== undefined && Number.isFinite(value) && (!log || value > 0);
  let left = 0;
  const usable: number[] = [];
  for (const row of rows) {
    if (good(xs[row], ask.logX) && good(ys[row], ask.logY)) usable.push(row);
    else if (!Number.isNaN(ys[row]!)) left += 1;
  }
  const zoom = ask.zoom;
  const scaleX = zoom ? { log: ask.logX, from: zoom[0], to: zoom[1] } : around(mapped(usable, xs), ask.logX);
  const bounds = [lowName, highName].flatMap((name) => (name ? [...mapped(usable, frame.get(name)!.values)] : []));
  const scaleY = zoom ? { log: ask.logY, from: zoom[2], to: zoom[3] } : around([...mapped(usable, ys), ...bounds], ask.logY);
  const grid = panels(ask, scaleX, scaleY, { x: ask.x, y: ask.y });
  // A line for each panel and color; repetitions are folded to their medians.
  const groups = new Map<string, { panel: number; order: number; byX: Map<number, number[]> }>();
  for (const row of usable) {
    const panel = grid.find(row);
    if (panel < 0) continue;
    const order = crowd ? frame.number(crowd, row) : hue.index(row);
    const key = `${panel} ${order}`;
    let group = groups.get(key);
    if (!group) groups.set(key, (group = { panel, order, byX: new Map() }));
    const same = group.byX.get(xs[row]!);
    if (same) same.push(row);
    else group.byX.set(xs[row]!, [row]);
  }
  const items: Item[] = [...grid.items];
  const places = new Collect();
  const ends: { y: number; x: number; text: string; ink: string }[] = [];
  const all = [...groups.values()].map((group) => {
    const points = [...group.byX].sort((a, b) => a[0] - b[0]).map(([x, same]): Point => ({
      x, row: same[0]!, y: median(same.map((row) => ys[row]!)),
      low: lowName ? median(same.map((row) => frame.number(lowName, row))) : NaN,
      high: highName ? median(same.map((row) => frame.number(highName, row))) : NaN,
    }));
    return { ...group, points };
  });
  const named = crowd ? marked(all.map((group) => median(group.points.map((point) => point.y)))) : new Set<number>();
  all.forEach((group, index) => {
    const area = grid.areas[group.panel]!;
    const [px, py] = [(value: number) => area.left + at(scaleX, value) * area.width, (value: number) => area.top + (1 - at(scaleY, value)) * area.height];
    const seen = group.points.filter((point) => point.x >= Math.min(scaleX.from, scaleX.to) && point.x <= Math.max(scaleX.from, scaleX.to));
    const points = seen.length > area.width * 4 ? thinned(seen, (point) => px(point.x)) : seen;
    const ink = crowd ? (named.has(index) ? inkOf([...named].indexOf(index)) : '--series-6') : inkOf(group.order);
    const quiet = crowd !== '' && !named.has(index);
    const clipped = (value: number) => Math.min(area.top + area.height, Math.max(area.top, value));
    const band = points.filter((point) => Number.isFinite(point.low) && Number.isFinite(point.high));
    if (band.length > 1) {
      const outline = [...band.map((point) => [px(point.x), clipped(py(point.low))]), ...band.toReversed().map((point) => [px(point.x), clipped(py(point.high))])].flat();
      items.push({ kind: 'line', points: outline, stroke: ink, width: 0, fill: ink, opacity: 0.14 });
    }
    // Points that are not chosen fade, with the pieces between them.
    for (const bright of [false, true]) {
      const path: number[] = [];
      points.forEach((point, order) => {
        const is = ask.chosen(point.row);
        const before = order > 0 && ask.chosen(points[order - 1]!.row);
        const [x, y] = [px(point.x), clipped(py(point.y))];
        if (bright ? is : !is || !before) path.push(x, y);
        else path.push(NaN, NaN);
      });
      items.push({ kind: 'line', points: path, stroke: ink, width: quiet ? 1 : 2, opacity: (bright ? 1 : FADED) * (quiet ? 0.5 : 1) });
    }
    for (const point of points) {
      const [x, y] = [px(point.x), py(point.y)];
      if (y < area.top - 1 || y > area.top + area.height + 1) continue;
      places.add(x, y, point.row);
      if (!quiet && points.length <= 60) items.push({ kind: 'dot', x, y, r: 3.2, fill: ink, opacity: ask.chosen(point.row) ? 1 : FADED });
    }
    const last = points.at(-1);
    if (last && crowd && named.has(index)) ends.push({ x: px(last.x), y: clipped(py(last.y)), text: frame.word(crowd, group.order), ink });
  });
  for (const end of ends) items.push({ kind: 'text', x: end.x - 6, y: end.y - 8, text: end.text, fill: end.ink, size: 12, anchor: 'end', bold: true });
  return { items, places: places.done(), areas: grid.areas, legend: crowd ? [] : hue.legend, left };
}

/** Lowest, median and highest of a crowd. */
function marked(medians: number[]): Set<number> {
  const order = medians.map((value, index) => ({ value, index })).sort((a, b) => a.value - b.value).map((one) => one.index);
  return new Set([order[0], order[order.length >> 1], order.at(-1)].filter((index): index is number => index !== undefined));
}

function* mapped(rows: number[], values: ArrayLike<number>): Iterable<number> {
  for (const row of rows) yield values[row]!;
}
