/** Who is signed in. `user` is null until `begin` has asked, and after the session ended. */
import { ApiError, caller, request } from './http';
import type { Session } from './types';

class CurrentSession {
  user = $state<string | null>(null);
  role = $state<Session['role']>('viewer');
  mode = $state<Session['mode']>('single');
  /** False until the first answer. */
  known = $state(false);
  #channel = typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel('runcast-session');

  constructor() {
    caller.ended = () => this.ended();
    // Signing in or out in one tab does so in all.
    this.#channel?.addEventListener('message', () => void this.start());
  }

  get administrator() {
    return this.role === 'administrator';
  }

  get author() {
    return this.role !== 'viewer';
  }

  set(session: Session) {
    this.user = session.user;
    this.role = session.role;
    this.mode = session.mode;
    caller.csrf = session.csrf ?? '';
    this.known = true;
  }

  ended() {
    this.user = null;
    caller.csrf = '';
    this.known = true;
  }

  /** When a page begins. It says whether the browser sent a cookie: without one there is nothing to ask. */
  async begin(): Promise<void> {
    if (document.querySelector<HTMLMetaElement>('meta[name=runcast-session]')?.content === 'none') this.ended();
    else await this.start();
  }

  async start(): Promise<void> {
    try {
      this.set((await (await request('GET', '/session')).json()) as Session);
    } catch (error) {
      if (error instanceof ApiError) this.ended();
      else throw error;
    }
  }

  async signIn(name: string, password: string): Promise<void> {
    const answer = await request('POST', '/session', { json: { name, password } });
    const body = (await answer.json().catch(() => null)) as Session | null;
    if (body?.csrf) this.set(body);
    else await this.start();
    this.#channel?.postMessage('in');
  }

  /** The first administrator, by the link that a server without users prints. */
  async setUp(token: string, name: string, password: string): Promise<void> {
    this.set((await (await request('POST', '/setup', { json: { token, name, password } })).json()) as Session);
    this.#channel?.postMessage('in');
  }

  async signOut(): Promise<void> {
    await request('DELETE', '/session');
    this.ended();
    this.#channel?.postMessage('out');
  }
}

export const session = new CurrentSession();
