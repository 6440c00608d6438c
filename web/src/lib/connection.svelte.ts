/** Whether the server answers. The shell shows a banner while it does not. */
class Connection {
  away = $state(false);
  reason = $state('');
  #timer: ReturnType<typeof setTimeout> | undefined;

  lost(reason = '') {
    this.reason = reason;
    if (this.away) return;
    this.away = true;
    this.#ask();
  }

  found() {
    if (!this.away) return;
    this.away = false;
    clearTimeout(this.#timer);
  }

  #ask() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(async () => {
      try {
        const answer = await fetch('/api/v1/health', { credentials: 'same-origin' });
        if (answer.ok) return this.found();
      } catch {
        // Still away: ask again.
      }
      if (this.away) this.#ask();
    }, 2000);
  }
}

export const connection = new Connection();
