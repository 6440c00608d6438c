/** Quantities with units, as the formula crate reads them: SI base units inside. */

/** Exponents of second, byte, operation, joule. */
export type Powers = readonly [time: number, bytes: number, operations: number, energy: number];
export const NONE: Powers = [0, 0, 0, 0];

const SMALL: Record<string, number> = { m: -3, u: -6, 'µ': -6, 'μ': -6, n: -9, p: -12, f: -15 };
const LARGE: Record<string, number> = { k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
const BINARY: Record<string, number> = { Ki: 1, Mi: 2, Gi: 3, Ti: 4, Pi: 5, Ei: 6 };

const UNITS: Record<string, { scale: number; powers: Powers; prefixes: ('small' | 'large' | 'binary')[] }> = {
  s: { scale: 1, powers: [1, 0, 0, 0], prefixes: ['small'] },
  min: { scale: 60, powers: [1, 0, 0, 0], prefixes: [] },
  h: { scale: 3600, powers: [1, 0, 0, 0], prefixes: [] },
  d: { scale: 86_400, powers: [1, 0, 0, 0], prefixes: [] },
  y: { scale: 8760 * 3600, powers: [1, 0, 0, 0], prefixes: [] },
  B: { scale: 1, powers: [0, 1, 0, 0], prefixes: ['large', 'binary'] },
  bit: { scale: 0.125, powers: [0, 1, 0, 0], prefixes: ['large', 'binary'] },
  flop: { scale: 1, powers: [0, 0, 1, 0], prefixes: ['large'] },
  op: { scale: 1, powers: [0, 0, 1, 0], prefixes: ['large'] },
  TEPS: { scale: 1, powers: [-1, 0, 1, 0], prefixes: ['large'] },
  iops: { scale: 1, powers: [-1, 0, 1, 0], prefixes: ['large'] },
  Hz: { scale: 1, powers: [-1, 0, 0, 0], prefixes: ['large'] },
  J: { scale: 1, powers: [0, 0, 0, 1], prefixes: ['small', 'large'] },
  Wh: { scale: 3600, powers: [0, 0, 0, 1], prefixes: ['small', 'large'] },
  W: { scale: 1, powers: [-1, 0, 0, 1], prefixes: ['small', 'large'] },
  '%': { scale: 0.01, powers: NONE, prefixes: [] },
};

interface Found {
  scale: number;
  /** Power of ten that belongs into the exponent of the number. */
  ten: number;
  powers: Powers;
}

function symbol(text: string): Found | null {
  const own = UNITS[text];
  if (own) return { scale: own.scale, ten: 0, powers: own.powers };
  for (const [name, unit] of Object.entries(UNITS)) {
    if (!text.endsWith(name)) continue;
    const prefix = text.slice(0, -name.length);
    for (const group of unit.prefixes) {
      if (group === 'binary' && prefix in BINARY) return { scale: unit.scale * 1024 ** BINARY[prefix]!, ten: 0, powers: unit.powers };
      const table = group === 'small' ? SMALL : group === 'large' ? LARGE : {};
      if (prefix in table) return { scale: unit.scale, ten: table[prefix]!, powers: unit.powers };
    }
  }
  return null;
}

export interface Quantity {
  value: number;
  powers: Powers;
  hasUnit: boolean;
}

const SHAPE = /^([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*(.*)$/s;

/** Null: not a number with a unit that is known. */
export function parseQuantity(text: string): Quantity | null {
  const match = SHAPE.exec(text.trim());
  if (!match) return null;
  const unit = match[2]!.trim();
  let powers: Powers = NONE;
  let scale = 1;
  let ten = 0;
  let divisor = 1;
  if (unit !== '') {
    const [first, ...rest] = unit.split('/').map((part) => part.trim());
    if (!((first === '' || first === '1') && rest.length > 0)) {
      const found = symbol(first!);
      if (!found) return null;
      ({ scale, ten, powers } = found);
    }
    for (const part of rest) {
      const found = symbol(part);
      if (!found || found.powers === NONE) return null;
      divisor *= found.scale * 10 ** found.ten;
      powers = powers.map((power, index) => power - found.powers[index]!) as unknown as Powers;
    }
  }
  const number = match[1]!;
  // A decimal prefix goes into the exponent: one rounding.
  const [digits, exponent = '0'] = number.split(/e/i);
  const scaled = ten === 0 ? Number(number) : Number(`${digits}e${Number(exponent) + ten}`);
  const value = (scaled * scale) / divisor;
  return Number.isFinite(value) ? { value, powers, hasUnit: unit !== '' } : null;
}

export const samePowers = (a: Powers, b: Powers) => a.every((power, index) => power === b[index]);

/** `B/s`, `s`, `W`; empty for a number without unit. */
export function unitOf(powers: Powers): string {
  const named: [string, Powers][] = [
    ['', NONE], ['W', [-1, 0, 0, 1]], ['Hz', [-1, 0, 0, 0]], ['B/s', [-1, 1, 0, 0]], ['flop/s', [-1, 0, 1, 0]],
    ['s/B', [1, -1, 0, 0]], ['s/op', [1, 0, -1, 0]], ['J/B', [0, -1, 0, 1]], ['J/op', [0, 0, -1, 1]],
  ];
  const known = named.find(([, of]) => samePowers(of, powers));
  if (known) return known[0];
  const names = ['s', 'B', 'op', 'J'];
  const term = (index: number, power: number) => (power === 1 ? names[index]! : `${names[index]}^${power}`);
  const above = powers.flatMap((power, index) => (power > 0 ? [term(index, power)] : []));
  const below = powers.flatMap((power, index) => (power < 0 ? [term(index, -power)] : []));
  return `${above.join('*') || '1'}${below.map((one) => `/${one}`).join('')}`;
}

const STEPS: [number, string][] = [[1e18, 'E'], [1e15, 'P'], [1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e3, 'k'], [1, '']];
const TINY: [number, string][] = [[1, ''], [1e-3, 'm'], [1e-6, 'u'], [1e-9, 'n'], [1e-12, 'p']];
const LONG: [number, number, string][] = [[1000 * 86_400, 8760 * 3600, 'y'], [100 * 3600, 86_400, 'd'], [6000, 3600, 'h'], [1000, 60, 'min']];

/** A value in SI base units, short and readable back: `54.48 Gflop/s`. */
export function formatQuantity(value: number | null | undefined, unit: string, digits = 4): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–';
  const round = Number(value.toPrecision(digits));
  const size = Math.abs(round);
  let factor = 1;
  let shown = unit;
  const first = unit.split('/')[0]!;
  const long = unit === 's' ? LONG.find(([from]) => size >= from) : undefined;
  if (long) [, factor, shown] = long;
  else if (['B', 'flop', 'op', 'TEPS', 'Hz', 'J', 'W'].includes(first) && size >= 1e3) {
    const [by, prefix] = STEPS.find(([step]) => size >= step)!;
    [factor, shown] = [by, prefix + unit];
  } else if (['s', 'J', 'W'].includes(first) && size < 1 && size > 0) {
    const [by, prefix] = TINY.find(([step]) => size >= step) ?? TINY[TINY.length - 1]!;
    [factor, shown] = [by, prefix + unit];
  }
  const scaled = Number((value / factor).toPrecision(digits));
  const number = scaled !== 0 && (Math.abs(scaled) >= 1e7 || Math.abs(scaled) < 1e-4) ? scaled.toExponential().replace('e+', 'e') : String(scaled);
  return shown === '' ? number : `${number} ${shown}`;
}
