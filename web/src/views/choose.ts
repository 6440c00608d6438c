/** Which views a result can have, and why another cannot be drawn. */
import type { Schema } from '../results/long';

export type ViewName = 'line' | 'scatter' | 'heatmap' | 'parallel' | 'dots';

export const VIEWS: { name: ViewName; label: string }[] = [
  { name: 'line', label: 'Lines' }, { name: 'scatter', label: 'Points' }, { name: 'heatmap', label: 'Heatmap' },
  { name: 'parallel', label: 'Parallel axes' }, { name: 'dots', label: 'Dots by name' },
];

export type SchemaColumn = Schema['columns'][number];

const isNumber = (column: SchemaColumn) => column.type === 'f8';
/** What a configuration is made of: what varies, but no metric. */
export const inputs = (schema: Schema) => schema.columns.filter((column) => ['processes', 'parameter', 'label'].includes(column.role));
export const metrics = (schema: Schema) => schema.columns.filter((column) => column.role === 'metric' && isNumber(column) && column.min !== null);
export const varying = (schema: Schema) => inputs(schema).filter((column) => column.distinct > 1);

/** Why a view cannot be drawn; '' where it can. */
export function refusal(view: ViewName, schema: Schema): string {
  const vary = varying(schema);
  const numbers = vary.filter(isNumber);
  if (!metrics(schema).length) return 'no column is a metric';
  if (view === 'line' && !numbers.length) return 'no number varies';
  if (view === 'scatter' && numbers.length + metrics(schema).length < 2) return 'there is one number only';
  if (view === 'heatmap' && numbers.length < 2) return 'two numbers must vary';
  if (view === 'parallel' && vary.length + metrics(schema).length < 2) return 'there is one column only';
  if (view === 'dots' && !vary.some((column) => !isNumber(column))) return 'no text varies';
  return '';
}

/** Columns that an axis or a color may have, each with its number of values; those that cannot be say why. */
export function offers(schema: Schema, what: 'x' | 'y' | 'up' | 'color' | 'column' | 'row', view: ViewName): { value: string; label: string; disabled?: boolean }[] {
  const counted = (column: SchemaColumn, why = '') => ({ value: column.name, label: `${column.name} (${why || `${column.distinct} values`})`, disabled: why !== '' });
  if (what === 'y') return metrics(schema).map((column) => ({ value: column.name, label: column.unit ? `${column.name} (${column.unit})` : column.name }));
  if (what === 'x' && view === 'scatter') return [...varying(schema), ...metrics(schema)].filter(isNumber).map((column) => counted(column));
  if (what === 'x' && view === 'dots') return varying(schema).filter((column) => !isNumber(column)).map((column) => counted(column));
  if (what === 'x' || what === 'up') return varying(schema).filter(isNumber).map((column) => counted(column));
  const most = what === 'color' ? 200 : what === 'column' ? 6 : 4;
  return [{ value: '', label: 'none' }, ...varying(schema).map((column) => counted(column, column.distinct > most ? `${column.distinct} values, ${most} at most` : ''))];
}

/** What a line does, in words: `falls from 20.8 s at p = 1 to 0.55 s at 512`. */
export function course(points: { x: number; y: number }[], x: string, text: (value: number) => string): string {
  const sorted = points.filter((point) => Number.isFinite(point.x) && Number.isFinite(point.y)).sort((a, b) => a.x - b.x);
  const [first, last] = [sorted[0], sorted.at(-1)];
  if (!first || !last || first.x === last.x) return '';
  const least = sorted.reduce((best, point) => (point.y < best.y ? point : best));
  if (least.y < first.y && least.y < last.y) return `falls from ${text(first.y)} at ${x} = ${first.x} to ${text(least.y)} at ${least.x}, then rises to ${text(last.y)} at ${last.x}`;
  const verb = last.y < first.y ? 'falls' : last.y > first.y ? 'rises' : 'stays';
  return verb === 'stays' ? `stays at ${text(first.y)}` : `${verb} from ${text(first.y)} at ${x} = ${first.x} to ${text(last.y)} at ${last.x}`;
}
