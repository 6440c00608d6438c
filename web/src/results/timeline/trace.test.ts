import { expect, it } from 'vitest';
import { intervalAt, lowerBound, readTrace } from './trace';

const trace = readTrace(JSON.stringify({ traceEvents: [
  { ph: 'M', name: 'process_name', pid: 0, args: { name: 'cell' } },
  { ph: 'M', name: 'thread_name', pid: 0, tid: 1, args: { name: 'cell[1]' } },
  { ph: 'M', name: 'thread_name', pid: 0, tid: 0, args: { name: 'cell[0]' } },
  { ph: 'X', name: 'compute', cat: 'process', pid: 0, tid: 0, ts: 5, dur: 2, args: { place: 'app.luau:3', phase: 'update' } },
  { ph: 'X', name: 'wait', cat: 'process', pid: 0, tid: 0, ts: 1, dur: 4 },
  { ph: 'X', name: 'allreduce', cat: 'collective', pid: 0, tid: 1, ts: 1, dur: 1 },
  { ph: 's', name: 'message', id: 7, pid: 0, tid: 0, ts: 0.5, args: { size_bytes: 64 } },
  { ph: 'f', name: 'message', id: 7, pid: 0, tid: 1, ts: 9 },
  { ph: 's', name: 'message', id: 8, pid: 0, tid: 0, ts: 2 },
] }));

it('sorts tracks and intervals', () => {
  expect(trace.tracks.map((track) => track.name)).toEqual(['cell[0]', 'cell[1]']);
  expect([...trace.tracks[0]!.start]).toEqual([1, 5]);
  expect(trace.kinds[trace.tracks[0]!.kind[1]!]).toBe('compute');
  expect(trace.notes[trace.tracks[0]!.note[1]!]).toBe('app.luau:3, phase update');
  expect(trace.kinds[trace.tracks[1]!.kind[0]!]).toBe('collective');
  expect(trace.intervals).toBe(3);
  expect([trace.begin, trace.end]).toEqual([0.5, 9]);
});

it('joins the two ends of a message, and leaves out what never arrived', () => {
  expect([...trace.messages.from]).toEqual([0]);
  expect([...trace.messages.to]).toEqual([1]);
  expect([...trace.messages.bytes]).toEqual([64]);
});

it('finds intervals by time', () => {
  expect(lowerBound(Float64Array.of(1, 3, 5), 3)).toBe(1);
  expect(intervalAt(trace.tracks[0]!, 4)).toBe(0);
  expect(intervalAt(trace.tracks[0]!, 5)).toBe(1);
  expect(intervalAt(trace.tracks[0]!, 99)).toBe(1);
});

it('stands an empty trace', () => {
  expect(readTrace('{}')).toMatchObject({ intervals: 0, begin: 0, end: 1 });
});
