/** What `record show` tells, as far as the pages show it. */
import type { Warning } from '../models/documents';

export interface Shown {
  recordings: Recording[];
  forecast: { p: number; factors: Record<string, Factor>; time_s: number; time_low_s: number; time_high_s: number }[];
  warnings: Warning[];
}

export interface Recording {
  path: string;
  p: number;
  program: string;
  mpi: string;
  partial: boolean;
  time_s: number;
  basis: string;
  factors: Record<string, number | null>;
  sites: { site: number; where: string; call: string; calls: number; bytes: number; block_time_s: number; call_time_s: number; share: number }[];
  matrix: Sent | null;
  limits: string | null;
}

/** Bytes from groups of ranks to groups of ranks; `ranks` has the first of each. */
export interface Sent {
  ranks: number[];
  bytes: number[][];
}

interface Factor {
  value: number;
  low: number;
  high: number;
}

/** A row for each factor that some recording has. */
export function factorsOf(shown: Shown) {
  const names = Object.keys(shown.recordings[0]?.factors ?? {});
  return names
    .map((name) => ({
      name,
      label: (name[0]!.toUpperCase() + name.slice(1)).replaceAll('_', ' ').replace('Ipc', 'Instructions a cycle:'),
      values: shown.recordings.map((one) => one.factors[name] ?? null),
      ahead: shown.forecast.map((one) => one.factors[name] ?? null),
    }))
    .filter((row) => row.values.some((value) => value !== null));
}

/** Shares from 0 to 1 for colors: by the logarithm, for a few pairs mostly send nearly all. */
export function shade(bytes: number, most: number): number {
  return bytes <= 0 || most <= 0 ? 0 : 0.15 + (0.85 * Math.log1p(bytes)) / Math.log1p(most);
}
