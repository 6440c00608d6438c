/** Numbers, times and sizes for people. */

export function count(value: number | null | undefined): string {
  return value === null || value === undefined ? '–' : value.toLocaleString('en-US');
}

export function bytes(value: number): string {
  if (value < 1024) return `${value} B`;
  const units = ['KiB', 'MiB', 'GiB', 'TiB'];
  let scaled = value;
  let unit = -1;
  while (scaled >= 1024 && unit < units.length - 1) {
    scaled /= 1024;
    unit += 1;
  }
  return `${scaled < 10 ? scaled.toFixed(1) : Math.round(scaled)} ${units[unit]}`;
}

/** A number with about `digits` significant digits, as an engineer writes it. */
export function number(value: number | null | undefined, digits = 4): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–';
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-3) return value.toExponential(digits - 1).replace(/\.?0+e/, 'e').replace('e+', 'e');
  return String(Number(value.toPrecision(digits)));
}

const SI: [number, string][] = [
  [1e18, 'E'], [1e15, 'P'], [1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e3, 'k'], [1, ''],
  [1e-3, 'm'], [1e-6, 'µ'], [1e-9, 'n'], [1e-12, 'p'],
];

/** A value in an SI base unit with a prefix: `quantity(2.6e9, 'Hz')` is `2.6 GHz`. */
export function quantity(value: number | null | undefined, unit: string, digits = 4): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–';
  if (value === 0) return `0 ${unit}`;
  const [factor, prefix] = SI.find(([least]) => Math.abs(value) >= least * 0.9999999) ?? SI[SI.length - 1]!;
  return `${Number((value / factor).toPrecision(digits))} ${prefix}${unit}`;
}

export function seconds(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–';
  if (value < 60) return quantity(value, 's', 3);
  if (value < 3600) return `${Math.floor(value / 60)} min ${Math.round(value % 60)} s`;
  if (value < 86_400) return `${Math.floor(value / 3600)} h ${Math.round((value % 3600) / 60)} min`;
  return `${(value / 86_400).toFixed(1)} d`;
}

/** The time of day and the date in this place; the title of the element may hold the exact one. */
export function when(time: string | null | undefined): string {
  if (!time) return '–';
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return time;
  const today = new Date().toDateString() === date.toDateString();
  return today
    ? date.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })
    : date.toLocaleString([], { year: 'numeric', month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' });
}

export function ago(time: string | null | undefined, now = Date.now()): string {
  if (!time) return '–';
  const past = (now - new Date(time).getTime()) / 1000;
  if (!Number.isFinite(past)) return time;
  if (past < 45) return 'just now';
  if (past < 3600) return `${Math.max(1, Math.round(past / 60))} min ago`;
  if (past < 86_400) return `${Math.round(past / 3600)} h ago`;
  if (past < 30 * 86_400) return `${Math.round(past / 86_400)} d ago`;
  return when(time);
}

/** The files of a template: their names mean nothing without their folder. */
const SAME_EVERYWHERE = new Set(['app', 'system', 'experiment', 'costs']);

/** The last segment of a path without its ending; `heat/app` for a file that its folder distinguishes. */
export function stem(path: string): string {
  const parts = path.split('/');
  const name = parts.at(-1)!.replace(/\.view\.json$|\.[^.]+$/, '');
  return parts.length > 1 && SAME_EVERYWHERE.has(name) ? `${parts.at(-2)}/${name}` : name;
}
