import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const css = readFileSync(new URL('./app.css', import.meta.url), 'utf8');
const tokens = new Map([...css.matchAll(/(--[\w-]+): light-dark\((#\w{6}), (#\w{6})\)/g)].map((found) => [found[1]!, [found[2]!, found[3]!]]));

/** WCAG 2: relative luminance. */
function luminance(color: string): number {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
}

function contrast(one: string, other: string, theme: 0 | 1): number {
  const [a, b] = [luminance(tokens.get(one)![theme]!), luminance(tokens.get(other)![theme]!)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

const texts = ['--text', '--text-2', '--text-3', '--accent', '--ok', '--warn', '--error', '--info',
  ...Array.from({ length: 8 }, (_, index) => `--series-${index + 1}`)];
const pairs: [string, string, number][] = [
  ...texts.flatMap((text) => ['--bg', '--surface', '--surface-2'].map((under): [string, string, number] => [text, under, 4.5])),
  ['--text-2', '--surface-3', 4.5], ['--text-3', '--surface-3', 4.5],
  ['--on-accent', '--accent', 4.5], ['--on-accent', '--accent-hover', 4.5], ['--accent', '--accent-soft', 4.5],
  ['--ok', '--ok-soft', 4.5], ['--warn', '--warn-soft', 4.5], ['--error', '--error-soft', 4.5], ['--info', '--info-soft', 4.5],
  ['--line-strong', '--bg', 3], ['--line-strong', '--surface', 3], ['--focus', '--bg', 3], ['--focus', '--surface', 3],
];

describe('contrast AA', () => {
  it.each(pairs)('%s on %s', (text, under, least) => {
    for (const theme of [0, 1] as const) expect(contrast(text, under, theme)).toBeGreaterThanOrEqual(least);
  });
});
