/** The forecast beside the canvas: the curve of an experiment on this system, as it is drawn now and as it was saved. */
import { files } from '$lib/api';
import { seconds } from '$lib/format';
import type { OpenFile } from '$lib/file.svelte';
import { explain } from '$lib/toast.svelte';
import { plain, read } from '../toml';
import { Asking, type Line, type Point, type Remark } from './whatif';

/** After so long without a change, points that were only looked at quickly are computed exactly. */
const REST_MS = 400;
const EXACT_MS = 2000;
/** Experiments that are looked through. */
const MOST = 40;

export class Forecast {
  /** Experiments that run on this system. */
  experiments = $state.raw<string[]>([]);
  experiment = $state('');
  /** Null until it is known which there are. */
  found = $state<boolean | null>(null);
  points = $state.raw<Point[]>([]);
  /** The curve of the saved text. */
  before = $state.raw<Point[]>([]);
  remarks = $state.raw<Remark[]>([]);
  /** Why the curve did not move with the last edit. */
  unchanged = $state('');
  /** Whether the curve is of what a save would make of this and what others have saved. */
  merged = $state(false);
  failure = $state('');
  busy = $state(false);

  readonly #file: OpenFile;
  readonly #asking: Asking;
  #text = '';
  #rest: ReturnType<typeof setTimeout> | undefined;
  #coming: Point[] = [];
  /** What the curve on its way is of. */
  #isSaved = false;
  /** Whether it may take its time. */
  #isExact = false;

  constructor(file: OpenFile) {
    this.#file = file;
    this.#asking = new Asking(file.project, { begin: () => this.#begin(), line: (line) => this.#line(line), failed: (error) => this.#fail(error) });
    void this.#find();
  }

  close() {
    clearTimeout(this.#rest);
    this.#asking.close();
  }

  /** The parameter of the curve; '' where it has one point. */
  readonly param = $derived(Object.keys(this.points[0]?.at ?? {})[0] ?? '');

  /** From what it was to what it is, where the experiment stands. */
  readonly sentence = $derived.by(() => {
    const now = this.points[0];
    if (!now) return '';
    const where = this.param ? ` at ${this.param} = ${now.at[this.param]}` : '';
    if (now.time_s === null) return `No time${where}: ${now.note ?? 'it cannot be simulated'}`;
    const was = this.before.find((one) => JSON.stringify(one.at) === JSON.stringify(now.at))?.time_s;
    if (!was || was === now.time_s) return `${seconds(now.time_s)}${where}`;
    const change = (now.time_s / was - 1) * 100;
    const share = Math.abs(change) < 0.05 ? 'the same' : `${change > 0 ? '+' : '−'}${Math.abs(change).toPrecision(2)} %`;
    return `${seconds(was)} to ${seconds(now.time_s)}${where}, ${share}`;
  });

  /** The text changed, or another experiment was chosen. */
  follow(text: string) {
    if (!this.experiment || text === this.#text) return;
    this.#text = text;
    this.#ask();
  }

  choose(experiment: string) {
    this.experiment = experiment;
    this.points = [];
    this.before = [];
    this.unchanged = '';
    this.#text = this.#file.text;
    this.#ask();
  }

  #ask(budget?: number) {
    clearTimeout(this.#rest);
    this.busy = true;
    this.#isExact = budget !== undefined;
    const { path, etag, saved } = this.#file;
    // The saved one first: the curve that changes are seen against.
    const text = this.before.length === 0 && etag !== null ? saved : this.#text;
    this.#isSaved = text === saved && etag !== null;
    this.#asking.ask({ experiment: this.experiment, files: { [path]: text }, ...(etag ? { base_etag: etag } : {}), ...(budget ? { budget_ms: budget } : {}) });
  }

  #begin() {
    this.#coming = [];
    this.failure = '';
  }

  #line(line: Line) {
    if (line.kind === 'point') {
      const { kind: _, ...point } = line;
      this.#coming = [...this.#coming, point];
      // Not fewer points than there were, lest the curve jumps: those of before stay until theirs are there.
      this.points = [...this.#coming, ...this.points.filter((old) => !this.#coming.some((one) => JSON.stringify(one.at) === JSON.stringify(old.at)))].slice(0, Math.max(this.#coming.length, this.points.length));
    } else if (line.kind === 'remarks') this.remarks = line.items;
    else if (line.kind === 'unchanged') this.unchanged = line.because;
    else this.#end(line);
  }

  #end(line: Line & { kind: 'end' }) {
    if (line.reason === 'superseded') return;
    this.busy = false;
    if (line.reason === 'error') {
      this.failure = line.problems?.[0]?.message ?? 'It cannot be simulated as it is';
      return;
    }
    if (this.#coming.length > 0) this.points = this.#coming;
    this.merged = line.merged;
    const wasSaved = this.#isSaved;
    if (wasSaved && this.#coming.length > 0) this.before = this.#coming;
    const isShort = line.reason === 'budget' && (this.#coming.length === 0 || this.#coming.some((point) => point.note));
    if (isShort && this.#isExact && this.#coming.length === 0) this.failure = `Nothing is known within ${EXACT_MS / 1000} s: run the experiment`;
    else if (isShort && !this.#isExact) this.#rest = setTimeout(() => this.#ask(EXACT_MS), REST_MS);
    else if (wasSaved && this.#text !== this.#file.saved) this.#ask();
  }

  #fail(error: unknown) {
    this.busy = false;
    this.failure = explain(error);
  }

  async #find() {
    try {
      const { project, path } = this.#file;
      const all = (await files.list(project, { kind: 'experiment' })).slice(0, MOST);
      const named = await Promise.all(all.map(async ({ path: at }) => {
        const { text } = await files.read(project, at);
        return systemOf(text, at) === path ? at : null;
      }));
      this.experiments = named.filter((one) => one !== null);
      this.found = this.experiments.length > 0;
      if (this.experiments[0]) this.choose(this.experiments[0]);
    } catch (error) {
      this.found = false;
      this.#fail(error);
    }
  }
}

/** The path of the system that an experiment names, from the top of the project. */
export function systemOf(text: string, at: string): string | null {
  const { doc } = read(text);
  const named = doc?.root.entries.get('system');
  const value = named ? plain(named) : null;
  if (typeof value !== 'string') return null;
  const parts = at.split('/').slice(0, -1);
  for (const part of value.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.') parts.push(part);
  }
  return parts.join('/');
}
