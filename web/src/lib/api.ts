/**
 * Typed client of the API at `/api/v1`.
 *
 * Errors are `ApiError`, with the server's `problems`. A read that meets a server that is away (503, or no answer) is
 * repeated until it is back, and a banner says so; a write is repeated only where that is harmless.
 */
import { address, encodePath, json, request, type Options, type Query } from './http';
import type * as T from './types';

export { ApiError, address, encodePath, request, type Options, type Query } from './http';
export type * from './types';

export const get = <R>(path: string, query?: Query, signal?: AbortSignal) => json<R>('GET', path, { query, signal });
export const post = <R>(path: string, body: unknown = {}, options: Options = {}) =>
  json<R>('POST', path, { ...options, json: body });
export const patch = <R>(path: string, body: unknown) => json<R>('PATCH', path, { json: body });
export const put = <R>(path: string, body: unknown) => json<R>('PUT', path, { json: body });
export const remove = (path: string, headers?: Record<string, string>) => json<void>('DELETE', path, { headers });

/** Walks a paged list to its end, or to `most` items. */
export async function all<R>(path: string, query: Query = {}, most = 10_000, signal?: AbortSignal): Promise<R[]> {
  const items: R[] = [];
  let cursor: string | null = null;
  do {
    const page: T.Page<R> = await get<T.Page<R>>(path, { limit: 500, ...query, cursor }, signal);
    items.push(...page.items);
    cursor = page.next ?? null;
  } while (cursor && items.length < most);
  return items;
}

const p = (project: string) => `/projects/${encodeURIComponent(project)}`;
const j = (job: string) => `/jobs/${encodeURIComponent(job)}`;

export const health = () => get<T.Health>('/health');

export const projects = {
  list: () => all<T.Project>('/projects'),
  get: (project: string) => get<T.Project>(p(project)),
  create: (name: string, title: string) => post<T.Project>('/projects', { name, title }),
  change: (project: string, change: Partial<{ name: string; title: string; viewers_comment: boolean }>) => patch<T.Project>(p(project), change),
  remove: (project: string) => remove(p(project)),
  members: (project: string) => all<T.Member>(`${p(project)}/members`),
  setMember: (project: string, user: string, role: T.MemberRole) =>
    put<T.Member>(`${p(project)}/members/${encodeURIComponent(user)}`, { role }),
  removeMember: (project: string, user: string) => remove(`${p(project)}/members/${encodeURIComponent(user)}`),
};

export interface FileText {
  text: string;
  etag: string;
  /** Read from the ETag. */
  version: number;
}

/** What a header can hold. */
const encoded = (message: string) => message.replace(/[^\x20-\x24\x26-\x7e]/gu, encodeURIComponent);

function versionOf(etag: string): number {
  return Number(/^(?:W\/)?"v(\d+)-/.exec(etag)?.[1] ?? 0);
}

export const files = {
  list: (project: string, query: { kind?: string; q?: string; sort?: string } = {}, signal?: AbortSignal) =>
    all<T.FileItem>(`${p(project)}/files`, query, 20_000, signal),
  page: (project: string, query: Query = {}) => get<T.Page<T.FileItem>>(`${p(project)}/files`, query),
  /** Address of the raw bytes, for links and downloads. */
  address: (project: string, path: string, version?: number) =>
    address(`${p(project)}/files/${encodePath(path)}`, { version }),
  async read(project: string, path: string, version?: number, signal?: AbortSignal): Promise<FileText> {
    const answer = await request('GET', `${p(project)}/files/${encodePath(path)}`, { query: { version }, signal });
    const etag = answer.headers.get('ETag') ?? '';
    return { text: await answer.text(), etag, version: version ?? versionOf(etag) };
  },
  /** Writes over the version with `etag`; `null`: the file must be new. A stale one throws `ApiError` 412. */
  async write(project: string, path: string, content: BodyInit, etag: string | null, message?: string):
    Promise<{ item: T.FileItem; etag: string }> {
    const headers: Record<string, string> = { 'Content-Type': 'application/octet-stream' };
    if (etag === null) headers['If-None-Match'] = '*';
    else headers['If-Match'] = etag;
    if (message) headers['X-Runcast-Message'] = encoded(message);
    const answer = await request('PUT', `${p(project)}/files/${encodePath(path)}`, { body: content, headers, repeat: true });
    const item = (await answer.json()) as T.FileItem;
    return { item, etag: answer.headers.get('ETag') ?? `"v${item.version}-${item.digest.replace('sha256:', '').slice(0, 16)}"` };
  },
  /** As `write`, over what others have saved meanwhile: null where nothing had to be merged. What both changed is 412 with the places. */
  async merge(project: string, path: string, content: string, etag: string, message?: string): Promise<{ text: string | null; item: T.FileItem | null; etag: string }> {
    const headers: Record<string, string> = { 'Content-Type': 'application/octet-stream', 'If-Match': etag, 'X-Runcast-Merge': 'auto' };
    if (message) headers['X-Runcast-Message'] = encoded(message);
    const answer = await request('PUT', `${p(project)}/files/${encodePath(path)}`, { body: content, headers, repeat: true });
    const merged = answer.headers.get('X-Runcast-Merged') === 'true';
    const now = answer.headers.get('ETag') ?? '';
    return merged ? { text: await answer.text(), item: null, etag: now } : { text: null, item: (await answer.json()) as T.FileItem, etag: now };
  },
  remove: (project: string, path: string, etag: string) =>
    remove(`${p(project)}/files/${encodePath(path)}`, { 'If-Match': etag }),
  move: (project: string, from: string, to: string) => post<T.FileItem>(`${p(project)}/move`, { from, to }),
  versions: (project: string, path: string) => all<T.FileVersion>(`${p(project)}/versions/${encodePath(path)}`),
  validate: (path: string, content: string, signal?: AbortSignal) =>
    post<T.Validation>('/validate', { path, content }, { signal, repeat: true }),
};

export const archive = {
  address: (project: string) => address(`${p(project)}/archive`),
  load: (project: string, zip: Blob, mode: 'merge' | 'replace', dryRun: boolean) =>
    json<T.ArchiveAnswer>('POST', `${p(project)}/archive`, {
      query: { mode, dry_run: dryRun }, body: zip, headers: { 'Content-Type': 'application/zip' },
    }),
};

/** Random, for `Idempotency-Key` and the like; works without a secure context too. */
export function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

export const jobs = {
  list: (project: string, query: Query = {}) => get<T.Page<T.Job>>(`${p(project)}/jobs`, query),
  all: (project: string, query: Query = {}, most = 2_000) => all<T.Job>(`${p(project)}/jobs`, query, most),
  get: (job: string, signal?: AbortSignal) => get<T.Job>(j(job), {}, signal),
  /** Launched once, even when the answer is lost and the request is repeated. */
  launch: (project: string, launch: T.Launch) =>
    post<T.Job>(`${p(project)}/jobs`, launch, { headers: { 'Idempotency-Key': randomKey() }, repeat: true }),
  change: (job: string, change: { priority?: number; title?: string }) => patch<T.Job>(j(job), change),
  remove: (job: string) => remove(j(job)),
  cancel: (job: string) => post<T.Job>(`${j(job)}/cancel`),
  retry: (job: string) => post<T.Job>(`${j(job)}/retry`),
  tasks: (job: string) => all<T.Task>(`${j(job)}/tasks`),
  document: <D = unknown>(job: string, signal?: AbortSignal) => get<D>(`${j(job)}/document`, {}, signal),
  table: async (job: string, signal?: AbortSignal) => (await request('GET', `${j(job)}/table`, { signal })).text(),
  log: async (job: string, signal?: AbortSignal) => (await request('GET', `${j(job)}/log`, { signal })).text(),
  timeline: async (job: string, signal?: AbortSignal) => (await request('GET', `${j(job)}/timeline`, { signal })).text(),
  files: (job: string) => get<unknown>(`${j(job)}/files`),
  compare: (job: string, table: string, metric: string) =>
    get<T.Comparison>(`${j(job)}/compare`, { table, metric }),
  /** Address of one of its parts, for links, downloads and pictures. */
  address: (job: string, part: 'document' | 'table' | 'log' | 'timeline' | 'files' | 'plot.svg' | 'plot.png', query?: Query) =>
    address(`${j(job)}/${part}`, query),
};

export const results = {
  page: (project: string, query: Query, signal?: AbortSignal) => get<T.Page<T.ResultItem>>(`${p(project)}/results`, query, signal),
  columns: (project: string) => get<{ columns: string[] }>(`${p(project)}/settings/columns`),
  setColumns: (project: string, columns: string[]) => put<{ columns: string[] }>(`${p(project)}/settings/columns`, { columns }),
  compare: <D = Record<string, unknown>>(project: string, wish: { items: T.CompareItem[]; metric?: string; train?: string; at?: string[] }, signal?: AbortSignal) =>
    post<D>(`${p(project)}/compare`, wish, { signal, repeat: true }),
};

export const shares = {
  list: (project: string) => all<T.LinkView>(`${p(project)}/shares`),
  add: (project: string, target: string, seconds: number) => post<{ id: string; url: string; expires_at: string }>(`${p(project)}/shares`, { target, expires_in_s: seconds }),
  revoke: (id: string) => remove(`/shares/${encodeURIComponent(id)}`),
};

export const comments = {
  list: (project: string, target: string) => all<T.Remark>(`${p(project)}/comments`, { target }),
  add: (project: string, wish: { target: string; text: string; anchor?: string; reply_to?: string }) => post<T.Remark>(`${p(project)}/comments`, wish),
  change: (id: string, change: { text?: string; resolved?: boolean }) => patch<T.Remark>(`/comments/${encodeURIComponent(id)}`, change),
  remove: (id: string) => remove(`/comments/${encodeURIComponent(id)}`),
};

export const search = (q: string, project?: string, signal?: AbortSignal) => get<T.Page<T.Found>>('/search', { q, project: project || undefined }, signal);

export const batches = {
  launch: (project: string, launches: T.Launch[], atomic = true) =>
    post<T.Batch>(`${p(project)}/batches`, { jobs: launches, atomic }, { headers: { 'Idempotency-Key': randomKey() }, repeat: true }),
  get: (batch: string) => get<T.Batch>(`/batches/${encodeURIComponent(batch)}`),
  table: async (batch: string) => (await request('GET', `/batches/${encodeURIComponent(batch)}/table`)).text(),
  cancel: (batch: string) => post<T.Batch>(`/batches/${encodeURIComponent(batch)}/cancel`),
};

/** Runs a short command on given files; stores nothing. Rejects with `limit_wall` after 5 s. */
export const compute = <D = unknown>(argv: string[], given: Record<string, string>, project?: string, signal?: AbortSignal) =>
  post<D>('/compute', { argv, files: given, ...(project ? { project } : {}) }, { signal, repeat: true });

export const dryRun = (path: string, content: string, params: Record<string, unknown>, project?: string, signal?: AbortSignal) =>
  post<T.DryRun>('/dry-run', { path, content, params, ...(project ? { project } : {}) }, { signal, repeat: true });

/** Built-in and site entries; with `project`, those of the project too. */
export const catalogue = (query: { q?: string; kind?: string; sort?: string; project?: string } = {}) =>
  all<T.CatalogueEntry>('/catalogue', query);
export const templates = () => all<T.Template>('/templates');

export const users = {
  list: () => all<T.User>('/users'),
  create: (name: string, password: string, role: T.Role) => post<T.User>('/users', { name, password, role }),
  change: (name: string, change: { role?: T.Role; disabled?: boolean; password?: string; quotas?: Partial<T.Quotas> }) => patch<T.User>(`/users/${encodeURIComponent(name)}`, change),
};
export const tokens = {
  list: () => all<T.Token>('/tokens'),
  create: (wish: { name: string; scope: 'read' | 'write'; project?: string; expires_at?: string }) =>
    post<T.Token>('/tokens', wish),
  revoke: (id: string) => remove(`/tokens/${encodeURIComponent(id)}`),
};
export const workers = () => all<T.Worker>('/workers');
export const audit = (query: Query = {}) => get<T.Page<T.AuditEntry>>('/audit', query);
export const changePassword = (old: string, next: string) => put<void>('/password', { old, new: next });
