-- People, projects and files. Times are microseconds since 1970; yes and no are 1 and 0.
CREATE TABLE users (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    name_key TEXT NOT NULL UNIQUE,              -- in lower case
    password_hash TEXT,                         -- PHC string; absent: nobody can log in by password
    role TEXT NOT NULL,                         -- viewer, author, administrator
    disabled {int} NOT NULL DEFAULT 0,
    created_at {int} NOT NULL
) {strict};

CREATE TABLE sessions (
    token_hash {bytes} PRIMARY KEY,             -- SHA-256 of what the cookie holds
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    csrf TEXT NOT NULL,
    created_at {int} NOT NULL,
    seen_at {int} NOT NULL,
    expires_at {int} NOT NULL
) {strict};
CREATE INDEX sessions_of_user ON sessions (user_id);

CREATE TABLE projects (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    name_key TEXT {binary} NOT NULL UNIQUE,
    title TEXT NOT NULL,
    created_at {int} NOT NULL,
    created_by TEXT NOT NULL                    -- name of the user
) {strict};

CREATE TABLE members (
    project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    role TEXT NOT NULL,                         -- viewer, author, owner
    PRIMARY KEY (project_id, user_id)
) {strict};
CREATE INDEX members_of_user ON members (user_id);

CREATE TABLE tokens (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    token_hash {bytes} NOT NULL UNIQUE,
    scope TEXT NOT NULL,                        -- read, write
    project_id TEXT REFERENCES projects (id) ON DELETE CASCADE,
    created_at {int} NOT NULL,
    expires_at {int},
    used_at {int}
) {strict};
CREATE INDEX tokens_of_user ON tokens (user_id);

-- One-time links by which the first administrator is made.
CREATE TABLE setup_links (
    token_hash {bytes} PRIMARY KEY,
    expires_at {int} NOT NULL
) {strict};

CREATE TABLE login_failures (
    id {serial},
    account TEXT NOT NULL,
    address TEXT NOT NULL,
    at {int} NOT NULL
) {strict};
CREATE INDEX login_failures_at ON login_failures (at);

CREATE TABLE quotas (
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    quota TEXT NOT NULL,
    value {int} NOT NULL,
    PRIMARY KEY (user_id, quota)
) {strict};

CREATE TABLE audit (
    id {serial},
    at {int} NOT NULL,
    user_name TEXT NOT NULL,
    action TEXT NOT NULL,
    project TEXT,
    detail TEXT NOT NULL
) {strict};

CREATE TABLE settings (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) {strict};

-- Contents, once each.
CREATE TABLE blobs (
    digest TEXT PRIMARY KEY,
    size {int} NOT NULL,
    bytes {bytes} NOT NULL,
    created_at {int} NOT NULL
) {strict};

CREATE TABLE files (
    project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    path_key TEXT {binary} NOT NULL,                     -- in lower case: paths are unique without regard to case
    path TEXT NOT NULL,
    kind TEXT {binary} NOT NULL,
    version {int} NOT NULL,
    digest TEXT NOT NULL REFERENCES blobs (digest),
    size {int} NOT NULL,
    valid {int} NOT NULL,
    title TEXT NOT NULL,
    title_key TEXT {binary} NOT NULL,           -- in lower case
    problems TEXT NOT NULL,                     -- JSON
    updated_at {int} NOT NULL,
    updated_by TEXT NOT NULL,
    PRIMARY KEY (project_id, path_key)
) {strict};
CREATE INDEX files_of_blob ON files (digest);

-- Versions stay when the file is deleted; one of the same path goes on counting.
CREATE TABLE versions (
    project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    path_key TEXT {binary} NOT NULL,
    version {int} NOT NULL,
    path TEXT NOT NULL,
    digest TEXT NOT NULL REFERENCES blobs (digest),
    size {int} NOT NULL,
    message TEXT NOT NULL,
    created_at {int} NOT NULL,
    created_by TEXT NOT NULL,
    PRIMARY KEY (project_id, path_key, version)
) {strict};
CREATE INDEX versions_of_blob ON versions (digest);

-- Bytes of all versions that a user has stored: what the quota is held against.
CREATE TABLE stored_bytes (
    user_name TEXT PRIMARY KEY,
    bytes {int} NOT NULL
) {strict};

-- Attributes of the hardware entries in files of projects (those of the project `site` hold everywhere).
CREATE TABLE hardware (
    project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    path_key TEXT {binary} NOT NULL,
    position {int} NOT NULL,
    name TEXT {binary} NOT NULL,
    kind TEXT NOT NULL,
    attribute TEXT NOT NULL,
    value TEXT NOT NULL,
    unit TEXT NOT NULL,
    quality TEXT NOT NULL,
    source TEXT NOT NULL,
    PRIMARY KEY (project_id, path_key, position)
) {strict};
CREATE INDEX hardware_by_name ON hardware (project_id, name);
