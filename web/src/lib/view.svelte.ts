/**
 * How a file looks on a page: positions on a canvas, axes, the overlay; kept in `NAME.view.json` beside `NAME.*`.
 * Commands ignore it, losing it loses only looks, so it saves by itself and the last writer wins.
 */
import { ApiError, files } from './api';
import { session } from './session.svelte';

export class View<T extends object> {
  /** Deeply reactive: change it in place. Then call `changed()`. */
  value = $state() as T;
  ready = $state(false);
  readonly path: string;
  #project: string;
  #etag: string | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #writing = Promise.resolve();

  constructor(project: string, ofPath: string, initial: T) {
    this.#project = project;
    this.path = ofPath.replace(/\.[^./]+$/, '') + '.view.json';
    this.value = initial;
    void this.#load(initial);
  }

  async #load(initial: T) {
    try {
      // Asked for by a list: most files have no looks yet, and a browser complains aloud of every 404.
      const known = await files.list(this.#project, { kind: 'view', q: this.path });
      if (!known.some((file) => file.path === this.path)) {
        this.ready = true;
        return;
      }
      const now = await files.read(this.#project, this.path);
      this.#etag = now.etag;
      const parsed: unknown = JSON.parse(now.text);
      if (parsed && typeof parsed === 'object' && !Array.isArray(parsed)) this.value = { ...initial, ...(parsed as Partial<T>) };
    } catch {
      // None yet, or not readable: the looks begin anew.
    }
    this.ready = true;
  }

  changed(ms = 600) {
    if (!session.author) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.flush(), ms);
  }

  /** Writes now; call it when the page goes away. */
  flush(): Promise<void> {
    if (this.#timer === undefined) return this.#writing;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const text = JSON.stringify($state.snapshot(this.value), null, 1) + '\n';
    this.#writing = this.#writing.then(() => this.#write(text));
    return this.#writing;
  }

  async #write(text: string, again = true): Promise<void> {
    try {
      const { etag } = await files.write(this.#project, this.path, text, this.#etag);
      this.#etag = etag;
    } catch (error) {
      if (!(again && error instanceof ApiError && error.status === 412)) return;
      try {
        this.#etag = (await files.read(this.#project, this.path)).etag;
      } catch {
        this.#etag = null;
      }
      await this.#write(text, false);
    }
  }
}
