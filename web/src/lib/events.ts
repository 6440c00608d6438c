/**
 * Events of a project, shared by all tabs of a browser.
 *
 * HTTP/1.1 browsers open six connections a host, and an event stream holds one. So one tab, the leader, opens the
 * stream of a project and hands its events to the others over a BroadcastChannel; when it closes, another takes over.
 * At most `STREAMS` projects have a stream; further ones are asked to read anew every few seconds.
 */
import { randomKey } from './api';

export type EventKind = 'job' | 'progress' | 'log' | 'file' | 'comment' | 'presence' | 'reset';

export interface ServerEvent<D = Record<string, unknown>> {
  kind: EventKind;
  id: string;
  data: D;
}

interface Subscription {
  project: string;
  kinds: EventKind[] | null;
  job: string | null;
  handle: (event: ServerEvent) => void;
}

const KINDS: EventKind[] = ['job', 'progress', 'log', 'file', 'comment', 'presence', 'reset'];
const STREAMS = 3;
const POLL_MS = 5000;
const LEASE_MS = 6000;

const me = randomKey();
const subscriptions = new Set<Subscription>();
const stations = new Map<string, Station>();
const channel = typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel('runcast-events');

channel?.addEventListener('message', (message: MessageEvent<{ project: string; event: ServerEvent }>) => {
  deliver(message.data.project, message.data.event);
});

/**
 * Calls `handle` for events of the project: of these kinds (default: all), of this job. A `reset` always comes
 * through; it means that events may be missing, so read anew. Answers how to stop.
 */
export function subscribe(
  wish: { project: string; kinds?: EventKind[]; job?: string },
  handle: (event: ServerEvent) => void,
): () => void {
  const subscription: Subscription = { project: wish.project, kinds: wish.kinds ?? null, job: wish.job ?? null, handle };
  subscriptions.add(subscription);
  let station = stations.get(wish.project);
  if (!station) {
    station = new Station(wish.project);
    stations.set(wish.project, station);
  }
  station.users += 1;
  return () => {
    if (!subscriptions.delete(subscription)) return;
    station.users -= 1;
    // A page that follows takes over at once, so the stream is kept for a moment.
    setTimeout(() => {
      if (station.users > 0 || stations.get(wish.project) !== station) return;
      station.close();
      stations.delete(wish.project);
    }, 2000);
  };
}

/**
 * Calls `load` when something happens to jobs of the project, once for events that come close together; not for those
 * that `took` says it took in by itself. Answers how to stop.
 */
export function follow(project: string, load: () => void, took: (event: ServerEvent) => boolean = () => false): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = subscribe({ project, kinds: ['job', 'progress'] }, (event) => {
    if (took(event)) return;
    clearTimeout(timer);
    timer = setTimeout(load, 150);
  });
  return () => {
    stop();
    clearTimeout(timer);
  };
}

function deliver(project: string, event: ServerEvent) {
  for (const subscription of [...subscriptions]) {
    if (subscription.project !== project) continue;
    if (event.kind !== 'reset') {
      if (subscription.kinds && !subscription.kinds.includes(event.kind)) continue;
      if (subscription.job && jobOf(event) !== subscription.job) continue;
    }
    subscription.handle(event);
  }
}

function jobOf(event: ServerEvent): unknown {
  return event.data.job ?? event.data.id;
}

/** What this tab does for one project: waits for leadership, then listens for all tabs. */
class Station {
  users = 0;
  #stop = new AbortController();
  #project: string;

  constructor(project: string) {
    this.#project = project;
    void lead(`runcast-events-${project}`, this.#stop.signal, (lost) => this.#listen(lost));
  }

  close() {
    this.#stop.abort();
  }

  async #listen(lost: AbortSignal): Promise<void> {
    // What the leader before this one has missed is unknown.
    this.#tell({ kind: 'reset', id: '', data: {} });
    const free = await slot(lost, () => this.#stream(lost));
    if (!free) await this.#poll(lost);
  }

  /** Without a free stream: every tab reads anew now and then. */
  async #poll(lost: AbortSignal): Promise<void> {
    while (!lost.aborted) {
      await sleep(POLL_MS, lost);
      if (lost.aborted) return;
      const free = await slot(lost, () => this.#stream(lost));
      if (!free) this.#tell({ kind: 'reset', id: '', data: {} });
    }
  }

  async #stream(lost: AbortSignal): Promise<void> {
    let wait = 1000;
    while (!lost.aborted) {
      const opened = await this.#once(lost);
      if (lost.aborted) return;
      wait = opened ? 1000 : Math.min(wait * 2, 30_000);
      await sleep(wait, lost);
      if (!lost.aborted) this.#tell({ kind: 'reset', id: '', data: {} });
    }
  }

  /** One EventSource until it is closed for good; it reconnects by itself while it can. */
  #once(lost: AbortSignal): Promise<boolean> {
    return new Promise((done) => {
      const source = new EventSource(`/api/v1/projects/${encodeURIComponent(this.#project)}/events`);
      let opened = false;
      const end = () => {
        source.close();
        lost.removeEventListener('abort', end);
        done(opened);
      };
      source.onopen = () => (opened = true);
      source.onerror = () => {
        if (source.readyState === EventSource.CLOSED) end();
      };
      for (const kind of KINDS) {
        source.addEventListener(kind, (message) => {
          this.#tell({ kind, id: message.lastEventId, data: parse(message.data) });
        });
      }
      lost.addEventListener('abort', end, { once: true });
      if (lost.aborted) end();
    });
  }

  #tell(event: ServerEvent) {
    deliver(this.#project, event);
    channel?.postMessage({ project: this.#project, event });
  }
}

function parse(data: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(data);
    return value && typeof value === 'object' ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    const timer = setTimeout(finish, ms);
    function finish() {
      clearTimeout(timer);
      signal.removeEventListener('abort', finish);
      done();
    }
    signal.addEventListener('abort', finish, { once: true });
    if (signal.aborted) finish();
  });
}

/** Runs `work` while this tab alone leads under `name`; ends when `stop` is aborted. */
async function lead(name: string, stop: AbortSignal, work: (lost: AbortSignal) => Promise<void>): Promise<void> {
  if (navigator.locks) {
    try {
      await navigator.locks.request(name, { signal: stop }, () => work(stop));
    } catch (error) {
      if (!stop.aborted) throw error;
    }
    return;
  }
  // Plain HTTP beyond loopback has no Web Locks: a lease in localStorage does.
  while (!stop.aborted) {
    if (takeLease(name)) {
      const lost = new AbortController();
      const renew = setInterval(() => {
        if (!takeLease(name)) lost.abort();
      }, LEASE_MS / 3);
      const end = () => lost.abort();
      stop.addEventListener('abort', end, { once: true });
      await work(lost.signal);
      clearInterval(renew);
      if (stop.aborted) localStorage.removeItem(name);
    }
    await sleep(LEASE_MS / 2, stop);
  }
}

function takeLease(name: string): boolean {
  const [owner, until] = (localStorage.getItem(name) ?? '').split(' ');
  if (owner && owner !== me && Number(until) > Date.now()) return false;
  localStorage.setItem(name, `${me} ${Date.now() + LEASE_MS}`);
  return true;
}

/** Runs `work` if one of the few streams is free; false when none is. */
async function slot(lost: AbortSignal, work: () => Promise<void>): Promise<boolean> {
  if (!navigator.locks) {
    await work();
    return true;
  }
  for (let index = 0; index < STREAMS && !lost.aborted; index += 1) {
    const had = await navigator.locks.request(`runcast-stream-${index}`, { ifAvailable: true }, async (lock) => {
      if (!lock) return false;
      await work();
      return true;
    });
    if (had) return true;
  }
  return lost.aborted;
}
