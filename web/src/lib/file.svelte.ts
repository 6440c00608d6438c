/**
 * One file of a project as a page works on it: text, history, draft, problems, saving, and what to do when somebody
 * else saved first. `FilePage` makes one and hands it to the page.
 */
import { ApiError, files, type FileKind, type Problem } from './api';
import { dropDraft, keepDraft, readDraft } from './drafts';
import { subscribe } from './events';
import { session } from './session.svelte';
import { explain, toast } from './toast.svelte';

export interface Conflict {
  /** As it is on the server now; null: it was deleted. */
  text: string | null;
  etag: string | null;
  version: number;
}

const STEPS = 300;
const SAME_STEP_MS = 900;

export class OpenFile {
  readonly project: string;
  readonly path: string;

  state = $state<'loading' | 'ready' | 'missing' | 'failed'>('loading');
  failure = $state('');
  /** What the page shows and changes; change it by `edit`. */
  text = $state.raw('');
  /** As on the server. */
  saved = $state.raw('');
  etag = $state.raw<string | null>(null);
  version = $state(0);
  kind = $state<FileKind | null>(null);
  problems = $state.raw<Problem[]>([]);
  /** Null until the server has looked at this text. */
  valid = $state<boolean | null>(null);
  saving = $state(false);
  savedAt = $state<number | null>(null);
  conflict = $state.raw<Conflict | null>(null);
  /** A version that another user saved while this page has changes. */
  newer = $state<{ version: number; by: string } | null>(null);
  /** When a save was merged with that of another user. */
  merged = $state<number | null>(null);
  /** When the text was brought back from a draft. */
  restored = $state<number | null>(null);
  /** Where the text editor shall go; set by `jump`. */
  target = $state.raw<{ line: number; column?: number | null } | null>(null);

  readonly isNew = $derived(this.etag === null && this.state === 'ready');
  readonly dirty = $derived(this.state === 'ready' && (this.etag === null || this.text !== this.saved));

  #undo = $state.raw<string[]>([]);
  #redo = $state.raw<string[]>([]);
  #lastEdit = { by: '', at: 0 };
  #draftTimer: ReturnType<typeof setTimeout> | undefined;
  #checkTimer: ReturnType<typeof setTimeout> | undefined;
  #checking: AbortController | undefined;
  #user: string;
  #stop: () => void;

  readonly canUndo = $derived(this.#undo.length > 0);
  readonly canRedo = $derived(this.#redo.length > 0);

  constructor(project: string, path: string, options: { initial?: string } = {}) {
    this.project = project;
    this.path = path;
    this.#user = session.user ?? '';
    this.#stop = subscribe({ project, kinds: ['file'] }, (event) => {
      // Without a path it is about many files at once.
      if (event.kind === 'reset' || event.data.path === path || event.data.path === null) void this.#look();
    });
    addEventListener('pagehide', this.#keep);
    void this.load(options.initial);
  }

  /** Call when the page goes away. */
  close() {
    this.#stop();
    removeEventListener('pagehide', this.#keep);
    this.#keep();
    clearTimeout(this.#checkTimer);
    this.#checking?.abort();
  }

  async load(initial?: string): Promise<void> {
    this.state = 'loading';
    const draft = readDraft(this.#user, this.project, this.path);
    try {
      const now = await files.read(this.project, this.path);
      this.#server(now.text, now.etag, now.version);
      this.text = now.text;
      if (draft && draft.text !== now.text) {
        this.text = draft.text;
        this.restored = draft.at;
        if (draft.base !== now.etag) this.conflict = { text: now.text, etag: now.etag, version: now.version };
      } else {
        dropDraft(this.#user, this.project, this.path);
      }
      this.state = 'ready';
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) {
        if (draft || initial !== undefined) {
          this.text = draft?.text ?? initial ?? '';
          this.restored = draft?.at ?? null;
          this.etag = null;
          this.state = 'ready';
        } else {
          this.state = 'missing';
        }
      } else {
        this.state = 'failed';
        this.failure = explain(error);
      }
    }
    if (this.state === 'ready') this.#checkSoon(0);
  }

  #server(text: string, etag: string, version: number) {
    this.saved = text;
    this.etag = etag;
    this.version = version;
    this.newer = null;
  }

  /** Changes the text. Quick edits by the same hand (`by`) become one step of undo; '' is always a step. */
  edit(text: string, by = '') {
    if (text === this.text) return;
    const now = Date.now();
    const same = by !== '' && by === this.#lastEdit.by && now - this.#lastEdit.at < SAME_STEP_MS;
    if (!same) this.#undo = [...this.#undo.slice(1 - STEPS), this.text];
    this.#redo = [];
    this.#lastEdit = { by, at: now };
    this.#put(text);
  }

  undo() {
    const last = this.#undo.at(-1);
    if (last === undefined) return;
    this.#undo = this.#undo.slice(0, -1);
    this.#redo = [...this.#redo, this.text];
    this.#lastEdit = { by: '', at: 0 };
    this.#put(last);
  }

  redo() {
    const next = this.#redo.at(-1);
    if (next === undefined) return;
    this.#redo = this.#redo.slice(0, -1);
    this.#undo = [...this.#undo, this.text];
    this.#lastEdit = { by: '', at: 0 };
    this.#put(next);
  }

  #put(text: string) {
    this.text = text;
    clearTimeout(this.#draftTimer);
    this.#draftTimer = setTimeout(this.#keep, 300);
    this.#checkSoon(350);
  }

  #keep = () => {
    clearTimeout(this.#draftTimer);
    if (this.state !== 'ready') return;
    if (this.text === this.saved && this.etag !== null) dropDraft(this.#user, this.project, this.path);
    else if (this.text !== '' || this.etag !== null) {
      keepDraft(this.#user, this.project, this.path, { text: this.text, base: this.etag, at: Date.now() });
    }
  };

  #checkSoon(ms: number) {
    clearTimeout(this.#checkTimer);
    this.#checkTimer = setTimeout(() => void this.#check(), ms);
  }

  async #check(): Promise<void> {
    this.#checking?.abort();
    const mine = new AbortController();
    this.#checking = mine;
    const text = this.text;
    try {
      const answer = await files.validate(this.path, text, mine.signal);
      if (mine.signal.aborted || text !== this.text) return;
      this.valid = answer.valid;
      this.kind = answer.kind;
      this.problems = answer.problems;
    } catch {
      // Aborted, or the server will be asked again after the next change.
    }
  }

  /** True when it is on the server now. */
  async save(message?: string): Promise<boolean> {
    if (this.saving || this.state !== 'ready') return false;
    if (!this.dirty) return true;
    const text = this.text;
    this.saving = true;
    try {
      const { item, etag, merged } = await this.#write(text, message);
      if (merged !== null) return this.#took(text, merged, etag);
      this.#stored(text, etag, item.version);
      this.kind = item.kind;
      if (item.problems && text === this.text) {
        this.problems = item.problems;
        this.valid = item.valid;
      }
      return true;
    } catch (error) {
      if (error instanceof ApiError && (error.status === 412 || error.status === 428)) return await this.#meet(text);
      toast.error(error);
      return false;
    } finally {
      this.saving = false;
    }
  }

  /** A new file, or one that is merged with what others have saved meanwhile. */
  async #write(text: string, message?: string) {
    if (this.etag === null) return { ...(await files.write(this.project, this.path, text, null, message)), merged: null };
    const { item, etag, text: merged } = await files.merge(this.project, this.path, text, this.etag, message);
    return merged === null || item ? { item: item!, etag, merged: null } : { item: null, etag, merged };
  }

  /** What was stored holds the changes of others, too; what was typed meanwhile stays a draft beside them. */
  #took(sent: string, merged: string, etag: string): boolean {
    const version = Number(/^(?:W\/)?"v(\d+)-/.exec(etag)?.[1] ?? 0);
    const typed = this.text !== sent;
    this.#stored(merged, etag, version);
    if (!typed) this.edit(merged);
    this.merged = Date.now();
    return true;
  }

  #stored(text: string, etag: string, version: number) {
    this.#server(text, etag, version);
    this.conflict = null;
    this.restored = null;
    this.savedAt = Date.now();
    this.#keep();
  }

  /** The server has another version than the one this text was made from. */
  async #meet(text: string): Promise<boolean> {
    try {
      const now = await files.read(this.project, this.path);
      if (now.text === text) {
        // Our own write, whose answer was lost.
        this.#stored(text, now.etag, now.version);
        return true;
      }
      this.conflict = { text: now.text, etag: now.etag, version: now.version };
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) this.conflict = { text: null, etag: null, version: 0 };
      else toast.error(error);
    }
    this.#keep();
    return false;
  }

  /** Ends a conflict: `text` becomes the text here, made from what the server has now. It is not saved yet. */
  resolve(text: string) {
    const conflict = this.conflict;
    if (!conflict) return;
    this.edit(text);
    this.saved = conflict.text ?? '';
    this.etag = conflict.etag;
    this.version = conflict.version;
    this.conflict = null;
    this.newer = null;
    this.#keep();
  }

  /** Takes what the server has and forgets the changes here (undo brings them back). */
  discard() {
    this.edit(this.saved);
    this.restored = null;
    this.#keep();
  }

  jump(line: number, column?: number | null) {
    this.target = { line, column };
  }

  /** Another user changed it: taken over at once when nothing is unsaved here. */
  async #look(): Promise<void> {
    if (this.state !== 'ready' || this.saving || this.conflict) return;
    try {
      const now = await files.read(this.project, this.path);
      if (now.etag === this.etag || this.saving) return;
      if (now.text === this.text || this.text === this.saved) {
        this.#server(now.text, now.etag, now.version);
        if (this.text !== now.text) this.edit(now.text);
        this.#keep();
      } else {
        this.newer = { version: now.version, by: '' };
      }
    } catch {
      // Deleted or away: saving will tell.
    }
  }

  /** Shows both versions before a save meets them. */
  compareWithNewer() {
    void this.#meet(this.text);
  }
}
