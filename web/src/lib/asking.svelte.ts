/** What a page asks the server: a list that it shows, a change that it wants. */
import { explain } from './toast.svelte';

/** Something that is read, and read again after changes. */
export class Reading<T> {
  /** None before the first answer. */
  value = $state.raw<T | null>(null);
  /** Why it could not be read. */
  failure = $state('');
  readonly #read: () => Promise<T>;

  constructor(read: () => Promise<T>) {
    this.#read = read;
  }

  load = async () => {
    try {
      this.value = await this.#read();
      this.failure = '';
    } catch (error) {
      this.failure = explain(error);
    }
  };
}

/** A form on its way: whether it waits for the answer, and what was wrong. */
export class Asking {
  busy = $state(false);
  wrong = $state('');

  async ask(work: () => Promise<unknown>) {
    this.busy = true;
    this.wrong = '';
    try {
      await work();
    } catch (error) {
      this.wrong = explain(error);
    } finally {
      this.busy = false;
    }
  }
}
