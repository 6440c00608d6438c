/** What the page of comparisons shows: differences of results, rows worst first, lines over one another. */
import type { Job } from '$lib/api';
import type { Point, Series } from '../plot/data';
import { commandOf } from './argv';

export interface CompareDocument {
  metric: string;
  unit: string;
  level: number;
  parameters: string[];
  configurations: {
    at: Record<string, number>;
    group: Record<string, string>;
    measured: { value: number; low: number; high: number; runs: number } | null;
    forecasts: { input: string; method: string; model: string; value: number | null; low: number | null; high: number | null; error_pct: number | null; seen: boolean }[];
  }[];
  inputs: { input: string; model?: string; asked: number; answered: number; mean_error_pct?: number | null; max_error_pct?: number | null }[];
  warnings: { code: string; message: string }[];
}

export interface Pair {
  at: Record<string, unknown>;
  input: string;
  model: string;
  measured: number | null;
  value: number | null;
  low: number | null;
  high: number | null;
  d: number | null;
  seen: boolean;
}

/** Every forecast with its runs: the largest error first, what has no runs last. */
export function pairs(document: CompareDocument): Pair[] {
  const all = document.configurations.flatMap((one) => one.forecasts.map((forecast): Pair => ({
    at: { ...one.at, ...one.group }, input: forecast.input, model: forecast.model === forecast.input ? '' : forecast.model,
    measured: one.measured?.value ?? null, value: forecast.value, low: forecast.low, high: forecast.high,
    d: forecast.error_pct === null ? null : Math.abs(forecast.error_pct), seen: forecast.seen,
  })));
  return all.sort((a, b) => (b.d ?? -1) - (a.d ?? -1));
}

/** Runs and forecasts over the parameter with the most values; none where only one varies not at all. */
export function overlay(document: CompareDocument): { x: string; series: Series<Point>[]; log: boolean } | null {
  const values = (name: string) => new Set(document.configurations.map((one) => one.at[name])).size;
  const x = [...document.parameters].sort((a, b) => values(b) - values(a))[0];
  if (x === undefined || values(x) < 2) return null;
  const rest = (one: CompareDocument['configurations'][number]) => Object.entries({ ...one.at, ...one.group }).filter(([name]) => name !== x && values(name) !== 1).map(([name, value]) => `${name} = ${value}`).join(', ');
  const lines = new Map<string, Point[]>();
  const put = (name: string, point: Point) => {
    const line = lines.get(name);
    if (line) line.push(point);
    else lines.set(name, [point]);
  };
  for (const one of document.configurations) {
    const at = one.at[x];
    if (at === undefined) continue;
    const tail = rest(one) ? `, ${rest(one)}` : '';
    if (one.measured) put(`Measured${tail}`, { x: at, y: one.measured.value });
    for (const forecast of one.forecasts) {
      if (forecast.value !== null) put(`${forecast.input}${forecast.model && forecast.model !== forecast.input ? ` / ${forecast.model}` : ''}${tail}`, { x: at, y: forecast.value, low: forecast.low, high: forecast.high });
    }
  }
  const series = [...lines].slice(0, 40).map(([name, points]): Series<Point> => ({ name, points: points.sort((a, b) => a.x - b.x), ...(name.startsWith('Measured') ? { join: 'none' as const } : {}) }));
  const xs = [...lines.values()].flat().map((point) => point.x);
  return { x, series, log: Math.min(...xs) > 0 && Math.max(...xs) / Math.min(...xs) >= 8 };
}

/** What results are called, each otherwise. */
export function labels(jobs: Job[]): string[] {
  const shared = jobs[0]?.argv.filter((word) => jobs.every((job) => job.argv.includes(word))) ?? [];
  const own = jobs.map((job) => (job.title || job.argv.filter((word) => !shared.includes(word)).join(' ') || commandOf(job.argv)).slice(0, 50));
  return own.map((name, index) => (own.indexOf(name) === index && own.lastIndexOf(name) === index ? name : `${name} #${index + 1}`));
}

/** Words of the command lines and versions of files that not all results share. */
export function differences(jobs: Job[]): { name: string; values: string[] }[] {
  if (jobs.length < 2) return [];
  const told = jobs.map((job) => {
    const facts = new Map<string, string>([['command', commandOf(job.argv)]]);
    const rest = job.argv.slice(commandOf(job.argv).split(' ').length);
    const bare: string[] = [];
    for (let index = 0; index < rest.length; index += 1) {
      const word = rest[index]!;
      if (!word.startsWith('-')) {
        bare.push(word);
        continue;
      }
      const sign = word.startsWith('--') ? word.indexOf('=') : -1;
      const value = sign > 0 ? word.slice(sign + 1) : rest[index + 1] && !rest[index + 1]!.startsWith('-') ? rest[(index += 1)]! : 'yes';
      const option = sign > 0 ? word.slice(0, sign) : word;
      // `--set p=8` says what p is: a row of its own.
      const pair = /^([\w.]+)=(.*)$/.exec(value);
      const key = pair && ['--set', '--vary', '--hardware', '--use'].includes(option) ? `${option.slice(2)} ${pair[1]}` : option;
      facts.set(key, facts.has(key) ? `${facts.get(key)}, ${pair && key !== option ? pair[2] : value}` : pair && key !== option ? pair[2]! : value);
    }
    facts.set('files', bare.join(' '));
    for (const file of job.files) facts.set(file.path, `version ${file.version}`);
    facts.set('state', job.state);
    return facts;
  });
  const names = [...new Set(told.flatMap((facts) => [...facts.keys()]))];
  return names.map((name) => ({ name, values: told.map((facts) => facts.get(name) ?? '') })).filter((row) => new Set(row.values).size > 1);
}
