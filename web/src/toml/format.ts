/** Values as TOML text. */

/** Text that is put in as it stands, such as a value copied from another file. */
export class Raw {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export type Toml = string | number | boolean | Raw | Toml[] | { [key: string]: Toml };

export const isTable = (value: unknown): value is Record<string, Toml> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Raw);

/** A key, quoted where it must be. */
export function formatKey(key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : formatString(key);
}

export function formatString(text: string): string {
  const whole = text.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd');
  return JSON.stringify(whole).replace(/\u007f/g, '\\u007f');
}

function formatNumber(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  if (Number.isInteger(value) && Math.abs(value) <= Number.MAX_SAFE_INTEGER) return Object.is(value, -0) ? '-0.0' : String(value);
  return String(value);
}

/** A value on one line. */
export function format(value: Toml): string {
  if (value instanceof Raw) return value.text;
  if (typeof value === 'string') return formatString(value);
  if (typeof value === 'number') return formatNumber(value);
  if (typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return `[${value.map(format).join(', ')}]`;
  const pairs = Object.entries(value).map(([key, inner]) => `${formatKey(key)} = ${format(inner)}`);
  return pairs.length ? `{ ${pairs.join(', ')} }` : '{}';
}
