/**
 * Columns as the server sends them: `RCT1`, the length of a header, the header as JSON, arrays at multiples of 8.
 * Nothing in the header is believed before it is checked: a wrong one throws.
 */
export interface Column {
  name: string;
  /** Numbers, NaN where there is none; or places in `words`. */
  values: Float64Array | Uint32Array;
  /** Of a column of texts. */
  words: string[] | null;
}

export class Frame {
  readonly rows: number;
  readonly columns: Map<string, Column>;

  constructor(rows: number, columns: Column[]) {
    this.rows = rows;
    this.columns = new Map(columns.map((column) => [column.name, column]));
  }

  get(name: string | null | undefined): Column | undefined {
    return name ? this.columns.get(name) : undefined;
  }

  /** A number that distinguishes values: the number itself, the place of a text. */
  number(name: string, row: number): number {
    return this.columns.get(name)?.values[row] ?? NaN;
  }

  text(name: string, row: number): string {
    const column = this.columns.get(name);
    const value = column?.values[row];
    if (column === undefined || value === undefined) return '';
    if (column.words) return column.words[value] ?? '';
    return Number.isNaN(value) ? '' : String(value);
  }

  /** Distinct values among these rows, numbers by size, texts in their order. */
  distinct(name: string, rows: ArrayLike<number>, most = 1_000): number[] {
    const seen = new Set<number>();
    const column = this.columns.get(name);
    if (!column) return [];
    for (let at = 0; at < rows.length && seen.size <= most; at += 1) {
      const value = column.values[rows[at]!]!;
      if (!Number.isNaN(value)) seen.add(value);
    }
    return [...seen].sort((a, b) => a - b);
  }

  /** How a value of a column is written. */
  word(name: string, value: number): string {
    const words = this.columns.get(name)?.words;
    return words ? (words[value] ?? '') : String(value);
  }
}

const MAGIC = [0x52, 0x43, 0x54, 0x31];

/** Reads what `/results/{id}/data?format=columns` answers. */
export function decode(bytes: ArrayBuffer): Frame {
  const refuse = (why: string): never => {
    throw new Error(`The columns cannot be read: ${why}`);
  };
  const view = new DataView(bytes);
  if (bytes.byteLength < 8 || MAGIC.some((byte, at) => view.getUint8(at) !== byte)) refuse('they begin otherwise');
  const length = view.getUint32(4, true);
  if (length > bytes.byteLength - 8) refuse('the header is longer than all of it');
  const header = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(new Uint8Array(bytes, 8, length))) as Record<string, unknown>;
  const rows = header.rows;
  if (typeof rows !== 'number' || !Number.isInteger(rows) || rows < 0 || rows > 2_000_000) return refuse('a number of rows is missing');
  if (!Array.isArray(header.columns) || header.columns.length > 10_000) return refuse('a list of columns is missing');
  const names = new Set<string>();
  const columns = (header.columns as Record<string, unknown>[]).map((told): Column => {
    const { name, type, offset, words } = told ?? {};
    if (typeof name !== 'string' || names.has(name)) return refuse('a column without a name of its own');
    names.add(name);
    const size = type === 'f8' ? 8 : type === 'dict' ? 4 : refuse(`no such type: ${String(type)}`);
    if (typeof offset !== 'number' || !Number.isInteger(offset) || offset < 0 || offset % 8 !== 0 || told.bytes !== rows * size) return refuse(`the place of ${name}`);
    if (offset + rows * size > bytes.byteLength) return refuse(`${name} ends beyond the end`);
    if (size === 8) return { name, values: new Float64Array(bytes, offset, rows), words: null };
    const values = new Uint32Array(bytes, offset, rows);
    if (!Array.isArray(words) || !words.every((word) => typeof word === 'string')) return refuse(`the words of ${name}`);
    if (values.some((place) => place >= words.length)) return refuse(`a word of ${name} is not there`);
    return { name, values, words: words as string[] };
  });
  return new Frame(rows, columns);
}
