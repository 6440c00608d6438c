/** Light, dark or as the system; kept in this browser. */
export type Theme = 'system' | 'light' | 'dark';
const KEY = 'runcast:theme';

class ThemeChoice {
  choice = $state<Theme>('system');
  #systemDark = $state(false);
  readonly dark = $derived(this.choice === 'dark' || (this.choice === 'system' && this.#systemDark));

  start() {
    const kept = localStorage.getItem(KEY);
    if (kept === 'light' || kept === 'dark') this.choice = kept;
    const media = matchMedia('(prefers-color-scheme: dark)');
    this.#systemDark = media.matches;
    media.addEventListener('change', () => (this.#systemDark = media.matches));
    this.#apply();
  }

  set(choice: Theme) {
    this.choice = choice;
    if (choice === 'system') localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, choice);
    this.#apply();
  }

  toggle() {
    this.set(this.dark ? 'light' : 'dark');
  }

  #apply() {
    if (this.choice === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = this.choice;
  }
}

export const theme = new ThemeChoice();

let probe: HTMLElement | undefined;

/** What a color token such as `--series-1` is right now, for a <canvas>. Read `theme.dark` to follow changes. */
export function color(token: string): string {
  if (!probe) {
    probe = document.createElement('span');
    probe.hidden = true;
    document.body.append(probe);
  }
  probe.style.color = `var(${token})`;
  return getComputedStyle(probe).color;
}
