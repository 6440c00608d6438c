import { expect, it } from 'vitest';
import { layout } from './talk';
import { enclosing } from './help';
import { folderOf, inFolder } from './templates';

it('puts the files of a template into one folder', () => {
  const content = '';
  expect(inFolder([{ path: 'app.luau', content }, { path: 'system.toml', content }], 'heat').map((file) => file.path)).toEqual(['heat/app.luau', 'heat/system.toml']);
  expect(inFolder([{ path: 'heat/app.luau', content }, { path: 'heat/system.toml', content }], 'h2').map((file) => file.path)).toEqual(['h2/app.luau', 'h2/system.toml']);
});

it('finds a folder that is free', () => {
  expect(folderOf('heat', [])).toBe('heat');
  expect(folderOf('heat', ['Heat/app.luau', 'heat-2/app.luau'])).toBe('heat-3');
});

it('knows in which call a place is', () => {
  expect(enclosing('send{ to = 1, ')).toEqual({ call: 'send', text: false });
  expect(enclosing('farm{ tasks = 3, work = { ')).toEqual({ call: 'work', text: false });
  expect(enclosing('send{ to = proc("a", 1), si')).toEqual({ call: 'send', text: false });
  expect(enclosing('send{ to = "sl')).toEqual({ call: 'send', text: true });
  expect(enclosing('-- send{ x')).toEqual({ call: null, text: true });
  expect(enclosing('send{ to = 1 }\nloc')).toEqual({ call: null, text: false });
});

it('draws an arrow for each edge between labels that are there', () => {
  const nodes = [{ name: 'master', count: 1 }, { name: 'slave', count: 8 }, { name: 'spare', count: 1 }];
  const drawn = layout(nodes, [
    { from: 'master', to: 'slave', messages: 8, bytes: 100 }, { from: 'slave', to: 'master', messages: 8, bytes: 10 },
    { from: 'slave', to: 'slave', messages: 1, bytes: 1 }, { from: 'nobody', to: 'slave', messages: 1, bytes: 1 },
  ]);
  expect(drawn.arrows).toHaveLength(3);
  expect(drawn.arrows[0]!.weight).toBeGreaterThan(drawn.arrows[1]!.weight);
  for (const node of drawn.nodes) {
    expect(node.x - node.width / 2).toBeGreaterThanOrEqual(0);
    expect(node.x + node.width / 2).toBeLessThanOrEqual(drawn.width);
    expect(node.y).toBeLessThan(drawn.height);
  }
});
