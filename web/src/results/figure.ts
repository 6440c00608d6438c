/**
 * Numbers behind a plot: the server works them out of a job's table (curves, speedup, efficiency, Pareto fronts,
 * comparisons); the pages only draw them.
 */
import { address, get } from '$lib/api';
import type { Query } from '$lib/http';
import { number, quantity } from '$lib/format';
import type { Axis, Point, Series } from '../plot/data';

export type FigureKind = 'line' | 'speedup' | 'efficiency' | 'pareto' | 'compare';

export interface FigurePoint {
  x: number;
  y: number;
  low?: number | null;
  high?: number | null;
  /** Repetitions that it stands for. */
  rows: number;
  front?: boolean | null;
  d_pct?: number | null;
  /** Other columns: of Pareto fronts and comparisons. */
  at?: Record<string, string>;
}

export interface Figure {
  kind: FigureKind;
  x: { name: string; unit: string };
  y: { name: string; unit: string };
  metric: string | null;
  by: string[];
  series: { name: string; base: number | null; points: FigurePoint[] }[];
  columns: { parameters: string[]; metrics: string[]; labels: string[] };
}

export interface Choice {
  kind?: FigureKind;
  x?: string;
  y?: string;
  by?: string;
  base?: string;
  table?: string;
  metric?: string;
}

const query = (choice: Choice): Query => ({ ...choice });

export const figure = (job: string, choice: Choice, signal?: AbortSignal) =>
  get<Figure>(`/jobs/${encodeURIComponent(job)}/plot`, query(choice), signal);

export const pictureAddress = (job: string, as: 'svg' | 'png', choice: Choice) =>
  address(`/jobs/${encodeURIComponent(job)}/plot.${as}`, query(choice));

const TITLES: Record<string, string> = {
  time_s: 'Time', energy_j: 'Energy', expected_time_s: 'Expected time with restarts', failure_probability: 'Failure probability',
  cost: 'Cost', price: 'Price', power_mean_w: 'Mean power', p: 'Processes p', speedup: 'Speedup', efficiency: 'Efficiency', real: 'Measured', simulated: 'Predicted',
};

/** `failure_probability` as people say it. */
export function titleOf(name: string): string {
  return TITLES[name] ?? name;
}

const UNITS: Record<string, string> = { s: 's', j: 'J', w: 'W', bytes: 'B', bytes_per_s: 'B/s', flops: 'flop/s', pct: '%' };
const ENDING = /_(bytes_per_s|bytes|flops|pct|s|j|w)$/;

/** The unit that a name ends in; '' where it ends in none. */
export const unitOf = (name: string) => UNITS[ENDING.exec(name)?.[1] ?? ''] ?? '';
/** The name without it. */
export const baseOf = (name: string) => name.replace(ENDING, '');
/** A field of a document: `best_speedup`, `train.rows`, `latency_s` as words. */
export const wordsOf = (name: string) => TITLES[name] ?? baseOf(name).replaceAll(/[._]/g, ' ').replace(/^./, (letter) => letter.toUpperCase());

/** A value of a metric with its unit. */
export function written(value: number, unit: string): string {
  if (unit === 's') return seconds(value);
  if (unit === '%') return `${number(value, 4)} %`;
  if (unit) return quantity(value, unit, 4);
  return number(value, 4);
}

/** Never kiloseconds. */
function seconds(value: number): string {
  return Math.abs(value) < 1 ? quantity(value, 's', 4) : `${number(value, 5)} s`;
}

export function axisOf(axis: Figure['x'], log: boolean): Axis {
  return { label: titleOf(axis.name), log, text: (value) => written(value, axis.unit) };
}

/** A figure's curves as series of a plot; with `name`, those of one job among several. */
export function seriesOf(of: Figure, name = ''): Series<FigurePoint & Point>[] {
  return of.series.map((curve) => ({
    name: [name, curve.name].filter(Boolean).join(': '),
    points: curve.points,
  }));
}

/** The front of a `sim optimize` document as a figure: its numbers as they are, one metric across and one up. */
export function frontFigure(answer: Record<string, unknown>, x: string, y: string): Figure {
  const rows = (Array.isArray(answer.front) ? answer.front : []) as Record<string, unknown>[];
  const units: Record<string, string> = { time_s: 's', energy_j: 'J', expected_time_s: 's', power_mean_w: 'W' };
  const metrics = ['time_s', 'energy_j', 'failure_probability', 'expected_time_s', 'cost', 'price', 'power_mean_w'].filter((name) => rows.some((row) => typeof row[name] === 'number'));
  const across = metrics.includes(x) ? x : (metrics[0] ?? 'time_s');
  const up = metrics.includes(y) ? y : (metrics.find((name) => name !== across) ?? 'energy_j');
  const points = rows.flatMap((row): FigurePoint[] => {
    if (typeof row[across] !== 'number' || typeof row[up] !== 'number') return [];
    const at: Record<string, string> = {};
    for (const [name, value] of Object.entries((row.params ?? {}) as Record<string, unknown>)) at[name] = String(value);
    for (const [name, value] of Object.entries((row.hardware ?? {}) as Record<string, unknown>)) at[`hardware.${name}`] = String(value);
    return [{ x: row[across], y: row[up], rows: 1, front: true, at }];
  });
  return {
    kind: 'pareto', x: { name: across, unit: units[across] ?? '' }, y: { name: up, unit: units[up] ?? '' }, metric: null, by: [],
    series: [{ name: 'front', base: null, points }], columns: { parameters: [], metrics, labels: [] },
  };
}
