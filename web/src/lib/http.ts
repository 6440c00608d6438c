/** One request to the API: CSRF, errors as `ApiError`, patience with a server that is away. */
import { connection } from './connection.svelte';
import type { Problem } from './types';

const ROOT = '/api/v1';

export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly title: string;
  readonly problems: Problem[];
  /** Of the file as it is now, with 412. */
  readonly etag: string | null;
  readonly retryAfter: number | null;
  readonly incident: string | null;

  constructor(status: number, body: Record<string, unknown>, headers?: Headers) {
    const title = text(body.title) ?? (status ? `The server answered ${status}` : 'The server does not answer');
    super(text(body.detail) ?? title);
    this.name = 'ApiError';
    this.status = status;
    this.title = title;
    this.code = text(body.code) ?? (status ? `status_${status}` : 'away');
    this.problems = Array.isArray(body.problems) ? (body.problems as Problem[]) : [];
    this.etag = headers?.get('ETag') ?? text(body.etag);
    const wait = Number(headers?.get('Retry-After'));
    this.retryAfter = Number.isFinite(wait) && wait > 0 ? wait : null;
    this.incident = body.incident === undefined ? null : String(body.incident);
  }
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** Filled in by the session. */
export const caller = { csrf: '', ended: () => {} };

export type Query = Record<string, string | number | boolean | null | undefined>;

export interface Options {
  query?: Query;
  /** Sent as JSON. */
  json?: unknown;
  /** Sent as it is. */
  body?: BodyInit;
  headers?: Record<string, string>;
  signal?: AbortSignal;
  /** May a write be sent again when the server was away? Reads always are. */
  repeat?: boolean;
}

export function address(path: string, query: Query = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== '') search.set(name, String(value));
  }
  const tail = search.toString();
  return ROOT + path + (tail ? `?${tail}` : '');
}

/** Path segments of a file, each encoded. */
export function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}

const LONGEST_WAIT_S = 8;

export async function request(method: string, path: string, options: Options = {}): Promise<Response> {
  const safe = method === 'GET' || method === 'HEAD';
  const repeat = safe || options.repeat === true;
  let wait = 0.5;
  for (;;) {
    const headers = new Headers({ Accept: 'application/json, */*;q=0.5', ...options.headers });
    let body = options.body;
    if (options.json !== undefined) {
      body = JSON.stringify(options.json);
      headers.set('Content-Type', 'application/json');
    }
    if (!safe && caller.csrf) headers.set('X-Runcast-CSRF', caller.csrf);
    let answer: Response;
    try {
      answer = await fetch(address(path, options.query), {
        method, headers, body, signal: options.signal, credentials: 'same-origin', redirect: 'error',
      });
    } catch (cause) {
      if (options.signal?.aborted) throw cause;
      connection.lost();
      if (!repeat) throw new ApiError(0, { detail: 'The server does not answer. Nothing was changed, as far as this page knows' });
      await pause(wait, options.signal);
      wait = Math.min(wait * 2, LONGEST_WAIT_S);
      continue;
    }
    if (answer.status === 503) {
      const error = await problem(answer);
      connection.lost(error.message);
      if (!repeat) throw error;
      await pause(Math.min(error.retryAfter ?? wait, LONGEST_WAIT_S), options.signal);
      wait = Math.min(wait * 2, LONGEST_WAIT_S);
      continue;
    }
    connection.found();
    if (answer.ok || answer.status === 304) return answer;
    const error = await problem(answer);
    if (answer.status === 401 && path !== '/session') caller.ended();
    throw error;
  }
}

async function problem(answer: Response): Promise<ApiError> {
  const type = answer.headers.get('Content-Type') ?? '';
  let body: Record<string, unknown> = {};
  if (type.includes('json')) {
    try {
      body = (await answer.json()) as Record<string, unknown>;
    } catch {
      body = {};
    }
  }
  return new ApiError(answer.status, body, answer.headers);
}

function pause(seconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((done, fail) => {
    const stop = () => {
      clearTimeout(timer);
      fail(signal?.reason ?? new DOMException('Aborted', 'AbortError'));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      done();
    }, seconds * 1000);
    signal?.addEventListener('abort', stop, { once: true });
  });
}

export async function json<R>(method: string, path: string, options?: Options): Promise<R> {
  const answer = await request(method, path, options);
  const raw = await answer.text();
  return (raw === '' ? undefined : JSON.parse(raw)) as R;
}
