-- Jobs, their tasks and points, and who works on them.
CREATE TABLE batches (
    id TEXT PRIMARY KEY,
    project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL REFERENCES users (id),
    created_at {int} NOT NULL,
    answer TEXT NOT NULL                        -- JSON: what the POST was answered
) {strict};
CREATE INDEX batches_of_project ON batches (project_id);

CREATE TABLE jobs (
    id TEXT PRIMARY KEY,
    project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL REFERENCES users (id),
    batch_id TEXT REFERENCES batches (id) ON DELETE SET NULL,
    batch_index {int},
    title TEXT NOT NULL,
    argv TEXT NOT NULL,                         -- JSON: the command line without `runcast`
    task_argv TEXT NOT NULL,                    -- JSON: the same as it is run (site entries of the catalogue named)
    limits TEXT NOT NULL,                       -- JSON
    state TEXT NOT NULL,                        -- queued, running, succeeded, failed, cancelled
    priority {int} NOT NULL,
    cancel_asked {int} NOT NULL DEFAULT 0,
    points_total {int} NOT NULL,
    points_done {int} NOT NULL DEFAULT 0,
    points_failed {int} NOT NULL DEFAULT 0,
    tasks_total {int} NOT NULL,
    tasks_open {int} NOT NULL,                  -- those that are not terminal
    attempts {int} NOT NULL DEFAULT 0,
    error TEXT,                                 -- JSON {code,message,problems}
    warnings TEXT NOT NULL DEFAULT '[]',        -- JSON
    cpu_s {real} NOT NULL DEFAULT 0,
    created_at {int} NOT NULL,
    started_at {int},
    finished_at {int},
    progress_at {int} NOT NULL DEFAULT 0        -- when progress was told last
) {strict};
CREATE INDEX jobs_of_project ON jobs (project_id, id);
CREATE INDEX jobs_of_batch ON jobs (batch_id, batch_index);
CREATE INDEX jobs_by_state ON jobs (state, id);

-- The files that a job reads, frozen: their digests at the launch.
CREATE TABLE job_files (
    job_id TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
    path TEXT NOT NULL,
    version {int} NOT NULL,
    digest TEXT NOT NULL REFERENCES blobs (digest),
    PRIMARY KEY (job_id, path)
) {strict};
CREATE INDEX job_files_of_blob ON job_files (digest);

CREATE TABLE workers (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,                         -- server (in-process), worker, slurm
    host TEXT NOT NULL,
    pid {int} NOT NULL,
    server TEXT,                                -- of in-process workers: the server they belong to, the same after a restart
    sandbox TEXT NOT NULL,                      -- full, partial, limits
    slots {int} NOT NULL,
    started_at {int} NOT NULL,
    seen_at {int} NOT NULL
) {strict};

CREATE TABLE tasks (
    job_id TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
    number {int} NOT NULL,                      -- from 1
    user_id TEXT NOT NULL,
    priority {int} NOT NULL,
    first_point {int} NOT NULL,                 -- from 0
    points {int} NOT NULL,
    state TEXT NOT NULL,                        -- queued, running, succeeded, failed, cancelled
    attempt {int} NOT NULL DEFAULT 0,           -- the fencing token
    worker_id TEXT,
    lease_until {int},
    ready {int} NOT NULL DEFAULT 1,             -- no while it waits for `not_before`
    not_before {int} NOT NULL DEFAULT 0,
    tries {int} NOT NULL DEFAULT 0,             -- attempts that were lost or crashed, since the launch or a retry
    losses {int} NOT NULL DEFAULT 0,            -- attempts lost in a row without a new point
    crashes {int} NOT NULL DEFAULT 0,
    started_at {int},
    finished_at {int},
    code TEXT,
    PRIMARY KEY (job_id, number)
) {strict};
CREATE INDEX tasks_running ON tasks (lease_until) WHERE state = 'running';
CREATE INDEX tasks_of_worker ON tasks (worker_id) WHERE state = 'running';
CREATE INDEX tasks_ready ON tasks (user_id, priority DESC, job_id, number) WHERE state = 'queued' AND ready = 1;
CREATE INDEX tasks_oldest ON tasks (user_id, job_id, number) WHERE state = 'queued' AND ready = 1;
CREATE INDEX tasks_waiting ON tasks (not_before) WHERE state = 'queued' AND ready = 0;

-- A lane for each user who has launched something: what the fair order looks at, so that nothing is counted at a claim.
CREATE TABLE lanes (
    user_id TEXT PRIMARY KEY,
    ready {int} NOT NULL DEFAULT 0,             -- tasks that can be claimed
    running {int} NOT NULL DEFAULT 0,
    points {int} NOT NULL DEFAULT 0,            -- of queued tasks
    claimed_at {int} NOT NULL DEFAULT 0         -- 0: never; rises strictly
) {strict};
CREATE INDEX lanes_in_order ON lanes (running, claimed_at) WHERE ready > 0;
CREATE INDEX lanes_by_claim ON lanes (claimed_at);

CREATE TABLE points (
    job_id TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
    point {int} NOT NULL,                       -- from 0
    failed {int} NOT NULL,
    record TEXT NOT NULL,                       -- JSON: the row, or why it failed
    attempt {int} NOT NULL,
    cpu_s {real} NOT NULL,
    stored_at {int} NOT NULL,
    PRIMARY KEY (job_id, point)
) {strict};

-- What a job gives beside its points: `document`, `table`, `timeline`, `log`, `file/NAME`.
CREATE TABLE outputs (
    job_id TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    media TEXT NOT NULL,
    digest TEXT NOT NULL REFERENCES blobs (digest),
    size {int} NOT NULL,
    PRIMARY KEY (job_id, name)
) {strict};
CREATE INDEX outputs_of_blob ON outputs (digest);

CREATE TABLE events (
    id {serial},
    project_id TEXT NOT NULL,
    job_id TEXT,
    kind TEXT NOT NULL,                         -- job, progress, log, file
    data TEXT NOT NULL,                         -- JSON
    at {int} NOT NULL
) {strict};
CREATE INDEX events_of_project ON events (project_id, id);
CREATE INDEX events_at ON events (at);

-- Answers to POSTs with an `Idempotency-Key`, for 24 hours.
CREATE TABLE idempotency (
    user_id TEXT NOT NULL,
    idempotency_key TEXT NOT NULL,
    body_digest TEXT NOT NULL,
    status {int} NOT NULL,
    location TEXT,
    answer TEXT NOT NULL,
    created_at {int} NOT NULL,
    PRIMARY KEY (user_id, idempotency_key)
) {strict};
