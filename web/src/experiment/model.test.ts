import { describe, expect, it } from 'vitest';
import { read } from '../toml';
import { addApp, countPoints, countValues, drop, experimentOf, put, refer, resolve, setNoise, typedValues } from './model';

const source = `format = "runcast-experiment/1"
system = "../systems/galera.toml"   # the cluster
repetitions = 2
checkpoint = { cost = "60s" }

[[app]]
file = "app.luau"
params = { n = 100, size = "1.6MB" }
place = [ { label = "a", on = "node", per = 12 } ]

[vary]
p = [1, 2, 4]
"hardware.cpu" = ["x", "y"]
`;
const of = (text: string) => experimentOf(read(text).doc!);

describe('an experiment', () => {
  it('is read', () => {
    const found = of(source);
    expect(found).toMatchObject({ system: '../systems/galera.toml', repetitions: '2', checkpoint: { cost: '60s', restart: '' } });
    expect(found.apps[0]).toMatchObject({ file: 'app.luau', params: { n: '100', size: '1.6MB' }, place: [{ label: 'a', per: '12', order: '' }] });
    expect(found.vary).toEqual([{ name: 'p', values: '1, 2, 4' }, { name: 'hardware.cpu', values: 'x, y' }]);
    expect(countPoints(found)).toBe(12);
  });

  it('changes only the line concerned, and keeps comments', () => {
    const changed = put(source, ['seed'], '7');
    expect(changed).toBe(source.replace('checkpoint = { cost = "60s" }', 'checkpoint = { cost = "60s" }\nseed = 7'));
    expect(put(source, ['system'], 'b.toml')).toBe(source.replace('"../systems/galera.toml"', '"b.toml"'));
    expect(put(source, ['vary', 'p'], '1..64*2', typedValues)).toBe(source.replace('[1, 2, 4]', '"1..64*2"'));
    expect(put(source, ['app', 0, 'params', 'n'], '2.5')).toBe(source.replace('n = 100', 'n = 2.5'));
  });

  it('drops tables that become empty', () => {
    expect(of(put(source, ['checkpoint', 'cost'], ' ')).checkpoint.cost).toBe('');
    expect(put(source, ['checkpoint', 'cost'], '')).not.toContain('checkpoint');
    expect(drop(drop(source, ['vary', 'p']), ['vary', 'hardware.cpu'])).toContain('[vary]');
  });

  it('gets ranges, applications and noise where there were none', () => {
    const bare = 'format = "runcast-experiment/1"\n\n[[app]]\nfile = "a.luau"\n';
    expect(of(put(bare, ['vary', 'p'], '1, 2', typedValues)).vary).toEqual([{ name: 'p', values: '1, 2' }]);
    expect(of(addApp(source, 'b.luau')).apps.map((app) => app.file)).toEqual(['app.luau', 'b.luau']);
    expect(of(addApp('', 'b.luau')).apps).toHaveLength(1);
    expect(of(setNoise(bare, 'run', 'exp', '0.004')).noise.run).toEqual({ kind: 'exp', value: '0.004' });
    expect(of(setNoise(setNoise(bare, 'link', 'uniform', '0.05'), 'link', '', '')).noise.link.kind).toBe('');
  });
});

it('counts values as far as it can tell', () => {
  expect(['1,2,4', '1..8', '14..210+14', '1..64*2', 'range:1..10:3', 'a', '', 'powers:2', 'catalogue:cpu'].map(countValues)).toEqual([3, 8, 15, 7, 4, 1, 0, null, null]);
});

it('follows and makes references between files', () => {
  expect(resolve('experiments/heat.toml', '../systems/a.toml')).toBe('systems/a.toml');
  expect(resolve('heat/experiment.toml', 'app.luau')).toBe('heat/app.luau');
  expect(resolve('e.toml', '../x')).toBeNull();
  for (const [from, to] of [['experiments/heat.toml', 'systems/a.toml'], ['heat/experiment.toml', 'heat/app.luau'], ['e.toml', 'a/b/c.toml'], ['a/b/c.toml', 'd.toml']] as const) {
    expect(resolve(from, refer(from, to))).toBe(to);
  }
});
