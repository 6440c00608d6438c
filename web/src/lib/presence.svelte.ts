/** Who else looks at a file, and where in it. */
import { post } from './api';
import { subscribe } from './events';
import { session } from './session.svelte';

export interface Present {
  user: string;
  path: string;
  place: string;
}

const EVERY_MS = 15_000;

export class Presence {
  /** Others at this file. */
  others = $state.raw<Present[]>([]);
  readonly #project: string;
  readonly #path: string;
  #place = '';
  #stop: () => void;
  #timer: ReturnType<typeof setInterval>;
  #soon: ReturnType<typeof setTimeout> | undefined;

  constructor(project: string, path: string) {
    this.#project = project;
    this.#path = path;
    this.#stop = subscribe({ project, kinds: ['presence'] }, (event) => {
      if (event.kind === 'presence') this.#take(event.data as { items?: Present[] });
    });
    this.#timer = setInterval(() => void this.#sign(), EVERY_MS);
    void this.#sign();
  }

  close() {
    this.#stop();
    clearInterval(this.#timer);
    clearTimeout(this.#soon);
    // Who has signed out cannot say so any more. While an effect is torn down, the session is still what it was before.
    setTimeout(() => {
      if (session.user === null) return;
      void post(`/projects/${encodeURIComponent(this.#project)}/presence`, { path: null }).catch(() => {});
    });
  }

  /** The part that is chosen here. */
  at(place: string) {
    if (place === this.#place) return;
    this.#place = place;
    clearTimeout(this.#soon);
    this.#soon = setTimeout(() => void this.#sign(), 400);
  }

  async #sign() {
    if (session.user === null) return;
    try {
      this.#take(await post<{ items: Present[] }>(`/projects/${encodeURIComponent(this.#project)}/presence`, { path: this.#path, place: this.#place }));
    } catch {
      // Away, or not allowed: nobody is seen.
    }
  }

  #take(here: { items?: Present[] }) {
    const others = (here.items ?? []).filter((one) => one.path === this.#path && one.user !== session.user);
    if (JSON.stringify(others) !== JSON.stringify(this.others)) this.others = others;
  }
}

/** Two letters for a name. */
export const initials = (name: string) => (name.match(/[\p{L}\p{N}]+/gu) ?? [name]).map((word) => word[0]).join('').slice(0, 2).toUpperCase();
