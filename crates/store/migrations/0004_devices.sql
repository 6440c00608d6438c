-- Browsers that someone has logged in from: wrong passwords from elsewhere do not slow them down.
CREATE TABLE devices (
    token_hash {bytes} NOT NULL,                -- SHA-256 of what the cookie holds
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    expires_at {int} NOT NULL,
    PRIMARY KEY (token_hash, user_id)
) {strict};
