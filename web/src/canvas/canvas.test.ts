import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { blank } from './blank';
import { add, change, common, copy, drop, group, move, paste, rename } from './edits';
import { KNOWN } from './known';
import { HARDWARE, KINDS, PARENTS, readSystem, type Catalogue, type Part, type System } from './model';
import { totals } from './totals';

const root = new URL('../../../', import.meta.url);
const file = (path: string) => readFileSync(new URL(path, root), 'utf8');
const galera = file('testdata/sim/systems/galera.toml');
const sites = file('testdata/sim/systems/sites.toml');
const model = (text: string): System => {
  const { system, error } = readSystem(text);
  if (!system) throw new Error(error.message);
  return system;
};
const part = (text: string, key: string): Part => model(text).byKey.get(key)!;
const catalogue: Catalogue = new Map([
  ['intel-xeon-l5640', {
    name: 'intel-xeon-l5640', kind: 'cpu', origin: 'built-in' as const, attributes: [
      { attribute: 'cores', value: 6, unit: '', quality: 'vendor', source: 'Intel ARK' },
      { attribute: 'flops_double', value: 54.48e9, unit: 'flop/s', quality: 'derived', source: 'Intel ARK' },
      { attribute: 'power_load', value: 60, unit: 'W', quality: 'vendor', source: 'Intel ARK' },
    ],
  }],
]);
const defaults = { cpu: 'intel-xeon-l5640', network: 'ethernet-10g', bus: 'pcie-x16-4.0' };

describe('what the simulator knows', () => {
  it('is what the canvas knows', () => {
    const known = file('crates/sim/src/system/attributes/known.rs');
    const units = new Map([...file('crates/formula/src/units/dimension.rs').split('fn si_unit')[1]!.split('fn ')[0]!.matchAll(/Self::(\w+) => "([^"]*)"/g)].map((match) => [match[1]!, match[2]!.replace('op/s', 'flop/s')]));
    const entry = /number\("(\w+)", Dimension::(\w+), Bound::\w+, "([^"]*)"\)|flag\("(\w+)", "([^"]*)"\)|key: "(\w+)",\s*what: What::(\w+)(?:\(&(\[[^\]]*\])\))?,\s*bound: Bound::\w+,\s*help: "([^"]*)"/g;
    const entries = [...known.slice(known.indexOf('pub static KNOWN')).matchAll(entry)].map(([, number, dimension, help, flag, helpOfFlag, key, what, words, helpOfKey]) => {
      if (number) return [number, { what: 'number', unit: units.get(dimension!) ?? '', help }];
      if (flag) return [flag, { what: 'flag', unit: '', help: helpOfFlag }];
      return [key!, { what: what!.toLowerCase(), unit: what === 'Curve' ? 'W' : '', help: helpOfKey, ...(words ? { words: JSON.parse(words) } : {}) }];
    });
    expect(entries.length).toBe(known.slice(known.indexOf('pub static KNOWN')).match(/^ {4}(number|flag|Known)\b/gm)!.length);
    expect(KNOWN).toEqual(Object.fromEntries(entries));
    expect(Object.keys(KNOWN)).toEqual(entries.map(([key]) => key));
    const kinds = file('crates/sim/src/system.rs');
    expect([...KINDS]).toEqual(JSON.parse(/WORDS: \[&'static str; 8\] =\s*(\[[^\]]*\])/.exec(kinds)![1]!));
    const words = (name: string) => Object.fromEntries([...kinds.slice(kinds.indexOf(`fn ${name}`)).split('fn ', 2)[1]!.matchAll(/((?:Kind::\w+(?: \| )?)+) => &\[([^\]]*)\]/g)]
      .flatMap((row) => [...row[1]!.matchAll(/Kind::(\w+)/g)].map((kind) => [kind[1]!.toLowerCase(), [...row[2]!.matchAll(/\w+/g)].map((word) => word[0].toLowerCase()).filter((word) => word !== 'kind')])));
    expect(PARENTS).toEqual(words('parents'));
    expect(Object.fromEntries(KINDS.map((kind) => [kind, HARDWARE[kind]]))).toEqual(words('hardware'));
  });
});

describe('reading', () => {
  it('sees the tree, counts and networks', () => {
    const system = model(galera);
    expect(system.components.map((one) => [one.id, one.count, one.total, one.depth])).toEqual([['galera', 1, 1, 0], ['node', 32, 32, 1], ['cpu', 2, 64, 2]]);
    expect(system.networks.map((one) => [one.key, one.topology])).toEqual([['network:galera/galera', 'fat_tree'], ['network:node/node', '']]);
    expect(system.models).toEqual(['mpi']);
    expect(system.components[1]!.line).toBe(6);
  });
  it('sums up as `sim system show` does', () => {
    const sum = totals(model(galera), catalogue);
    expect(sum.machines).toBe(32);
    expect(sum.cores).toBe(384);
    expect(sum.flopsDouble).toBeCloseTo(64 * 54.48e9, -3);
    // What a machine takes when idle does not change.
    expect(sum.powerLoad).toBe(64 * 60 + 32 * 60);
    expect(sum.powerIdle).toBeCloseTo(32 * 60 + 64 * 24, 9);
  });
  it('bears any text', () => {
    for (const text of ['', 'component = 3', 'component = [1, { id = 2 }]', 'component = [{ id = "a", parent = "a" }, { id = "b", parent = "c" }, { id = "c", parent = "b" }, { id = "a" }]', 'network = [{}]', '[[component]]', 'component.x = 1', '[model]\n[component.set]\n']) {
      const system = model(text);
      expect(totals(system, catalogue).machines).toBe(0);
      expect(system.byKey.size).toBe(system.components.length + system.networks.length);
    }
    expect(readSystem('a = [').error!.line).toBe(1);
  });
});

describe('editing', () => {
  it('adds two machines, a network and 32 nodes', () => {
    let text = blank('demo');
    text = add(text, { kind: 'machine', label: '' }, null, defaults).text;
    const second = add(text, { kind: 'machine', label: '' }, null, defaults);
    expect(second.select).toEqual(['node-2']);
    const network = add(second.text, { kind: 'network', hardware: 'infiniband-edr-4x', label: '' }, null, defaults);
    expect(network.select).toEqual(['network:demo/demo']);
    text = change(network.text, part(network.text, 'node'), ['count'], 32);
    expect(text).toBe(`format = "runcast-system/1"
name = "demo"
component = [
  { id = "demo", kind = "group" },
  { id = "node", kind = "machine", parent = "demo", count = 32 },
  { id = "cpu", kind = "cpu", parent = "node", hardware = "intel-xeon-l5640" },
  { id = "node-2", kind = "machine", parent = "demo" },
  { id = "cpu-2", kind = "cpu", parent = "node-2", hardware = "intel-xeon-l5640" },
]
[[network]]
of = "demo"
hardware = "infiniband-edr-4x"
`);
  });
  it('makes a system of an empty file', () => {
    const text = add('', { kind: 'cpu', hardware: 'amd-epyc-9654', label: '' }, null, defaults).text;
    expect(model(text).components.map((one) => [one.id, one.kind, one.parent])).toEqual([['cluster', 'group', null], ['machine', 'machine', 'cluster'], ['cpu', 'cpu', 'machine']]);
    expect(text.startsWith('format = "runcast-system/1"\n')).toBe(true);
  });
  it('keeps one root', () => {
    const wan = add(blank('demo'), { kind: 'wan', label: '' }, null, defaults).text;
    expect(model(wan).components.map((one) => [one.id, one.parent])).toEqual([['demo', 'wan'], ['wan', null]]);
    const alone = 'format = "runcast-system/1"\ncomponent = [{ id = "pc", kind = "machine" }]\n';
    const two = add(alone, { kind: 'machine', label: '' }, null, {}).text;
    expect(model(two).components.map((one) => [one.id, one.parent])).toEqual([['pc', 'cluster'], ['cluster', null], ['node', 'cluster']]);
    const group = add(alone, { kind: 'group', label: '' }, null, {}).text;
    expect(model(group).components.map((one) => [one.id, one.parent])).toEqual([['pc', 'group'], ['group', null]]);
    const cpu = add(alone, { kind: 'cpu', label: '' }, null, {}).text;
    expect(model(cpu).byId.get('cpu')!.parent).toBe('pc');
  });
  it('adds a network of its own name where there is one', () => {
    expect(add(galera, { kind: 'network', label: '' }, part(galera, 'galera') as never, defaults).select).toEqual(['network:galera/ethernet-10g']);
  });
  it('renames with all that name it', () => {
    const system = model(galera);
    const { text } = rename(galera, system, system.byId.get('node')!, 'blade');
    expect(text).toBe(galera.replace('id = "node"', 'id = "blade"').replace('parent = "node"', 'parent = "blade"').replace('of = "node"', 'of = "blade"'));
  });
  it('moves, groups and drops', () => {
    const system = model(sites);
    const moved = move(sites, system, [system.byId.get('big')!], system.byId.get('world')!);
    expect(moved.text).toBe(sites.replace('id = "big", kind = "machine", parent = "site"', 'id = "big", kind = "machine", parent = "world"'));
    expect(move(sites, system, [system.byId.get('site')!], system.byId.get('big')!).text).toBe(sites);
    expect(common(system, [system.byId.get('cpu')!, system.byId.get('small')!])!.id).toBe('site');
    const grouped = group(sites, system, [system.byId.get('big')!, system.byId.get('small')!]);
    expect(model(grouped.text).byId.get('big')!.parent).toBe('group');
    const less = drop(sites, system, [system.byId.get('site')!]);
    expect(less.select).toEqual(['world']);
    expect(model(less.text).components.map((one) => one.id)).toEqual(['world', 'home']);
    expect(model(less.text).networks.map((one) => one.of)).toEqual(['world']);
  });
  it('takes away a value, and the table that it leaves empty', () => {
    const text = change(galera, part(galera, 'cpu'), ['set', 'smt_gain'], null);
    expect(text).toBe(galera.replace(', set = { smt_gain = 1.22 }', ''));
  });
  it('copies from one system into another', () => {
    const system = model(galera);
    const piece = copy(system, [system.byId.get('node')!]);
    expect(model(piece).components.map((one) => one.id)).toEqual(['node', 'cpu']);
    const pasted = paste(sites, piece, part(sites, 'site') as never)!;
    const now = model(pasted.text);
    expect(pasted.select).toEqual(['node']);
    expect(now.byId.get('node')!.parent).toBe('site');
    expect(now.byId.get('cpu-2')!.parent).toBe('node');
    expect(now.networks.at(-1)!.of).toBe('node');
    expect(pasted.text.startsWith(sites.slice(0, 300))).toBe(true);
    expect(paste(sites, 'hello', null)).toBeNull();
    const again = paste(pasted.text, copy(now, [now.byKey.get('network:site/slow')!]), part(sites, 'site') as never)!;
    expect(again.select).toEqual(['network:site/slow-2']);
  });
});
