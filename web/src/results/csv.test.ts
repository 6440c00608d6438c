import { expect, it } from 'vitest';
import { configuration, numericColumns, readCsv } from './csv';

it('reads quotes, line breaks in cells and both line ends', () => {
  expect(readCsv('# note\na,b\r\n1,"x, ""y""\nz"\n,\n')).toEqual({ header: ['a', 'b'], rows: [['1', 'x, "y"\nz'], ['', '']] });
  expect(readCsv('')).toEqual({ header: [], rows: [] });
  expect(readCsv('a,b\n1,')).toEqual({ header: ['a', 'b'], rows: [['1', '']] });
});

it('knows columns of numbers', () => {
  expect(numericColumns(readCsv('a,b,c\n1,x,\n2.5e-3,,\n'))).toEqual([true, false, false]);
});

it('tells the configuration of a row', () => {
  expect(configuration(['p', 'hardware.cpu', 'rep', 'time_s', 'key'], ['4', 'x', '1', '2.5', 'abc'])).toEqual([['p', '4'], ['hardware.cpu', 'x']]);
});

it('reads 100,000 rows at once', () => {
  const text = 'p,time_s\n' + Array.from({ length: 100_000 }, (_, index) => `${index},${index / 7}`).join('\n');
  const begun = performance.now();
  expect(readCsv(text).rows).toHaveLength(100_000);
  expect(performance.now() - begun).toBeLessThan(2000);
});
