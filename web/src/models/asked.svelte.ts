/** What a short command answers: the latest question counts, an older one is given up. */
import { ApiError, compute, type Problem } from '$lib/api';
import { explain } from '$lib/toast.svelte';

export class Asked<D extends object = Record<string, unknown>> {
  answer = $state.raw<D | null>(null);
  problems = $state.raw<Problem[]>([]);
  failure = $state('');
  busy = $state(false);
  /** The command took too long for an answer at once. */
  slow = $state(false);
  #stop: AbortController | null = null;

  async ask(argv: string[], given: Record<string, string>, project?: string): Promise<D | null> {
    this.#stop?.abort();
    const stop = (this.#stop = new AbortController());
    this.busy = true;
    try {
      const answer = await compute<D>(argv, given, project, stop.signal);
      if (stop.signal.aborted) return null;
      this.answer = answer;
      this.problems = [];
      this.failure = '';
      this.slow = false;
      return answer;
    } catch (error) {
      if (stop.signal.aborted) return null;
      this.failure = explain(error);
      this.problems = error instanceof ApiError ? error.problems : [];
      this.slow = error instanceof ApiError && error.code === 'limit_wall';
      return null;
    } finally {
      if (this.#stop === stop) this.busy = false;
    }
  }

  stop() {
    this.#stop?.abort();
    this.busy = false;
  }

  clear() {
    this.stop();
    this.answer = null;
    this.problems = [];
    this.failure = '';
  }
}
