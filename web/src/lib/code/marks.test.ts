import { Text } from '@codemirror/state';
import { describe, expect, it } from 'vitest';
import { diagnostics, position } from './marks';

const doc = Text.of(['a = 1', '  name = "😀x"', '']);

describe('position', () => {
  it('counts lines and columns from 1, columns in characters', () => {
    expect(position(doc, 1, 1)).toBe(0);
    expect(position(doc, 2, 11)).toBe(6 + 10);
    // The smile is one character and two units.
    expect(position(doc, 2, 12)).toBe(6 + 12);
  });

  it('stays inside the text whatever the server says', () => {
    expect(position(doc, 99, 99)).toBe(doc.length);
    expect(position(doc, 0, 0)).toBe(0);
    expect(position(doc, 1, 99)).toBe(5);
  });
});

describe('diagnostics', () => {
  it('marks the given span, else the word, else the line', () => {
    const [span] = diagnostics(doc, [{ code: 'x', message: 'm', line: 1, column: 5, end_line: 1, end_column: 6 }]);
    expect([span!.from, span!.to]).toEqual([4, 5]);
    const [word] = diagnostics(doc, [{ code: 'x', message: 'm', line: 2, column: 3 }]);
    expect(doc.sliceString(word!.from, word!.to)).toBe('name');
    const [line] = diagnostics(doc, [{ code: 'x', message: 'm', line: 2, hint: 'so' }]);
    expect(doc.sliceString(line!.from, line!.to)).toBe('name = "😀x"');
    expect(line!.message).toBe('m\nhint: so');
  });

  it('leaves out what has no line and keeps empty lines visible', () => {
    expect(diagnostics(doc, [{ code: 'x', message: 'm' }])).toEqual([]);
    const [last] = diagnostics(doc, [{ code: 'x', message: 'm', line: 3, severity: 'warning' }]);
    expect(last!.to).toBeGreaterThan(last!.from);
    expect(last!.severity).toBe('warning');
  });
});
