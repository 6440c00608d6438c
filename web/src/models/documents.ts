/** The documents of `fit`, `predict`, `evaluate`, `advise` and `import`, as far as the pages show them. */
import { quantity, number } from '$lib/format';

export type Values = Record<string, number | string>;
export interface Warning { code: string; message: string }

export interface FittedModel {
  group: Values;
  metric: string;
  unit: string | null;
  direction: string;
  model: string;
  formula: string | null;
  class: string | null;
  points: number;
  repetitions: number;
  range: Record<string, [number, number]>;
  members: { model: string; formula: string | null }[];
  warnings: (string | Warning)[];
  quality: {
    smape_pct: number | null; validation_smape_pct: number | null; median_error_pct: number | null;
    max_error_pct: number | null; r2: number | null; noise_pct: number | null;
  };
  training: { process_parameter: string | null; points: { at: Values; values: number[] }[] } | null;
}

export interface FitDocument {
  kind: string;
  table: { files: string[]; rows: number; configurations: number; parameters: string[] };
  warnings: Warning[];
  failed: { model: string; metric?: string; group?: Values; message?: string; reason?: string; code?: string }[];
  models: FittedModel[];
}

export interface Prediction {
  group: Values;
  metric: string;
  unit: string | null;
  model: string;
  at: Values;
  value: number | null;
  low: number | null;
  high: number | null;
  level: number;
  interval: string | null;
  extrapolates: boolean;
  distance: Record<string, number>;
  horizon: number | null;
  verdict: string;
  warnings: string[];
}
export interface PredictDocument { kind: string; level: number; warnings: Warning[]; predictions: Prediction[] }

export interface EvaluateDocument {
  kind: string;
  warnings: Warning[];
  models: {
    model: string; count: number; failed: number; mean_error_pct: number | null; median_error_pct: number | null;
    p90_error_pct: number | null; max_error_pct: number | null; smape_pct: number | null; bias_factor: number | null;
    coverage_pct: number | null;
  }[];
  points: {
    model: string; group: Values; metric: string; unit: string | null; at: Values; measured: number | null; predicted: number | null;
    error_pct: number | null; low: number | null; high: number | null; covered: boolean | null;
  }[];
}

export interface Choice {
  p: number; at: Values; time_s: number; low_s: number | null; high_s: number | null; speedup: number | null;
  efficiency: number | null; core_hours: number | null; verdict: string;
}
export interface ProcessesDocument {
  kind: string; objective: string; recommended: Choice | null; near_best_p: number | null; safe_p: number | null;
  choices: Choice[]; warnings: Warning[];
}
export interface Candidate { at: Values; cost_core_hours: number | null; factor_after: number | null; gain_per_core_hour: number | null }
export interface NextDocument {
  kind: string; target: Values; factor_now: number | null; candidates: Candidate[]; chosen: Candidate[];
  factor_after_chosen: number | null; warnings: Warning[];
}

export interface ImportDocument {
  kind: string;
  warnings: Warning[];
  files: { file: string; format: string; rows: number }[];
  rows: number;
  columns: string[];
  parameters: string[];
  labels: string[];
  metrics: { name: string; unit: string | null }[];
}

export const at = (values: Values): string => Object.entries(values).map(([name, value]) => `${name} = ${value}`).join(', ');
export const option = (values: Values): string => Object.entries(values).map(([name, value]) => `${name}=${value}`).join(',');
export const percent = (value: number | null | undefined): string => (value === null || value === undefined ? '–' : value !== 0 && Math.abs(value) < 1e-3 ? '< 0.001 %' : `${number(value, 3)} %`);
/** Seconds with all their digits: never minutes or hours. */
export const seconds = (value: number | null | undefined): string =>
  value === null || value === undefined ? '–' : Math.abs(value) < 1 ? quantity(value, 's', 4) : `${number(value, 5)} s`;
export const measure = (value: number | null | undefined, unit: string | null | undefined): string =>
  value === null || value === undefined ? '–' : unit === 's' ? seconds(value) : unit ? quantity(value, unit, 4) : number(value, 4);

/** How far outside of what was measured: the largest factor of a parameter, by name. */
export function beyond(one: Pick<Prediction, 'distance' | 'extrapolates'>): string {
  if (!one.extrapolates) return '';
  const far = Object.entries(one.distance).filter(([, factor]) => factor !== 1);
  return far.map(([name, factor]) => `${name} ${number(factor, 3)}×`).join(', ') || 'beyond';
}

/** A table of configurations, for `--targets`. */
export function targets(rows: Values[]): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cell = (value: number | string | undefined) => {
    const text = String(value ?? '');
    return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [names.join(','), ...rows.map((row) => names.map((name) => cell(row[name])).join(','))].join('\n') + '\n';
}

/** Values of an axis: whole numbers for processes, evenly on a logarithmic axis where the range is wide. */
export function axisValues(low: number, high: number, whole: boolean, count = 24): number[] {
  const wide = low > 0 && high / low > 4;
  const values = Array.from({ length: count }, (_, index) => {
    const share = index / (count - 1);
    const value = wide ? low * (high / low) ** share : low + (high - low) * share;
    return whole ? Math.round(value) : Number(value.toPrecision(8));
  });
  return [...new Set(values)];
}

/** Names of models as the program knows them, with what each is for. */
export const MODELS: { value: string; label: string }[] = [
  { value: '', label: 'Recommended (auto)' },
  { value: 'all', label: 'All that apply, side by side' },
  { value: 'power', label: 'power: a*p^b, large runs count most' },
  { value: 'pmnf-pt', label: 'pmnf-pt: pmnf on p*T' },
  { value: 'pmnf', label: 'pmnf: a constant and one term' },
  { value: 'segmented', label: 'segmented: two pmnf with a change between' },
  { value: 'weak', label: 'weak: log p, log N and their product' },
  { value: 'mokrov', label: 'mokrov: the same without intercept' },
  { value: 'barnes-linear', label: 'barnes-linear' },
  { value: 'barnes-quadratic', label: 'barnes-quadratic' },
  { value: 'ka-strong', label: 'ka-strong: a*p + b/p + c/sqrt(p)' },
  { value: 'ka-wide', label: 'ka-wide: over the problem size' },
  { value: 'ka-chain', label: 'ka-chain: ka-strong, then ka-wide' },
  { value: 'amdahl', label: 'amdahl: a sequential share, strong scaling' },
  { value: 'gustafson', label: 'gustafson: a sequential share, weak scaling' },
  { value: 'usl', label: 'usl: contention and coherency' },
  { value: 'mean', label: 'mean: the constant' },
  { value: 'formula', label: 'formula: your own terms' },
];
