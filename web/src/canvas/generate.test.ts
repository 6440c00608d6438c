import { describe, expect, it } from 'vitest';
import { generate, GENERATORS, wrong } from './generate';
import { readSystem } from './model';
import { blank } from './blank';

const of = (id: string) => GENERATORS.find((one) => one.id === id)!;
const made = (id: string, counts: Record<string, number>) => {
  const edited = generate(blank('lab'), of(id), counts, null, { cpu: 'c', gpu: 'g', network: 'n', bus: 'b' });
  return { ...edited, system: readSystem(edited.text).system! };
};

describe('many parts at once', () => {
  it('makes as many machines as the theory says', () => {
    // A fat tree of switches with k ports has k^3/4 machines (Al-Fares et al., 2008); a dragonfly a*p*g (Kim et al., 2008).
    for (const [id, counts, machines, shape] of [
      ['fat_tree', { k: 8 }, 128, 'down = [4, 4, 8], up = [1, 4, 4]'], ['dragonfly', { a: 4, p: 2, h: 1, g: 4 }, 32, 'groups = 4, routers = 4, nodes = 2'],
      ['torus', { x: 4, y: 2, z: 3 }, 24, 'dims = [4, 2, 3]'], ['rack', { machines: 32, racks: 3 }, 96, ''], ['gpu', { cpus: 2, gpus: 4, nodes: 16 }, 16, ''],
    ] as const) {
      const { system, text } = made(id, counts as unknown as Record<string, number>);
      expect(system.components.filter((one) => one.kind === 'machine').reduce((sum, one) => sum + one.total, 0), id).toBe(machines);
      expect(text).toContain(shape);
      expect(system.networks.length).toBe(id === 'gpu' ? 2 : 1);
    }
  });

  it('refuses counts that make nothing', () => {
    expect(wrong(of('fat_tree'), { k: 7 })).toMatch(/even/);
    expect(wrong(of('torus'), { x: 0, y: 1, z: 1 })).toMatch(/whole number/);
    expect(wrong(of('dragonfly'), { a: 2, p: 1, h: 1, g: 3 })).not.toBe('');
    expect(made('fat_tree', { k: 7 }).select).toEqual([]);
  });
});
