/** The long table of a result: how it is looked at first, and what matters in it. */
import { get } from '$lib/api';

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

export const schema = (job: string, signal?: AbortSignal) => get<Schema>(path(job, 'schema'), {}, signal);

export const importance = (job: string, metric?: string, signal?: AbortSignal) =>
  get<Importance>(path(job, 'importance'), metric ? { metric } : {}, signal);
