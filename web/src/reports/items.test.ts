import { describe, expect, it } from 'vitest';
import { absolute, add, drop, itemsOf, move, relative, setText, titleOf } from './items';

const TEXT = 'title = "x"\n\n[[item]]\ntext = "a"\n\n[[item]]\npath = "../tables/t.csv"\n';

describe('parts of a report', () => {
  it('are added, changed, moved and dropped', () => {
    expect(titleOf(TEXT)).toBe('x');
    const three = add(TEXT, { text: 'two\nlines "quoted"' });
    expect(itemsOf(three)).toEqual([{ text: 'a' }, { path: '../tables/t.csv' }, { text: 'two\nlines "quoted"' }]);
    expect(itemsOf(move(three, 2, 0))).toEqual([{ text: 'two\nlines "quoted"' }, { text: 'a' }, { path: '../tables/t.csv' }]);
    expect(itemsOf(setText(three, 0, 'b'))?.[0]).toEqual({ text: 'b' });
    expect(itemsOf(drop(three, 1))).toEqual([{ text: 'a' }, { text: 'two\nlines "quoted"' }]);
    expect(move(three, 0, 3)).toBe(three);
  });
  it('begin in an empty file', () => {
    expect(itemsOf(add('', { path: 'a.csv' }))).toEqual([{ path: 'a.csv' }]);
    expect(itemsOf('[[item')).toBeNull();
  });
  it('name files from the folder of the report', () => {
    expect(relative('reports/r.toml', 'tables/t.csv')).toBe('../tables/t.csv');
    expect(relative('r.toml', 'tables/t.csv')).toBe('tables/t.csv');
    expect(relative('lab/r.toml', 'lab/t.csv')).toBe('t.csv');
    expect(absolute('reports/r.toml', '../tables/t.csv')).toBe('tables/t.csv');
  });
});
