/** A job as a page follows it: state, progress, and a number that rises whenever its results may have grown. */
import { jobs, type Job, type ProgressEvent } from '$lib/api';
import { subscribe } from '$lib/events';
import { explain } from '$lib/toast.svelte';

const OPEN = new Set(['queued', 'running']);
export const isOpen = (job: Job | null) => job !== null && OPEN.has(job.state);

/** Results that grow are read anew at most this often. */
const LEAST_MS = 400;

export class FollowedJob {
  readonly id: string;
  job = $state.raw<Job | null>(null);
  failure = $state('');
  progress = $state.raw<ProgressEvent | null>(null);
  /** Rises when there may be new results. */
  results = $state(0);
  /** Rises when there may be new lines of the log. */
  lines = $state(0);
  readonly open = $derived(isOpen(this.job));
  #stop: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #last = 0;
  #reading = false;
  #again = false;

  constructor(project: string, id: string, known: Job | null = null) {
    this.id = id;
    this.job = known;
    this.#stop = subscribe({ project, job: id, kinds: ['job', 'progress', 'log'] }, (event) => {
      if (event.kind === 'log') {
        this.lines += 1;
      } else if (event.kind === 'progress') {
        const progress = event.data as unknown as ProgressEvent;
        this.progress = progress;
        if (this.job) this.job = { ...this.job, points_done: progress.points_done, points_total: progress.points_total };
        this.#soon();
      } else {
        void this.read();
      }
    });
    void this.read();
  }

  close() {
    this.#stop();
    clearTimeout(this.#timer);
  }

  async read(): Promise<void> {
    if (this.#reading) {
      this.#again = true;
      return;
    }
    this.#reading = true;
    try {
      do {
        this.#again = false;
        this.job = await jobs.get(this.id);
        this.failure = '';
        this.#grown();
        this.lines += 1;
      } while (this.#again);
    } catch (error) {
      this.failure = explain(error);
    } finally {
      this.#reading = false;
    }
  }

  #grown() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#last = performance.now();
    this.results += 1;
  }

  #soon() {
    if (this.#timer !== undefined) return;
    const wait = Math.max(0, LEAST_MS - (performance.now() - this.#last));
    this.#timer = setTimeout(() => this.#grown(), wait);
  }
}
