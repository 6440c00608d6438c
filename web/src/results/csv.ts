/** Reading the CSV of a table: quotes, line ends of both kinds, comment lines in front. */
export interface Csv {
  header: string[];
  rows: string[][];
}

export function readCsv(text: string): Csv {
  const rows: string[][] = [];
  let row: string[] = [];
  let at = 0;
  const end = text.length;
  while (at < end) {
    if (row.length === 0 && text[at] === '#') {
      const next = text.indexOf('\n', at);
      at = next < 0 ? end : next + 1;
      continue;
    }
    let cell = '';
    if (text[at] === '"') {
      at += 1;
      for (;;) {
        const quote = text.indexOf('"', at);
        if (quote < 0) {
          cell += text.slice(at);
          at = end;
          break;
        }
        cell += text.slice(at, quote);
        at = quote + 1;
        if (text[at] !== '"') break;
        cell += '"';
        at += 1;
      }
    }
    let stop = at;
    while (stop < end && text[stop] !== ',' && text[stop] !== '\n') stop += 1;
    cell += text.slice(at, stop);
    if (cell.endsWith('\r') && (stop === end || text[stop] === '\n')) cell = cell.slice(0, -1);
    row.push(cell);
    at = stop + 1;
    if (stop >= end || text[stop] === '\n') {
      if (row.length > 1 || row[0] !== '') rows.push(row);
      row = [];
    } else if (at >= end) {
      row.push('');
    }
  }
  if (row.length) rows.push(row);
  return { header: rows[0] ?? [], rows: rows.slice(1) };
}

/** Columns in which every cell that is filled is a number. */
export function numericColumns({ header, rows }: Csv): boolean[] {
  return header.map((_, index) => {
    let some = false;
    for (const row of rows) {
      const cell = row[index];
      if (cell === undefined || cell === '') continue;
      if (!Number.isFinite(Number(cell))) return false;
      some = true;
    }
    return some;
  });
}

/** Columns that are answers, not a configuration. */
const ANSWERS = new Set([
  'method', 'model', 'interval_level', 'verdict', 'horizon',
  'rep', 'time_s', 'energy_j', 'expected_time_s', 'failure_probability', 'cost', 'price', 'power_mean_w', 'status', 'key', 'speedup', 'efficiency', 'job',
]);

/** Bounds of metrics: `time_low_s`, `speedup_high`. */
const BOUND = /_(low|high)(_[a-z]+)?$/;

/** What a row says of its configuration: parameters, hardware, fidelity. */
export function configuration(header: string[], row: string[]): [string, string][] {
  return header.flatMap((name, index) => (ANSWERS.has(name) || BOUND.test(name) || !row[index] ? [] : [[name, row[index]!] as [string, string]]));
}
