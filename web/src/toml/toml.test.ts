import { describe, expect, it } from 'vitest';
import { appendTable, find, insert, plain, Raw, read, remove, removeAll, set, type Path, type Plain, type Toml } from '.';

const value = (text: string): Plain => {
  const { doc, error } = read(text);
  if (!doc) throw new Error(`${error.line}:${error.column} ${error.message}\n${text}`);
  return plain(doc.root);
};

const GALERA = `# our cluster
format = "runcast-system/1"   # never changes
name = "galera"
component = [
  # the root
  { id = "galera", kind = "group" }, # all of it
  { id = "node", kind = "machine", parent = "galera", count = 32, set = { power_idle = "60W", mtbf = "5y" } },
  { id = "cpu", kind = "cpu", parent = "node", count = 2, hardware = "intel-xeon-l5640" }
]
[[network]] # fast
of = "galera"
set = {bandwidth="3.4GB/s", latency = "0.4us"}

# inside a node
[[network]]
of = "node"
set.bandwidth = "3.5GB/s"

[model.mpi]
extends = "default"
`;

describe('set', () => {
  it('changes a value alone', () => {
    expect(set(GALERA, ['component', 1, 'count'], 64)).toBe(GALERA.replace('count = 32', 'count = 64'));
    expect(set(GALERA, ['component', 1, 'set', 'mtbf'], '6y')).toBe(GALERA.replace('"5y"', '"6y"'));
  });
  it('adds in the style of the neighbors', () => {
    expect(set(GALERA, ['component', 1, 'set', 'turbo'], 0.1)).toBe(GALERA.replace('mtbf = "5y" }', 'mtbf = "5y", turbo = 0.1 }'));
    expect(set(GALERA, ['component', 2, 'set', 'smt_gain'], 1.2)).toBe(GALERA.replace('"intel-xeon-l5640" }', '"intel-xeon-l5640", set = { smt_gain = 1.2 } }'));
    expect(set(GALERA, ['network', 1, 'set', 'latency'], '1us')).toBe(GALERA.replace('set.bandwidth = "3.5GB/s"', 'set.bandwidth = "3.5GB/s"\nset.latency = "1us"'));
    expect(set(GALERA, ['network', 0, 'topology'], 'bus')).toBe(GALERA.replace('latency = "0.4us"}\n', 'latency = "0.4us"}\ntopology = "bus"\n'));
    expect(set(GALERA, ['default_model'], 'mpi')).toBe(GALERA.replace('"intel-xeon-l5640" }\n]', '"intel-xeon-l5640" }\n]\ndefault_model = "mpi"'));
  });
  it('makes the tables on the way', () => {
    expect(value(set('', ['a', 'b', 'c'], 1))).toEqual({ a: { b: { c: 1 } } });
    expect(value(set('[x.y]\nk = 1\n', ['x', 'z'], 2))).toEqual({ x: { y: { k: 1 }, z: 2 } });
    expect(value(set('# note\n\n[x]\nk = 1\n', ['format'], 'f'))).toEqual({ format: 'f', x: { k: 1 } });
  });
  it('keeps comments when a table takes the place of a table', () => {
    const text = '[t]\na = 1 # one\nb = 2 # two\n';
    expect(set(text, ['t'], { b: 3, c: 4 })).toBe('[t]\nb = 3 # two\nc = 4\n');
  });
  it('leaves what does not parse alone', () => {
    expect(set('a = [', ['a'], 1)).toBe('a = [');
  });
  it('quotes keys and texts where it must', () => {
    const text = set('', ['pcie-x16-2.0', 'na me'], 'a "b" \\ \u0001\u007f\n');
    expect(value(text)).toEqual({ 'pcie-x16-2.0': { 'na me': 'a "b" \\ \u0001\u007f\n' } });
  });
});

describe('insert', () => {
  it('adds a line to a list of lines', () => {
    const text = insert(GALERA, ['component'], [{ id: 'gpu', kind: 'gpu' }]);
    expect(text).toBe(GALERA.replace('"intel-xeon-l5640" }\n]', '"intel-xeon-l5640" },\n  { id = "gpu", kind = "gpu" }\n]'));
  });
  it('keeps a comma at the end, and a comment behind', () => {
    expect(insert('a = [\n  1, # one\n]\n', ['a'], [2, 3])).toBe('a = [\n  1, # one\n  2,\n  3,\n]\n');
    expect(insert('a = [\n  1 # one\n]\n', ['a'], [2])).toBe('a = [\n  1, # one\n  2\n]\n');
    expect(insert('a = [1, 2]', ['a'], [3])).toBe('a = [1, 2, 3]');
    expect(insert('a = [1, 2,]', ['a'], [3])).toBe('a = [1, 2, 3,]');
    expect(insert('a = []', ['a'], [3])).toBe('a = [\n  3,\n]');
    expect(value(insert('a = [\n  # nothing\n]', ['a'], [3]))).toEqual({ a: [3] });
  });
  it('adds a block to blocks', () => {
    const text = insert(GALERA, ['network'], [{ of: 'x' }]);
    expect(text).toBe(GALERA.replace('set.bandwidth = "3.5GB/s"\n', 'set.bandwidth = "3.5GB/s"\n[[network]]\nof = "x"\n'));
    expect(insert('[[a]]\nx = 1\n[a.b]\ny = 2\n[c]\n', ['a'], [{ x: 3 }])).toBe('[[a]]\nx = 1\n[a.b]\ny = 2\n[[a]]\nx = 3\n[c]\n');
  });
  it('makes a missing list', () => {
    expect(insert('name = "x"\n[m]\n', ['component'], [{ id: 'a' }])).toBe('name = "x"\ncomponent = [\n  { id = "a" },\n]\n[m]\n');
    expect(insert('name = "x"\n\n# of m\n[m]\n', ['network'], [{ of: 'a' }], { blocks: true, before: 'm' }))
      .toBe('name = "x"\n\n[[network]]\nof = "a"\n# of m\n[m]\n');
    expect(appendTable('a = 1', ['model', 'x'], { extends: 'default', rule: [{ on: 'compute' }] }))
      .toBe('a = 1\n[model.x]\nextends = "default"\n[[model.x.rule]]\non = "compute"\n');
  });
});

describe('remove', () => {
  it('takes lines', () => {
    expect(remove(GALERA, ['component', 1])).toBe(GALERA.replace(/ {2}\{ id = "node".*\n/, ''));
    expect(remove(GALERA, ['component', 1, 'set', 'mtbf'])).toBe(GALERA.replace(', mtbf = "5y"', ''));
    expect(remove(GALERA, ['component', 1, 'set', 'power_idle'])).toBe(GALERA.replace('power_idle = "60W", ', ''));
    expect(remove(GALERA, ['name'])).toBe(GALERA.replace('name = "galera"\n', ''));
    expect(remove(GALERA, ['network', 0])).toBe(GALERA.replace(/\[\[network\]\] # fast\n.*\n.*\n\n/, ''));
    expect(remove('a = { x = 1 }', ['a', 'x'])).toBe('a = {}');
    expect(remove('a = [1, 2, 3]', ['a', 2])).toBe('a = [1, 2]');
    expect(remove('a = [1, 2, 3]', ['a', 0])).toBe('a = [2, 3]');
    expect(remove('[a]\nx = 1\n[a.b]\ny = 2\n[c]\nz = 3\n', ['a'])).toBe('[c]\nz = 3\n');
  });
  it('takes several', () => {
    expect(value(removeAll('a = [1, 2, 3, 4]', [['a', 3], ['a', 1]]))).toEqual({ a: [1, 3] });
    expect(value(removeAll('a = [\n 1,\n 2,\n 3\n]', [['a', 2], ['a', 0]]))).toEqual({ a: [2] });
    expect(value(removeAll('a = { x = 1, y = 2, z = 3 }', [['a', 'y'], ['a', 'z']]))).toEqual({ a: { x: 1 } });
  });
});

// Random texts in every style; every edit is checked against the same edit of the plain value.
function random(seed: number) {
  let state = seed * 2654435761 + 1;
  return (below: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    return (state >>> 8) % below;
  };
}

function style(next: (below: number) => number): string {
  const eol = next(2) ? '\r\n' : '\n';
  const lines: string[] = next(2) ? ['# ä 😀 head', ''] : [];
  const comment = () => (next(3) === 0 ? ' # say ], } or "' : '');
  const inline = (id: string) => {
    const eq = next(2) ? ' = ' : '=';
    const parts = [`id${eq}"${id}"`, `"quoted key"${eq}'lit'`, `set${eq}{ a = 1, "b.c" = "#x" }`, `dotted.one = 1`].slice(0, 1 + next(4));
    return next(2) ? `{ ${parts.join(', ')} }` : `{${parts.join(',')}}`;
  };
  lines.push(`name = "x"${comment()}`);
  const count = next(4);
  if (next(3)) {
    const one = next(3) === 0;
    const trailing = next(2);
    if (one) lines.push(`list = [${Array.from({ length: count }, (_, i) => inline(`n${i}`)).join(', ')}]${comment()}`);
    else {
      lines.push(`list = [${comment()}`);
      for (let i = 0; i < count; i += 1) {
        if (next(3) === 0) lines.push('  # between');
        lines.push(`  ${inline(`n${i}`)}${i < count - 1 || trailing ? ',' : ''}${comment()}`);
      }
      lines.push(`]${comment()}`);
    }
  } else {
    for (let i = 0; i < count; i += 1) {
      if (next(2)) lines.push('', '# above');
      lines.push(`[[list]]${comment()}`, `id = "n${i}"${comment()}`);
      if (next(2)) lines.push(`dotted.one = 1${comment()}`);
      if (next(2)) lines.push(`[list.set]`, `a = 1${comment()}`);
    }
  }
  if (next(2)) lines.push('', '[model.m]', 'k = """', 'two', 'lines"""', '[[model.m.rule]]', 'on = "compute"');
  return lines.join(eol) + (next(2) ? eol : '');
}

/** The same on the plain value. */
function setPlain(root: Plain, path: Path, put: Toml): Plain {
  const copy = structuredClone(root) as never;
  let at: Record<string | number, unknown> = copy;
  path.slice(0, -1).forEach((step, index) => {
    at[step] ??= typeof path[index + 1] === 'number' ? [] : {};
    at = at[step] as Record<string | number, unknown>;
  });
  at[path[path.length - 1]!] = put;
  return copy;
}

describe('any text', () => {
  it('says after an edit what the edit says, and keeps every comment and other line', () => {
    for (let seed = 1; seed <= 500; seed += 1) {
      const next = random(seed);
      const text = style(next);
      const before = value(text) as Record<string, Plain>;
      const list = (before.list ?? []) as Record<string, Plain>[];
      const about = `seed ${seed}\n${text}`;
      const comments = (of: string) => read(of).doc!.program.comments.length;
      const k = list.length ? next(list.length) : -1;
      for (const [path, put] of [
        [['name'], 'new'], [['fresh key'], 7], [['model', 'm', 'extends'], 'default'],
        ...(k >= 0 ? [[['list', k, 'count'], 3], [['list', k, 'set', 'a'], '2W'], [['list', k, 'set', 'z z'], true], [['list', k, 'dotted', 'two'], 2]] : []),
      ] as [Path, Toml][]) {
        const changed = set(text, path, put);
        expect(value(changed), about).toEqual(setPlain(before, path, put));
        expect(comments(changed), about).toBe(comments(text));
        expect(set(changed, path, put), about).toBe(changed);
      }
      const more = insert(text, ['list'], [{ id: 'new' }, { id: 'newer', set: { a: new Raw("'r'") } }]);
      expect(value(more), about).toEqual({ ...before, list: [...list, { id: 'new' }, { id: 'newer', set: { a: 'r' } }] });
      expect(comments(more), about).toBe(comments(text));
      if (k < 0) continue;
      const less = removeAll(text, [['list', k], ['list', 0]]);
      const rest = list.filter((_, index) => index !== k && index !== 0);
      const now = value(less) as Record<string, Plain>;
      expect(now.list ?? [], about).toEqual(rest);
      expect(now.name, about).toEqual(before.name);
      const gone = remove(text, ['list', k, 'id']);
      expect(find(read(gone).doc!.root, ['list', k, 'id']), about).toBeUndefined();
      expect(value(remove(more, ['list', list.length])), about).toEqual({ ...before, list: [...list, { id: 'newer', set: { a: 'r' } }] });
    }
  }, 60_000);
});
