/** The rows of a table file as cells, whichever of the two forms it has. */
import { readCsv, type Csv } from '../results/csv';

export const isJsonLines = (path: string, text: string) => /\.(jsonl|ndjson)$/i.test(path) || /^\s*\{/.test(text);

export function readRows(path: string, text: string): Csv {
  if (!isJsonLines(path, text)) return readCsv(text);
  const header: string[] = [];
  const place = new Map<string, number>();
  const rows: string[][] = [];
  for (const line of text.split('\n')) {
    if (!line.trim()) continue;
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      continue;
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) continue;
    const row: string[] = [];
    // Records of Extra-P keep parameters in an object of their own.
    for (const [name, cell] of Object.entries(value).flatMap(([key, inner]) =>
      typeof inner === 'object' && inner !== null && !Array.isArray(inner) ? Object.entries(inner as object) : [[key, inner] as [string, unknown]])) {
      let at = place.get(name);
      if (at === undefined) {
        at = header.length;
        place.set(name, at);
        header.push(name);
      }
      row[at] = cell === null || cell === undefined ? '' : typeof cell === 'object' ? JSON.stringify(cell) : String(cell);
    }
    rows.push(row);
  }
  return { header, rows: rows.map((row) => header.map((_, index) => row[index] ?? '')) };
}

/** A name of a file that the project takes. */
export const cleanName = (name: string) =>
  name.replace(/\.[^.]*$/, '').replace(/[^A-Za-z0-9._-]+/g, '-').replace(/^[-.]+|[-.]+$/g, '') || 'table';
