import { expect, it } from 'vitest';
import { commandLine, commandOf, hasTable, nameOf, pointCommand, subjectOf } from './argv';
import { frontFigure, written } from './figure';

it('writes a command line that a shell takes apart again', () => {
  expect(commandLine(['sim', 'run', 'a b.toml', "it's", 'p=1..64*2'])).toBe("runcast sim run 'a b.toml' 'it'\\''s' 'p=1..64*2'");
});

it('makes the run of one point of a sweep', () => {
  const argv = ['sim', 'sweep', 'heat/experiment.toml', '--vary', 'p=1..64*2', '--set=n=100', '--set', 'p=3', '--speedup', 'p', '--hardware', 'cpu=x', '--json', '--seed', '7'];
  expect(pointCommand(argv, [['p', '8'], ['hardware.cpu', 'y'], ['fidelity', 'flow']], ['--explain'])).toEqual([
    'sim', 'run', 'heat/experiment.toml', '--set=n=100', '--seed', '7', '--set', 'p=8', '--hardware', 'cpu=y', '--fidelity', 'flow', '--explain',
  ]);
});

it('tells command and subject', () => {
  expect(commandOf(['sim', 'sweep', 'x.toml'])).toBe('sim sweep');
  expect(commandOf(['fit', 'runs.csv'])).toBe('fit');
  expect(subjectOf(['sim', 'sweep', '--seed', '3', 'heat/experiment.toml'])).toBe('heat/experiment.toml');
});

it('tells what a result is about, and whether it has a table', () => {
  expect(['heat/experiment.toml', 'experiments/heat.toml', 'experiment.toml'].map(nameOf)).toEqual(['heat', 'heat', 'experiment']);
  expect([['sim', 'sweep', 'x.toml'], ['sim', 'run', 'x.toml'], ['fit', 'runs.csv'], ['predict', 'm.json', '-o', 'p.csv']].map(hasTable)).toEqual([true, false, false, true]);
});

it('shows the front of an optimization as it is', () => {
  const front = [{ params: { p: 4 }, hardware: { cpu: 'x' }, time_s: 2, energy_j: 30, cost: null }, { params: { p: 8 }, hardware: {}, time_s: 1, energy_j: 50, cost: null }];
  const figure = frontFigure({ front }, 'energy_j', '');
  expect(figure).toMatchObject({ x: { name: 'energy_j', unit: 'J' }, y: { name: 'time_s', unit: 's' }, columns: { metrics: ['time_s', 'energy_j'] } });
  expect(figure.series[0]!.points[0]).toEqual({ x: 30, y: 2, rows: 1, front: true, at: { p: '4', 'hardware.cpu': 'x' } });
  expect(frontFigure({}, '', '').series[0]!.points).toEqual([]);
});

it('writes times without kiloseconds', () => {
  expect([written(0.0021, 's'), written(41.046, 's'), written(12345, 's'), written(4679, 'J'), written(2.6e-7, '')]).toEqual(['2.1 ms', '41.046 s', '12345 s', '4.679 kJ', '2.6e-7']);
});
