import { expect, test } from 'vitest';
import { fitting, pathOf, QUESTIONS, samplesOf } from './questions';

test('every question has three fields, and its first begins with a sample', () => {
  for (const question of QUESTIONS) {
    expect(question.fields).toHaveLength(3);
    expect(samplesOf(question)[question.fields[0]!.name]).not.toBe('');
  }
});

test('a file is offered the questions that it can answer', () => {
  const names = (kind: string) => fitting(kind).map((question) => question.name);
  expect(names('table')).toEqual(['processes', 'larger']);
  expect(names('experiment')).toEqual(['limits', 'network']);
  expect(names('view')).toEqual([]);
});

test('names of dropped files become paths of a project', () => {
  expect(pathOf('my runs (2).csv')).toBe('my-runs-2-.csv');
  expect(pathOf('../../etc/passwd')).toBe('etc-passwd');
  expect(pathOf('---')).toBe('dropped');
});
