/** Shapes of the API, `/api/v1`. Times are RFC 3339 in UTC. */

export interface Problem {
  file?: string | null;
  line?: number | null;
  column?: number | null;
  end_line?: number | null;
  end_column?: number | null;
  pointer?: string | null;
  code: string;
  message: string;
  value?: string | null;
  allowed?: string | null;
  hint?: string | null;
  severity?: 'error' | 'warning' | string | null;
}

export interface Page<T> {
  items: T[];
  next: string | null;
}

export type Role = 'viewer' | 'author' | 'administrator';
export type MemberRole = 'viewer' | 'author' | 'owner';

export interface Session {
  user: string;
  role: Role;
  mode: 'single' | 'multi';
  csrf: string | null;
}

export interface Health {
  status: string;
  version: string;
  database: string;
  schema: number | string;
}

export interface Project {
  name: string;
  title: string;
  role?: MemberRole | null;
  created_at?: string;
  viewers_comment?: boolean;
  [more: string]: unknown;
}

export interface Member {
  user: string;
  role: MemberRole;
}

export interface Quotas {
  queued_points: number;
  running_tasks: number;
  stored_bytes: number;
  compute_per_s: number;
}

export interface User {
  name: string;
  role: Role;
  disabled: boolean;
  created_at: string;
  quotas: Quotas;
}

export interface Token {
  id: string;
  name: string;
  scope: 'read' | 'write';
  project?: string | null;
  expires_at?: string | null;
  created_at?: string;
  used_at?: string | null;
  /** Only in the answer that creates it. */
  token?: string;
}

export type FileKind =
  | 'system' | 'experiment' | 'application' | 'hardware' | 'formulas' | 'table' | 'trace' | 'recording' | 'model'
  | 'plan' | 'bsf' | 'bsp' | 'wavefront' | 'result' | 'report' | 'view' | 'other';

export interface FileItem {
  path: string;
  kind: FileKind;
  version: number;
  digest: string;
  bytes: number;
  valid: boolean;
  title: string | null;
  updated_at: string;
  updated_by: string;
  /** In the answer to PUT. */
  problems?: Problem[];
}

export interface FileVersion {
  version: number;
  digest: string;
  bytes: number;
  message: string | null;
  created_at: string;
  created_by: string;
  used_by: string[];
}

export interface Validation {
  valid: boolean;
  kind: FileKind;
  problems: Problem[];
}

export type JobState = 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled';

export interface JobError {
  code: string;
  message: string;
  problems: Problem[];
}

export interface Job {
  id: string;
  project: string;
  argv: string[];
  command_line: string;
  files: { path: string; version: number; digest: string }[];
  state: JobState;
  priority: number;
  title: string | null;
  batch: string | null;
  points_total: number;
  points_done: number;
  points_failed: number;
  attempts: number;
  error: JobError | null;
  created_by: string;
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
  limits: Record<string, unknown>;
  cpu_s: number | null;
  warnings: { code: string; message: string; file?: string; line?: number }[];
}

export interface Task {
  index: number;
  state: JobState;
  attempt: number;
  worker: string | null;
  points: unknown;
  started_at: string | null;
  finished_at: string | null;
  code: string | null;
}

export interface Launch {
  argv: string[];
  priority?: number;
  title?: string;
}

export interface Batch {
  id: string;
  jobs?: { index: number; id: string | null; problem: unknown }[];
  accepted?: number;
  rejected?: number;
  [more: string]: unknown;
}

export interface DryRun {
  params: { name: string; default: unknown; help: string | null }[];
  labels: { name: string; count: number }[];
  edges: { from: string; to: string; messages: number; bytes: number }[];
  counts: Record<string, unknown>;
  problems: Problem[];
}

export interface CatalogueEntry {
  name: string;
  kind: string;
  origin: 'built-in' | 'site' | 'project';
  attributes: {
    attribute: string;
    value: number | string | null;
    unit: string | null;
    quality: string | null;
    source: string | null;
  }[];
}

export interface Template {
  name: string;
  title: string;
  files: { path: string; content: string }[];
}

export interface Comparison {
  rows: { params: Record<string, number | string>; real: number; simulated: number; d_pct: number }[];
  d_avg_pct: number | null;
  d_max_pct: number | null;
  unmatched: unknown;
}

export interface Worker {
  id: string;
  name: string;
  kind: string;
  host: string;
  pid: number;
  sandbox: string;
  /** Tasks at once. */
  slots: number;
  running: number;
  started_at: string;
  seen_at: string;
}

export interface ArchiveAnswer {
  created: string[];
  changed: string[];
  unchanged: string[];
  removed: string[];
  problems: Problem[];
}

export interface AuditEntry {
  id: number;
  at: string;
  user: string;
  action: string;
  project: string | null;
  detail: string;
}

/** Events of a project; `reset` asks every page to read anew. */
export interface ProgressEvent {
  job: string;
  points_done: number;
  points_failed?: number;
  points_total: number;
  rate_per_s: number | null;
  eta_s: number | null;
}

/** A result in a list: its job, with what its table and document tell. */
export interface ResultItem extends Job {
  sentence: string | null;
  /** Path of an SVG of 100 by 40. */
  thumbnail: string | null;
  values: Record<string, unknown>;
  columns: string[];
}

export interface LinkView {
  id: string;
  target: string;
  version: number | null;
  title: string;
  created_by: string;
  created_at: string;
  expires_at: string;
}

export interface Remark {
  id: string;
  target: string;
  anchor: string;
  digest: string | null;
  text: string;
  author: string;
  created_at: string;
  edited_at: string | null;
  resolved_at: string | null;
  replies: Remark[];
}

export interface Found {
  kind: 'file' | 'result' | 'project';
  title: string;
  path: string;
  url: string;
}

export interface CompareItem {
  job?: string;
  table?: string;
  model?: string;
  label?: string;
}
