/** What is chosen of a result: ranges of columns, in the address as `p=2..8,n=100..200`, as a filter `p >= 2 and p <= 8`. */
import type { Frame } from './columns';

/** Of each column its range, or the one word of a text. */
export type Selection = Map<string, [number, number] | string>;

export function read(text: string): Selection {
  const found: Selection = new Map();
  for (const part of text.split(',')) {
    const sign = part.indexOf('=');
    if (sign < 1) continue;
    const name = decode(part.slice(0, sign));
    const value = part.slice(sign + 1);
    const ends = /^(-?[\d.eE+-]+)\.\.(-?[\d.eE+-]+)$/.exec(value);
    if (ends && Number.isFinite(Number(ends[1])) && Number.isFinite(Number(ends[2]))) found.set(name, [Number(ends[1]), Number(ends[2])]);
    else if (value) found.set(name, decode(value));
  }
  return found;
}

export function write(selection: Selection): string {
  const range = (value: [number, number] | string) => (typeof value === 'string' ? encode(value) : `${value[0]}..${value[1]}`);
  return [...selection].map(([name, value]) => `${encode(name)}=${range(value)}`).join(',');
}

const encode = (text: string) => encodeURIComponent(text).replace(/\./g, '%2E');

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** As a formula that the server filters by. */
export function formula(selection: Selection): string {
  return [...selection].map(([name, value]) => {
    if (typeof value === 'string') return `${name} == "${value.replace(/(["\\])/g, '\\$1')}"`;
    return value[0] === value[1] ? `${name} == ${value[0]}` : `${name} >= ${value[0]} and ${name} <= ${value[1]}`;
  }).join(' and ');
}

/** Joins filters. */
export function both(one: string, other: string): string {
  if (!one.trim() || !other.trim()) return one.trim() || other.trim();
  return `${/\bor\b/.test(one) ? `(${one})` : one} and ${other}`;
}

/** Whether a row is chosen; all are where nothing is. */
export function holds(selection: Selection, frame: Frame): (row: number) => boolean {
  const tests = [...selection].flatMap(([name, value]) => {
    const column = frame.get(name);
    if (!column) return [];
    if (typeof value === 'string') {
      const place = column.words?.indexOf(value) ?? -1;
      return [(row: number) => column.values[row] === place];
    }
    return [(row: number) => column.values[row]! >= value[0] && column.values[row]! <= value[1]];
  });
  return (row) => tests.every((test) => test(row));
}

/** A number with as many digits as tell it apart at this size of a picture. */
export const short = (value: number) => Number(value.toPrecision(4));
