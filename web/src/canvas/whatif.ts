/** Asks what would be: lines of a curve as they come, one request at a time, the newest text only. */
import { request } from '$lib/http';
import { randomKey } from '$lib/api';
import type { Problem } from '$lib/types';

export interface Point {
  at: Record<string, number>;
  time_s: number | null;
  low_s: number | null;
  high_s: number | null;
  fidelity: string;
  cached: boolean;
  note?: string;
}

export type Mend =
  | { do: 'set'; part: string; key: string; value: string }
  | { do: 'connect'; of: string; hardware: string }
  | { do: 'move'; part: string; of: string }
  | { do: 'topology'; network: number; value: string };

export interface Remark {
  code: string;
  message: string;
  part: string | null;
  mend: Mend | null;
}

export type Line =
  | ({ kind: 'point' } & Point)
  | { kind: 'unchanged'; because: string }
  | { kind: 'remarks'; items: Remark[] }
  | { kind: 'end'; reason: 'done' | 'budget' | 'superseded' | 'error'; points: number; cpu_ms: number; merged: boolean; problems?: Problem[] };

export interface Wish {
  experiment: string;
  base_etag?: string;
  files: Record<string, string>;
  budget_ms?: number;
}

/** A newer wish waits this long for the answer to the one before. */
const PATIENCE_MS = 60;
/** After a refusal. */
const REST_MS = 500;

export interface Heard {
  begin(): void;
  line(line: Line): void;
  failed(error: unknown): void;
}

/** One request in flight, one pending, which newer wishes replace. */
export class Asking {
  #session = randomKey().slice(0, 16);
  #seq = 0;
  #pending: Wish | null = null;
  #flying = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #stop = new AbortController();
  readonly #project: string;
  readonly #heard: Heard;

  constructor(project: string, heard: Heard) {
    this.#project = project;
    this.#heard = heard;
  }

  ask(wish: Wish) {
    this.#pending = wish;
    if (this.#flying === 0) this.#send();
    else this.#timer ??= setTimeout(() => this.#send(), PATIENCE_MS);
  }

  close() {
    clearTimeout(this.#timer);
    this.#pending = null;
    this.#stop.abort();
  }

  #send() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const wish = this.#pending;
    this.#pending = null;
    if (wish) void this.#fly(wish);
  }

  async #fly(wish: Wish) {
    this.#seq += 1;
    const seq = this.#seq;
    this.#flying += 1;
    let rest = false;
    try {
      const answer = await request('POST', `/projects/${encodeURIComponent(this.#project)}/whatif`, {
        json: { session: this.#session, seq, ...wish }, signal: this.#stop.signal,
      });
      if (seq === this.#seq) this.#heard.begin();
      for await (const line of lines(answer)) if (seq === this.#seq) this.#heard.line(line);
    } catch (error) {
      if (this.#stop.signal.aborted) return;
      if ((error as { status?: number }).status === 429) {
        rest = true;
        this.#pending ??= wish;
      } else if (seq === this.#seq) this.#heard.failed(error);
    } finally {
      this.#flying -= 1;
    }
    if (this.#stop.signal.aborted || !this.#pending || this.#flying > 0) return;
    if (rest) this.#timer ??= setTimeout(() => this.#send(), REST_MS);
    else this.#send();
  }
}

/** Lines of JSON as they come. */
export async function* lines(answer: Response): AsyncGenerator<Line> {
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (!reader) return;
  let rest = '';
  for (;;) {
    const { value, done } = await reader.read();
    rest += value ?? '';
    const whole = rest.split('\n');
    rest = done ? '' : (whole.pop() ?? '');
    for (const text of whole) if (text.trim()) yield JSON.parse(text) as Line;
    if (done) return;
  }
}
