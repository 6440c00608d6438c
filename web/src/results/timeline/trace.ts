/** Chrome trace events of a run as arrays that can be searched and drawn quickly. Times are microseconds. */
export interface Track {
  name: string;
  group: string;
  /** Sorted by start. */
  start: Float64Array;
  end: Float64Array;
  kind: Uint16Array;
  /** What else is known of an interval: place and phase; index into `notes`. */
  note: Uint32Array;
}

export interface Messages {
  from: Uint32Array;
  to: Uint32Array;
  sent: Float64Array;
  arrived: Float64Array;
  bytes: Float64Array;
}

export interface Trace {
  tracks: Track[];
  kinds: string[];
  notes: string[];
  messages: Messages;
  begin: number;
  end: number;
  intervals: number;
}

interface Event {
  ph: string; name?: string; cat?: string; pid?: number; tid?: number; ts?: number; dur?: number; id?: number | string;
  args?: Record<string, unknown>;
}

export function readTrace(text: string): Trace {
  const document = JSON.parse(text) as { traceEvents?: Event[] } | Event[];
  const events = Array.isArray(document) ? document : (document.traceEvents ?? []);
  const groups = new Map<number, string>();
  const found = new Map<string, { name: string; group: number; order: number; events: Event[] }>();
  const track = (event: Event) => {
    const key = `${event.pid ?? 0}/${event.tid ?? 0}`;
    let one = found.get(key);
    if (!one) {
      one = { name: key, group: event.pid ?? 0, order: event.tid ?? 0, events: [] };
      found.set(key, one);
    }
    return one;
  };
  const sends = new Map<number | string, Event>();
  const ends = new Map<number | string, Event>();
  for (const event of events) {
    if (event.ph === 'X') track(event).events.push(event);
    else if (event.ph === 's' && event.id !== undefined) sends.set(event.id, event);
    else if (event.ph === 'f' && event.id !== undefined) ends.set(event.id, event);
    else if (event.ph === 'M' && event.name === 'process_name') groups.set(event.pid ?? 0, String(event.args?.name ?? ''));
    else if (event.ph === 'M' && event.name === 'thread_name') track(event).name = String(event.args?.name ?? '');
    else if (event.ph === 'M' && event.name === 'thread_sort_index') track(event).order = Number(event.args?.sort_index ?? 0);
  }
  const kinds: string[] = [];
  const kindOf = new Map<string, number>();
  const notes: string[] = [''];
  const noteOf = new Map<string, number>([['', 0]]);
  const number = (list: string[], index: Map<string, number>, text: string) => {
    let at = index.get(text);
    if (at === undefined) {
      at = list.length;
      list.push(text);
      index.set(text, at);
    }
    return at;
  };
  let begin = Infinity;
  let end = -Infinity;
  let intervals = 0;
  const keys = new Map<string, number>();
  const ordered = [...found.entries()].sort(([, a], [, b]) => a.group - b.group || a.order - b.order);
  const tracks = ordered.map(([key, one], index): Track => {
    keys.set(key, index);
    one.events.sort((a, b) => (a.ts ?? 0) - (b.ts ?? 0));
    const size = one.events.length;
    const made: Track = {
      name: one.name, group: groups.get(one.group) ?? '', start: new Float64Array(size), end: new Float64Array(size), kind: new Uint16Array(size), note: new Uint32Array(size),
    };
    one.events.forEach((event, at) => {
      const from = event.ts ?? 0;
      const to = from + (event.dur ?? 0);
      made.start[at] = from;
      made.end[at] = to;
      const name = event.cat === 'process' || !event.cat ? (event.name ?? '') : event.cat;
      made.kind[at] = number(kinds, kindOf, name);
      const args = event.args ?? {};
      const words = [name === event.name ? '' : (event.name ?? ''), text1(args.place), text1(args.phase) && `phase ${text1(args.phase)}`].filter(Boolean).join(', ');
      made.note[at] = number(notes, noteOf, words);
      if (from < begin) begin = from;
      if (to > end) end = to;
    });
    intervals += size;
    return made;
  });
  const pairs: [Event, Event][] = [];
  for (const [id, sent] of sends) {
    const arrived = ends.get(id);
    if (arrived && keys.has(`${sent.pid ?? 0}/${sent.tid ?? 0}`) && keys.has(`${arrived.pid ?? 0}/${arrived.tid ?? 0}`)) pairs.push([sent, arrived]);
  }
  pairs.sort(([a], [b]) => (a.ts ?? 0) - (b.ts ?? 0));
  const messages: Messages = {
    from: new Uint32Array(pairs.length), to: new Uint32Array(pairs.length), sent: new Float64Array(pairs.length), arrived: new Float64Array(pairs.length), bytes: new Float64Array(pairs.length),
  };
  pairs.forEach(([sent, arrived], index) => {
    messages.from[index] = keys.get(`${sent.pid ?? 0}/${sent.tid ?? 0}`)!;
    messages.to[index] = keys.get(`${arrived.pid ?? 0}/${arrived.tid ?? 0}`)!;
    messages.sent[index] = sent.ts ?? 0;
    messages.arrived[index] = arrived.ts ?? 0;
    messages.bytes[index] = Number(sent.args?.size_bytes ?? 0);
    begin = Math.min(begin, sent.ts ?? 0);
    end = Math.max(end, arrived.ts ?? 0);
  });
  if (!(end > begin)) [begin, end] = [Number.isFinite(begin) ? begin : 0, (Number.isFinite(begin) ? begin : 0) + 1];
  return { tracks, kinds, notes, messages, begin, end, intervals };
}

function text1(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** First index whose value is not below `wanted`. */
export function lowerBound(values: Float64Array, wanted: number): number {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The interval at a time, or the nearest before it. */
export function intervalAt(track: Track, time: number): number {
  const at = lowerBound(track.start, time);
  const before = at < track.start.length && track.start[at] === time ? at : at - 1;
  return Math.max(0, before);
}
