-- Links by which people without an account see one result or report, as it was when the link was made.
CREATE TABLE share_links (
    id TEXT PRIMARY KEY,
    project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    job_id TEXT REFERENCES jobs (id) ON DELETE CASCADE,     -- the result; absent for a report
    token_hash {bytes} NOT NULL UNIQUE,         -- SHA-256 of what stands in the address
    target TEXT NOT NULL,                       -- job:ID, or the path of a report
    version {int} NOT NULL,                     -- of the report; 0 for a result
    title TEXT NOT NULL,
    digest TEXT NOT NULL REFERENCES blobs (digest),         -- the page
    created_at {int} NOT NULL,
    expires_at {int} NOT NULL
) {strict};
CREATE INDEX share_links_of_project ON share_links (project_id, id);
CREATE INDEX share_links_of_job ON share_links (job_id);
CREATE INDEX share_links_of_blob ON share_links (digest);

CREATE TABLE comments (
    id TEXT PRIMARY KEY,
    project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    job_id TEXT REFERENCES jobs (id) ON DELETE CASCADE,     -- the result that it is about; absent for a file
    reply_to TEXT REFERENCES comments (id) ON DELETE CASCADE,
    target TEXT NOT NULL,                       -- job:ID, or a path
    anchor TEXT NOT NULL,                       -- where in it
    digest TEXT,                                -- of the file that it was written about
    text TEXT NOT NULL,
    created_at {int} NOT NULL,
    edited_at {int},
    resolved_at {int}
) {strict};
CREATE INDEX comments_of_project ON comments (project_id, target, id);
CREATE INDEX comments_of_job ON comments (job_id);
CREATE INDEX comments_of_comment ON comments (reply_to);

-- What lists of results show and search, of jobs that have ended; made when a list first needs it.
CREATE TABLE result_facts (
    job_id TEXT PRIMARY KEY REFERENCES jobs (id) ON DELETE CASCADE,
    finished_at {int} NOT NULL,                 -- of the job: a retry makes other facts
    sentence TEXT,
    thumbnail TEXT,
    columns TEXT NOT NULL,                      -- JSON: of each column its values, or their ends
    words TEXT NOT NULL                         -- names of columns and words in them, in lower case
) {strict};

CREATE TABLE project_settings (
    project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    value TEXT NOT NULL,                        -- JSON
    PRIMARY KEY (project_id, name)
) {strict};
