import { describe, expect, it } from 'vitest';
import { ago, bytes, number, quantity, seconds, stem } from './format';

describe('numbers for people', () => {
  it('keeps four digits and never shows what is not a number', () => {
    expect(number(1234.5678)).toBe('1235');
    expect(number(0.00012345)).toBe('1.234e-4');
    expect(number(2_500_000)).toBe('2.5e6');
    expect(number(Number.NaN)).toBe('–');
    expect(number(null)).toBe('–');
    expect(number(0)).toBe('0');
  });

  it('puts prefixes on SI units', () => {
    expect(quantity(2.6e9, 'Hz')).toBe('2.6 GHz');
    expect(quantity(1.5e-6, 's')).toBe('1.5 µs');
    expect(quantity(0, 'W')).toBe('0 W');
    expect(quantity(-1200, 'J')).toBe('-1.2 kJ');
  });

  it('tells times, sizes and names', () => {
    expect(seconds(75)).toBe('1 min 15 s');
    expect(seconds(7300)).toBe('2 h 2 min');
    expect(bytes(1536)).toBe('1.5 KiB');
    expect(ago('2026-01-01T00:00:00Z', Date.parse('2026-01-01T02:00:00Z'))).toBe('2 h ago');
    expect(stem('systems/galera.toml')).toBe('galera');
    expect(stem('systems/galera.view.json')).toBe('galera');
  });
});
