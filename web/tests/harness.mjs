// What browser tests share: a browser, and what must hold on every page: no error on the console, no request to
// another origin, nothing serious found by axe. Tests wait for what they want to see, never for a while.
import { mkdir } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** `RUNCAST_CHROMIUM` names another one. */
const BROWSER = process.env.RUNCAST_CHROMIUM ?? '/usr/bin/chromium';
const FLAGS = [
  '--headless=new', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync', '--disable-dev-shm-usage', '--force-color-profile=srgb',
];

/** Longest waits of the tests, in milliseconds: for machines that are slow and busy. Where all is well they cost nothing. */
export const PATIENCE = Number(process.env.RUNCAST_PATIENCE_MS ?? 90_000);

export class Failure extends Error {}

export function check(condition, text) {
  if (!condition) throw new Failure(text);
}

export function equal(seen, wanted, what = 'value') {
  const [a, b] = [JSON.stringify(seen), JSON.stringify(wanted)];
  if (a !== b) throw new Failure(`${what}: expected ${b}, saw ${a}`);
}

/** The chooser of files that Enter on a control opens. A page that is still being built may take the focus away: then once more. */
export async function chosen(page, control) {
  const end = Date.now() + PATIENCE;
  for (;;) {
    await control.focus();
    const opened = page.waitForEvent('filechooser', { timeout: 5000 }).catch(() => null);
    await page.keyboard.press('Enter');
    const chooser = await opened;
    if (chooser) return chooser;
    check(Date.now() < end, 'Enter opens no chooser of files');
  }
}

/** Calls until it answers something true; the last error or answer tells why it did not. */
export async function until(call, what, patience = PATIENCE) {
  const end = Date.now() + patience;
  let last;
  for (;;) {
    try {
      last = await call();
      if (last) return last;
    } catch (error) {
      last = error;
    }
    if (Date.now() > end) throw new Failure(`${what}: not within ${patience / 1000} s (${last instanceof Error ? last.message : JSON.stringify(last)})`);
    await new Promise((done) => setTimeout(done, 50));
  }
}

/** The middle of something (or another place in it, from 0 to 1), once it stands still. */
export async function middle(locator, [u, v] = [0.5, 0.5]) {
  let last = '';
  const box = await until(async () => {
    const now = await locator.boundingBox();
    const same = now && JSON.stringify(now) === last;
    last = JSON.stringify(now);
    return same && now;
  }, `${locator} stands still`);
  return { x: box.x + box.width * u, y: box.y + box.height * v };
}

/**
 * Real pointer events, step by step, each one handled before the next. `held` must become true before the pointer is
 * let go: that something is carried, and where. A drag that the page did not take up is begun anew.
 */
export async function drag(page, from, to, held) {
  await until(async () => {
    const [a, b] = [await from(), await to()];
    await page.mouse.move(a.x, a.y);
    await page.mouse.down();
    for (let step = 1; step <= 8; step += 1) {
      await page.mouse.move(a.x + ((b.x - a.x) * step) / 8, a.y + ((b.y - a.y) * step) / 8);
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => done())));
    }
    try {
      await until(() => held(b), 'what is dragged follows the pointer', 5000);
      return true;
    } catch (error) {
      await page.keyboard.press('Escape');
      throw error;
    } finally {
      await page.mouse.up();
    }
  }, 'a drag');
}

/** From the catalogue to a place of the canvas. */
export async function carry(page, name, place) {
  const option = page.getByRole('region', { name: 'Catalogue' }).getByRole('option', { name });
  const ghost = page.locator('.ghost');
  await option.scrollIntoViewIfNeeded();
  await drag(page, () => middle(option), () => middle(page.getByRole('region', { name: 'Canvas' }), place), async (to) => {
    const box = await ghost.boundingBox({ timeout: 1000 });
    return name.test(await ghost.innerText()) && Math.abs(box.x - to.x) < 12 && Math.abs(box.y - to.y) < 12 && (await page.locator('.takes').count()) > 0;
  });
}

/** One browser for all tests of a run; each test has a profile of its own in it. */
let shared = null;

export async function closeBrowser() {
  await shared?.close().catch(() => {});
  shared = null;
}

/** An empty profile of a browser, signed in by the address with the token. */
export class Browser {
  static async start({ url, shots = null, context: options = {} }) {
    const self = new Browser();
    self.url = new URL(url);
    self.origin = self.url.origin;
    self.shots = shots;
    self.faults = [];
    self.allowed = [];
    if (!shared?.isConnected()) shared = await chromium.launch({ executablePath: BROWSER, args: FLAGS, timeout: PATIENCE });
    self.context = await shared.newContext({ viewport: { width: 1280, height: 800 }, acceptDownloads: true, locale: 'en-US', permissions: ['clipboard-read', 'clipboard-write'], ...options });
    self.context.setDefaultTimeout(PATIENCE);
    self.context.on('request', (request) => {
      const to = new URL(request.url());
      if (/^https?:|^wss?:/.test(to.protocol) && to.origin !== self.origin) self.faults.push(`request to another origin: ${request.url()}`);
    });
    return self;
  }

  async close() {
    await this.context.close().catch(() => {});
  }

  /** Console errors that hold this text are expected until the test ends (a 412 that is provoked, say). */
  expect(text) {
    this.allowed.push(text);
  }

  /** A page that is watched. `to` is an address below the origin; the first one signs in. */
  async page(to = '/') {
    const page = await this.context.newPage();
    page.on('console', (message) => {
      if (message.type() !== 'error') return;
      const text = `${message.text()} (${message.location().url})`;
      if (!this.allowed.some((allowed) => text.includes(allowed))) this.faults.push(`console: ${text}`);
    });
    page.on('pageerror', (error) => this.faults.push(`page error: ${error.message}`));
    const signs = !this.signedIn && this.url.searchParams.has('token');
    this.signedIn = true;
    if (signs && to === '/') {
      await page.goto(this.url.href);
      check(!page.url().includes('token='), 'the token is still in the address');
      return page;
    }
    if (signs) await this.context.request.get(this.url.href);
    await page.goto(new URL(to, this.origin).href);
    return page;
  }

  /** A request beside the pages, with their cookie and the header against cross-site requests. */
  async api(page, method, path, { json, text, headers = {} } = {}) {
    const csrf = method === 'GET' ? '' : (await (await this.context.request.get(`${this.origin}/api/v1/session`)).json()).csrf;
    const answer = await this.context.request.fetch(`${this.origin}/api/v1${path}`, {
      method,
      data: json === undefined ? text : JSON.stringify(json),
      headers: {
        Origin: this.origin,
        ...(csrf ? { 'X-Runcast-CSRF': csrf } : {}),
        ...(json === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
    });
    const body = await answer.text();
    let parsed = null;
    try {
      parsed = JSON.parse(body);
    } catch {
      parsed = null;
    }
    return { status: answer.status(), headers: answer.headers(), text: body, json: parsed };
  }

  /** Writes a file whether it is there or not. */
  async put(page, project, path, text) {
    const address = `/projects/${project}/files/${path}`;
    const now = await this.api(page, 'GET', address);
    const condition = now.status === 200 ? { 'If-Match': now.headers.etag } : { 'If-None-Match': '*' };
    const answer = await this.api(page, 'PUT', address, { text, headers: { 'Content-Type': 'application/octet-stream', ...condition } });
    check(answer.status === 200 || answer.status === 201, `PUT ${path}: ${answer.status} ${answer.text}`);
    return answer.json;
  }

  /** Everything serious that axe finds is a fault. */
  async axe(page, where = new URL(page.url()).pathname) {
    // By the debugger, not as a script of the page: the policy of the page stays as it is.
    if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axeSource);
    const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
    for (const { id, impact, help, nodes } of found.violations) {
      if (impact !== 'serious' && impact !== 'critical') continue;
      const places = nodes.slice(0, 3).map((node) => `${node.target.join(' ')}: ${node.any[0]?.message ?? node.all[0]?.message ?? ''}`).join('; ');
      this.faults.push(`axe on ${where}: ${id} (${impact}): ${help}: ${places}`);
    }
  }

  /** Waits until nothing loads and nothing moves any more. */
  async settled(page) {
    await until(() => page.evaluate(() => {
      if (document.querySelector('.skeleton, [aria-busy=true]')) return false;
      return document.getAnimations().every((one) => one.playState !== 'running' || one.effect?.getComputedTiming().endTime === Infinity);
    }), `${new URL(page.url()).pathname} has loaded`);
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done()))));
  }

  /**
   * Light and dark, wide and narrow; nothing may stick out at the side. Axe, which is slow, looks twice: at the light
   * wide page and at the dark narrow one, so that both themes and both layouts are seen. Pictures only where a folder
   * was named.
   */
  async screens(page, name, { axe = true } = {}) {
    for (const [colorScheme, width] of [['light', 1280], ['light', 360], ['dark', 360], ['dark', 1280]]) {
      const looks = axe && (colorScheme === 'light') === (width === 1280);
      if (colorScheme === 'dark' && width === 1280 && !this.shots) break;
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: width === 1280 ? 800 : 740 });
      await this.settled(page);
      const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      if (over > 0) this.faults.push(`${name}: ${over} px stick out at ${width} px`);
      if (looks) await this.axe(page, `${name} (${colorScheme}, ${width} px)`);
      if (!this.shots) continue;
      await mkdir(this.shots, { recursive: true });
      await page.screenshot({ path: join(this.shots, `${name}-${colorScheme}-${width}.png`), fullPage: true });
    }
    await page.emulateMedia({ colorScheme: null });
    await page.setViewportSize({ width: 1280, height: 800 });
  }
}

/** Milliseconds from a click on "Run" to the number on the page; an error after `most` seconds. */
export function clickToNumber(page, most) {
  return page.evaluate(async (most) => {
    const latest = () => document.querySelector('[aria-label="Latest result"]');
    const button = () => [...document.querySelectorAll('[aria-label="Launch"] button')].find((one) => one.textContent.trim() === 'Run');
    // A click on a button that the last run still keeps busy would do nothing.
    for (const start = performance.now(); !button() || button().disabled; ) {
      await new Promise((done) => requestAnimationFrame(done));
      if (performance.now() - start > most * 1000) throw new Error(`"Run" is busy for ${most} s`);
    }
    const before = latest()?.querySelector('a')?.href;
    const from = performance.now();
    button().click();
    while (latest()?.querySelector('a')?.href === before || !latest()?.querySelector('dd')) {
      await new Promise((done) => requestAnimationFrame(done));
      if (performance.now() - from > most * 1000) throw new Error(`no number within ${most} s: ${latest()?.innerText}`);
    }
    return performance.now() - from;
  }, most);
}
