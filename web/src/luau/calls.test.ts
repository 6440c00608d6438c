/** The calls that the pages know are those of the reference, with the same arguments. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { byName, calls } from './calls';

const reference = readFileSync(new URL('../../../docs/reference/sim-script.md', import.meta.url), 'utf8');

/** Names that stand in the reference before an opening bracket, in code. */
function named(text: string): Set<string> {
  const found = new Set<string>();
  for (const [, code] of text.matchAll(/`([^`\n]+)`/g)) {
    for (const [, name] of code!.matchAll(/(?<![.:\w])([a-z_][A-Za-z0-9_]*)\s*[({]/g)) found.add(name!);
  }
  return found;
}

describe('calls of a script', () => {
  it('are all in the reference', () => {
    for (const call of calls) expect(reference, call.name).toMatch(new RegExp(`\\b${call.name}\\b`));
  });

  it('leave out none of the reference', () => {
    const outside = new Set(['function', 'coroutine']);
    const missing = [...named(reference)].filter((name) => !byName.has(name) && !outside.has(name));
    expect(missing).toEqual([]);
  });

  it('name the arguments of compute, farm and label that the reference names', () => {
    const computing = reference.slice(reference.indexOf('## Computing'), reference.indexOf('## Messages between processes'));
    const rows = [...computing.matchAll(/^\| (`[^|]+`) \|/gm)].flatMap(([, cell]) => [...cell!.matchAll(/`(\w+)`/g)].map((match) => match[1]!));
    expect(rows.toSorted()).toEqual(byName.get('compute')!.args.map((one) => one.name).toSorted());
    for (const name of ['farm', 'label'] as const) {
      const call = byName.get(name)!;
      for (const one of call.args) expect(call.signature).toContain(one.name);
    }
  });

  it('have help, and a snippet that begins with the name', () => {
    for (const call of calls) {
      expect(call.help.length).toBeGreaterThan(8);
      expect(call.snippet.startsWith(call.name)).toBe(true);
      expect(call.signature.startsWith(call.name)).toBe(true);
    }
  });

  it('are told once each', () => {
    expect(byName.size).toBe(calls.length);
  });
});
