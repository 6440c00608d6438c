/** The long table of a result: how it is looked at first, and what matters in it. */
import { get, request } from '$lib/api';
import { decode, Frame, type Column } from '../views/columns';
import type { Figure } from './figure';

export interface FirstView {
  view: 'key-figures' | 'parallel' | 'dots' | 'heatmap' | 'line';
  x: string | null;
  y: string | null;
  color: string | null;
  column: string | null;
  row: string | null;
  crowd: string | null;
  log_x: boolean;
  log_y: boolean;
}

export interface Schema {
  rows: number;
  columns: { name: string; role: string; type: string; unit: string; distinct: number; min: number | null; max: number | null }[];
  constants: Record<string, unknown>;
  first_view: FirstView;
  sentence: string | null;
}

export interface Importance {
  method: 'grid' | 'forest' | null;
  rows: number;
  shares: { column: string; share: number }[];
  together: number | null;
}

const path = (job: string, part: string) => `/results/${encodeURIComponent(job)}/${part}`;

export const schema = (job: string, where = '', signal?: AbortSignal) => get<Schema>(path(job, 'schema'), where ? { where } : {}, signal);

export const importance = (job: string, metric?: string, where = '', signal?: AbortSignal) =>
  get<Importance>(path(job, 'importance'), { ...(metric ? { metric } : {}), ...(where ? { where } : {}) }, signal);

/** Columns of a result, of the rows that a filter keeps. */
export async function data(job: string, columns: string[], where: string, signal: AbortSignal): Promise<Frame> {
  const answer = await request('GET', path(job, 'data'), { query: { columns: columns.join(','), format: 'columns', ...(where ? { where } : {}) }, signal });
  return decode(await answer.arrayBuffer());
}

/** Lines with as few points as a picture of this width needs. */
export async function lineFrame(
  job: string, wish: { x: string; y: string; color: string; where: string; width: number; range?: [number, number] }, signal: AbortSignal,
): Promise<Frame> {
  const { x, y, color, where, width, range } = wish;
  const found = await get<Figure>(path(job, 'line'), { x, y, by: color, width, ...(where ? { where } : {}), ...(range ? { from: range[0], to: range[1] } : {}) }, signal);
  const points = found.series.flatMap((curve, index) => curve.points.map((point) => ({ ...point, index })));
  const numbers = (name: string, of: (point: (typeof points)[number]) => number): Column => ({ name, values: Float64Array.from(points, of), words: null });
  const columns = [numbers(x, (point) => point.x), numbers(y, (point) => point.y)];
  // A curve is called `p = 8`: its value is what follows the sign.
  const value = (name: string) => (name.startsWith(`${color} = `) ? name.slice(color.length + 3) : name);
  if (color) columns.push({ name: color, values: Uint32Array.from(points, (point) => point.index), words: found.series.map((curve) => value(curve.name)) });
  return new Frame(points.length, columns);
}
