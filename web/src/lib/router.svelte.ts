/**
 * Addresses and pages. `/p/PROJECT/SECTION/REST?state`: what a page shows (tab, filter, axes) is in the query, so a
 * link shows the same thing.
 */
const SECTIONS = [
  'systems', 'hardware', 'formulas', 'applications', 'experiments', 'results', 'compare', 'tables', 'models', 'recordings',
  'calculators', 'reports', 'jobs', 'settings',
] as const;
export type Section = 'dashboard' | 'login' | 'setup' | 'unknown' | (typeof SECTIONS)[number];

const LAST_PROJECT = 'runcast:project';

class Router {
  #url = $state.raw(new URL(location.href));
  /** The project looked at last, so that `/` has one. */
  #last = $state(localStorage.getItem(LAST_PROJECT) ?? '');
  /** Asked before a page is left; false keeps it. */
  #guards = new Set<() => boolean>();

  readonly #parts = $derived.by(() => this.#url.pathname.split('/').filter(Boolean).map(decode));
  /** How many parts come before the rest. */
  readonly #head = $derived(this.#parts[0] === 'p' ? 3 : 1);
  readonly project = $derived(this.#parts[0] === 'p' ? (this.#parts[1] ?? '') : this.#last);
  readonly section = $derived.by((): Section => {
    if (this.#parts.length === 0) return 'dashboard';
    if (this.#parts[0] === 'login' || this.#parts[0] === 'setup') return this.#parts[0];
    // Without a project it is the one looked at last: `/settings`.
    const name = this.#parts[this.#head - 1] ?? 'dashboard';
    if (name === 'dashboard') return name;
    return (SECTIONS as readonly string[]).includes(name) ? (name as Section) : 'unknown';
  });
  /** What follows the section: the path of a file, the id of a job. */
  readonly rest = $derived(this.#parts.slice(this.#head).join('/'));

  constructor() {
    addEventListener('popstate', () => this.#arrive());
  }

  get url(): URL {
    return this.#url;
  }

  get query(): URLSearchParams {
    return this.#url.searchParams;
  }

  #arrive() {
    this.#url = new URL(location.href);
    const parts = this.#parts;
    if (parts[0] === 'p' && parts[1] && parts[1] !== this.#last) this.remember(parts[1]);
  }

  remember(project: string) {
    this.#last = project;
    localStorage.setItem(LAST_PROJECT, project);
  }

  /** Called once at the start. */
  start() {
    this.#arrive();
  }

  go(to: string, options: { replace?: boolean } = {}) {
    const url = new URL(to, location.href);
    if (url.origin !== location.origin) return;
    const leaves = url.pathname !== this.#url.pathname;
    if (leaves && ![...this.#guards].every((guard) => guard())) return;
    history[options.replace ? 'replaceState' : 'pushState'](null, '', url);
    this.#arrive();
    if (leaves) scrollTo(0, 0);
  }

  /** Changes names in the query; null or '' takes one away. Adds no entry to the history unless asked to. */
  setQuery(change: Record<string, string | number | null | undefined>, options: { push?: boolean } = {}) {
    const url = new URL(location.href);
    for (const [name, value] of Object.entries(change)) {
      if (value === null || value === undefined || value === '') url.searchParams.delete(name);
      else url.searchParams.set(name, String(value));
    }
    if (url.href === location.href) return;
    history[options.push ? 'pushState' : 'replaceState'](null, '', url);
    this.#url = url;
  }

  guard(ask: () => boolean): () => void {
    this.#guards.add(ask);
    return () => this.#guards.delete(ask);
  }
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export const router = new Router();

/** Address of a page: `link('demo', 'systems', 'systems/galera.toml', { tab: 'text' })`. */
export function link(project: string, section: Section = 'dashboard', rest = '', query: Record<string, string> = {}): string {
  const tail = rest ? '/' + rest.split('/').map(encodeURIComponent).join('/') : '';
  const search = new URLSearchParams(query).toString();
  const middle = section === 'dashboard' ? '' : `/${section}`;
  const head = project ? `/p/${encodeURIComponent(project)}` : '';
  return `${head}${middle || (project ? '' : '/')}${tail}${search ? `?${search}` : ''}`;
}

/**
 * A piece of state that lives in the query: `const tab = query('tab', 'curves')`, then `tab.value` (reactive) and
 * `tab.value = 'table'`. The default is not written.
 */
export function query(name: string, fallback = '', options: { push?: boolean } = {}): { value: string } {
  return {
    get value() {
      return router.query.get(name) ?? fallback;
    },
    set value(next: string) {
      router.setQuery({ [name]: next === fallback ? null : next }, options);
    },
  };
}

/** The same for a number. */
export function queryNumber(name: string, fallback: number): { value: number } {
  const inner = query(name, String(fallback));
  return {
    get value() {
      const number = Number(inner.value);
      return Number.isFinite(number) ? number : fallback;
    },
    set value(next: number) {
      inner.value = String(next);
    },
  };
}

/** The same for a list of words. Commas in a word are kept. */
export function queryList(name: string, fallback: string[] = []): { value: string[] } {
  const inner = query(name, fallback.map(encodeURIComponent).join(','));
  return {
    get value() {
      return inner.value === '' ? [] : inner.value.split(',').map(decode);
    },
    set value(next: string[]) {
      inner.value = next.map(encodeURIComponent).join(',');
    },
  };
}

/** Follows links inside the application without loading the page again. */
export function followLinks(event: MouseEvent) {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const anchor = (event.target as Element | null)?.closest?.('a');
  if (!anchor || anchor.target || anchor.hasAttribute('download') || anchor.origin !== location.origin) return;
  if (anchor.pathname.startsWith('/api/')) return;
  if (anchor.getAttribute('href')?.startsWith('#')) return;
  event.preventDefault();
  router.go(anchor.href);
}
