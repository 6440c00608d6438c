/** Problems of the server as marks in the editor. */
import type { Diagnostic } from '@codemirror/lint';
import type { Text } from '@codemirror/state';
import type { Problem } from '../types';

/** Lines and columns count from 1, columns in characters (not UTF-16 units). */
export function position(doc: Text, line: number, column: number): number {
  const at = doc.line(Math.max(1, Math.min(doc.lines, Math.trunc(line))));
  let offset = 0;
  let left = Math.max(1, Math.trunc(column)) - 1;
  for (const character of at.text) {
    if (left === 0) break;
    offset += character.length;
    left -= 1;
  }
  return at.from + offset;
}

export function diagnostics(doc: Text, problems: Problem[]): Diagnostic[] {
  return problems.filter((problem) => problem.line).slice(0, 200).map((problem) => {
    const line = doc.line(Math.max(1, Math.min(doc.lines, problem.line!)));
    let from = problem.column ? position(doc, problem.line!, problem.column) : line.from + (/^\s*/.exec(line.text)?.[0].length ?? 0);
    let to = problem.end_line || problem.end_column
      ? position(doc, problem.end_line ?? problem.line!, problem.end_column ?? line.length + 1)
      : problem.column ? wordEnd(line.text, from - line.from) + line.from : line.to;
    if (to <= from) to = Math.min(doc.length, from + 1);
    if (to <= from) from = Math.max(0, to - 1);
    const parts = [problem.message];
    if (problem.allowed) parts.push(`allowed: ${problem.allowed}`);
    if (problem.hint) parts.push(`hint: ${problem.hint}`);
    return { from, to, severity: problem.severity === 'warning' ? 'warning' : 'error', message: parts.join('\n') };
  });
}

function wordEnd(text: string, from: number): number {
  const length = /^[\w.-]+/.exec(text.slice(from))?.[0].length ?? 1;
  return from + length;
}
