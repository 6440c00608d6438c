// What browser tests share: a browser of their own, and what must hold on every page: no error on the console, no
// request to another origin, nothing serious found by axe.
import { mkdtemp, mkdir, rm } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** `RUNCAST_CHROMIUM` names another one. */
const BROWSER = process.env.RUNCAST_CHROMIUM ?? '/usr/bin/chromium';
const FLAGS = [
  '--headless=new', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync', '--disable-dev-shm-usage', '--force-color-profile=srgb',
];

/** Waits of the tests, in milliseconds. */
export const PATIENCE = 10_000;

export class Failure extends Error {}

export function check(condition, text) {
  if (!condition) throw new Failure(text);
}

export function equal(seen, wanted, what = 'value') {
  const [a, b] = [JSON.stringify(seen), JSON.stringify(wanted)];
  if (a !== b) throw new Failure(`${what}: expected ${b}, saw ${a}`);
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

/** A browser with an empty folder of its own, signed in by the address with the token. */
export class Browser {
  static async start({ url, shots = null, context: options = {} }) {
    const self = new Browser();
    self.url = new URL(url);
    self.origin = self.url.origin;
    self.shots = shots;
    self.faults = [];
    self.allowed = [];
    self.folder = await mkdtemp(join(tmpdir(), 'runcast-browser-'));
    self.context = await chromium.launchPersistentContext(self.folder, {
      executablePath: BROWSER, args: FLAGS, viewport: { width: 1280, height: 800 }, acceptDownloads: true, locale: 'en-US', ...options,
    });
    self.context.setDefaultTimeout(PATIENCE);
    self.context.on('request', (request) => {
      const to = new URL(request.url());
      if (/^https?:|^wss?:/.test(to.protocol) && to.origin !== self.origin) self.faults.push(`request to another origin: ${request.url()}`);
    });
    return self;
  }

  async close() {
    await this.context.close().catch(() => {});
    await rm(this.folder, { recursive: true, force: true });
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
    if (!this.signedIn && this.url.searchParams.has('token')) {
      await page.goto(this.url.href);
      check(!page.url().includes('token='), 'the token is still in the address');
      this.signedIn = true;
    }
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
    const found = await page.evaluate(`${axeSource}; axe.run(document, { resultTypes: ['violations'] })`);
    for (const { id, impact, help, nodes } of found.violations) {
      if (impact !== 'serious' && impact !== 'critical') continue;
      const places = nodes.slice(0, 3).map((node) => `${node.target.join(' ')}: ${node.any[0]?.message ?? node.all[0]?.message ?? ''}`).join('; ');
      this.faults.push(`axe on ${where}: ${id} (${impact}): ${help}: ${places}`);
    }
  }

  /** Light and dark, wide and narrow; nothing may stick out at the side. Pictures only where a folder was named. */
  async screens(page, name, { axe = true } = {}) {
    for (const colorScheme of ['light', 'dark']) {
      for (const [width, height] of [[1280, 800], [360, 740]]) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height });
        await page.waitForTimeout(150);
        const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        if (over > 0) this.faults.push(`${name}: ${over} px stick out at ${width} px`);
        if (axe) await this.axe(page, `${name} (${colorScheme}, ${width} px)`);
        if (!this.shots) continue;
        await mkdir(this.shots, { recursive: true });
        await page.screenshot({ path: join(this.shots, `${name}-${colorScheme}-${width}.png`) });
      }
    }
    await page.emulateMedia({ colorScheme: null });
    await page.setViewportSize({ width: 1280, height: 800 });
  }
}
