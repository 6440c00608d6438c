/** What was typed and not yet saved, kept in this browser: survives a reload, signing out and a dead server. */
export interface Draft {
  text: string;
  /** ETag of the version it was made from; null for a new file. */
  base: string | null;
  at: number;
}

const PREFIX = 'runcast:draft:';
const name = (user: string, project: string, path: string) => `${PREFIX}${user}:${project}:${path}`;

export function keepDraft(user: string, project: string, path: string, draft: Draft): boolean {
  const text = JSON.stringify(draft);
  try {
    localStorage.setItem(name(user, project, path), text);
    return true;
  } catch {
    // Full: drop the oldest drafts of others first.
    const old = allDrafts().sort((a, b) => a.at - b.at);
    for (const { key } of old) {
      if (key === name(user, project, path)) continue;
      localStorage.removeItem(key);
      try {
        localStorage.setItem(name(user, project, path), text);
        return true;
      } catch {
        // Go on with the next.
      }
    }
    return false;
  }
}

export function readDraft(user: string, project: string, path: string): Draft | null {
  return parse(localStorage.getItem(name(user, project, path)));
}

export function dropDraft(user: string, project: string, path: string) {
  localStorage.removeItem(name(user, project, path));
}

/** Paths of a project that have a draft. */
export function draftsOf(user: string, project: string): string[] {
  const start = name(user, project, '');
  return allDrafts().filter(({ key }) => key.startsWith(start)).map(({ key }) => key.slice(start.length));
}

function allDrafts(): { key: string; at: number }[] {
  const found: { key: string; at: number }[] = [];
  for (let index = 0; index < localStorage.length; index += 1) {
    const key = localStorage.key(index);
    if (!key?.startsWith(PREFIX)) continue;
    found.push({ key, at: parse(localStorage.getItem(key))?.at ?? 0 });
  }
  return found;
}

function parse(text: string | null): Draft | null {
  if (!text) return null;
  try {
    const draft = JSON.parse(text) as Draft;
    return typeof draft.text === 'string' ? draft : null;
  } catch {
    return null;
  }
}
