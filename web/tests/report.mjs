// The page that `runcast report` writes, opened as a file: it answers by pointer, finger and keys, fits phones, and shows
// everything without its script.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { check, equal, until } from './harness.mjs';

const RUNS = `p,rep,time_s
${[1, 2, 4, 8, 16].flatMap((p) => [0, 1, 2].map((rep) => `${p},${rep},${(1.02 * (0.02 + 0.98 / p) * (1 + 0.01 * (rep - 1))).toFixed(6)}`)).join('\n')}
`;

/** Two thousand runs of each of twelve kernels, whose times have no pattern. */
const MANY = (() => {
  let state = 1;
  const next = () => (state = (state * 48271) % 2147483647) / 2147483647; // Park and Miller (1988)
  const rows = Array.from({ length: 24_000 }, (_, k) => {
    const p = 2 ** (k % 10);
    return `kernel${Math.floor(k / 2000)},${p},${(((1 + Math.floor(k / 2000)) / p) * (1 + 0.1 * next())).toFixed(9)}`;
  });
  return `kernel,p,time_s\n${rows.join('\n')}\n`;
})();

/** A folder with a page of runs and two models, which is gone afterwards. */
function made(change = (html) => html, runs = RUNS) {
  const folder = mkdtempSync(join(tmpdir(), 'runcast-report-'));
  writeFileSync(join(folder, 'runs.csv'), runs);
  execFileSync(process.env.RUNCAST_BIN, ['report', 'runs.csv', '--model', 'amdahl,power', '--at', 'p=32,64', '-o', 'page.html'], { cwd: folder, stdio: 'pipe', timeout: 60_000 });
  const path = join(folder, 'page.html');
  writeFileSync(path, change(readFileSync(path, 'utf8')));
  return { address: pathToFileURL(path).href, html: readFileSync(path, 'utf8'), end: () => rmSync(folder, { recursive: true }) };
}

/** Opens it in a profile whose faults count; nothing may be asked of any server. */
async function opened(browser, page, address) {
  page.on('request', (request) => {
    if (request.url() !== address && !request.url().startsWith('data:')) browser.faults.push(`the page asks for ${request.url()}`);
  });
  page.on('pageerror', (error) => browser.faults.push(`page error: ${error.message}`));
  page.on('console', (message) => message.type() === 'error' && browser.faults.push(`console: ${message.text()}`));
  await page.goto(address);
  return page;
}

const first = (page) => page.locator('figure.live').first();

/** Where a point is on the screen: that of a curve's or a model's name, by the keys. */
async function read(page, figure, keys) {
  await figure.locator('.screen .hold > svg').focus();
  for (const key of keys) await page.keyboard.press(key);
  return figure.locator('.tip').innerText();
}

export default [
  {
    name: 'curves answer, disappear, and show speedup',
    async run({ browser }) {
      const report = made();
      try {
        const page = await opened(browser, await browser.context.newPage(), report.address);
        const figure = first(page);
        await until(() => figure.count(), 'the script runs: the policy of the page allows it');
        check((await figure.locator('> .plot.wide').isHidden()) && (await figure.locator('.screen svg').first().isVisible()), 'one picture is seen');
        // Every curve is a toggle.
        const toggles = figure.locator('.entry button[aria-pressed]');
        check((await toggles.count()) >= 2, 'names are toggles');
        const paths = () => figure.locator('.hold > svg path').count();
        const before = await paths();
        await toggles.first().click();
        equal(await toggles.first().getAttribute('aria-pressed'), 'false', 'pressed');
        check((await paths()) < before, 'what is off is not drawn');
        await toggles.first().click();
        equal(await paths(), before, 'drawn again');
        await figure.locator('.only').first().click();
        equal(await figure.locator('.entry button[aria-pressed=true]').count(), 1, 'only one');
        await figure.locator('.only').first().click();
        check((await figure.locator('.entry button[aria-pressed=true]').count()) >= 2, 'all again');
        // By keys: from point to point, read out.
        const said = await read(page, figure, ['ArrowRight', 'ArrowRight']);
        check(/processes p = |p = /.test(said), said);
        equal((await figure.locator('.heard[aria-live]').innerText()).length > 10, true, 'read out');
        // By pointer: the nearest point within 24 pixels.
        const box = await figure.locator('.hold > svg').boundingBox();
        await page.mouse.move(box.x + box.width - 20, box.y + 5);
        check(await figure.locator('.tip').isHidden(), 'nothing is near');
        const dot = await figure.locator('.hold > svg path.mf, .hold > svg path.ff').first().boundingBox();
        await page.mouse.move(dot.x + 2, dot.y + 4);
        await until(() => figure.locator('.tip').isVisible(), 'a point is near');
        // Speedup, with what it is against.
        await figure.getByRole('button', { name: 'Speedup' }).click();
        check(/Speedup against .* on 1, measured/.test(await figure.locator('.note').innerText()), await figure.locator('.note').innerText());
        await figure.getByRole('button', { name: 'Efficiency' }).click();
        equal(await figure.locator('.screen').getAttribute('data-view'), 'efficiency', 'view');
        await figure.getByRole('button', { name: 'Time' }).click();
        // A part of the axes, and back.
        const reset = figure.getByRole('button', { name: 'Reset' });
        check(await reset.isDisabled(), 'nothing to reset');
        const area = await figure.locator('.hold > svg').boundingBox();
        await page.mouse.move(area.x + 200, area.y + 90);
        await page.mouse.down();
        await page.mouse.move(area.x + 420, area.y + 240, { steps: 4 });
        await page.mouse.up();
        check(await reset.isEnabled(), 'a part is shown');
        await reset.click();
        check(await reset.isDisabled(), 'all is shown');
        const log = figure.getByRole('button', { name: 'Logarithmic upwards' });
        const was = await log.getAttribute('aria-pressed');
        await log.click();
        check((await log.getAttribute('aria-pressed')) !== was, 'linear or logarithmic');
        // A frame of the pointer takes less than one of the screen.
        const took = await page.evaluate(() => {
          const svg = document.querySelector('figure.live .hold > svg');
          const seen = svg.getBoundingClientRect();
          const began = performance.now();
          for (let k = 0; k < 50; k += 1) svg.dispatchEvent(new PointerEvent('pointermove', { clientX: seen.x + 70 + k * 5, clientY: seen.y + 100 }));
          return (performance.now() - began) / 50;
        });
        check(took <= 16, `${took} ms for a frame`);
      } finally {
        report.end();
      }
    },
  },
  {
    name: 'a page of 24,000 runs is small and answers with six digits',
    async run({ browser }) {
      const report = made((html) => html, MANY);
      try {
        // Twelve pictures of two thousand runs each, with two curves and their ranges, and as many of residuals: 3.7 MB once.
        check(report.html.length <= 310_000, `${report.html.length} bytes`);
        check(/script-src 'sha256-[^']+'/.test(report.html) && !/script-src [^;]*unsafe/.test(report.html), 'one script, by its hash');
        const page = await opened(browser, await browser.context.newPage(), report.address);
        const figure = first(page);
        await until(() => figure.count(), 'the script runs');
        await figure.getByRole('button', { name: 'Logarithmic upwards' }).waitFor();
        // The single runs that the page has, by keys: each has the digits of a row of the table.
        const title = await figure.locator('figcaption strong').textContent();
        const kernel = title.match(/kernel\d+/)[0];
        const times = MANY.split('\n').filter((row) => row.startsWith(`${kernel},`)).map((row) => Number(row.split(',')[2]));
        await figure.locator('.only', { hasText: 'only' }).and(page.getByLabel('only single runs')).click();
        const seen = [];
        for (let k = 0; k < 20; k += 1) seen.push(await read(page, figure, ['ArrowRight']));
        for (const said of seen) {
          const [, value, prefix] = said.match(/: ([\d.,]+) (m?)s/);
          const read = Number(value.replaceAll(',', '')) * (prefix ? 1e-3 : 1);
          check(times.some((time) => Number(time.toPrecision(6)) === Number(read.toPrecision(6))), `${said} is none of the runs`);
        }
        check(new Set(seen).size > 10, 'other runs each time');
      } finally {
        report.end();
      }
    },
  },
  {
    name: 'speedup has the range that the numbers give',
    async run({ browser }) {
      // 10 [9.5, 10.5] over 1 [0.8, 1.25]: by hand, 10 exp(+-hypot(ln(10.5/9.5)/2, ln(1.25/0.8)/2)) = 7.955784 .. 12.569471.
      const data = { x: ['processes p', '', 'log2'], y: ['time', 's', 'log10'], end: null, k: [[1, 16], [10, 1], [9.5, 0.8], [10.5, 1.25]],
        d: [{ t: 'l', n: 'model', c: 0, v: [0, 1] }, { t: 'b', n: 'model', c: 0, v: [0, 2, 3] }] };
      const report = made((html) => html.replace(/<figure data-plot='[^']*'/, `<figure data-plot="${JSON.stringify(data).replaceAll('"', '&quot;')}"`));
      try {
        const page = await opened(browser, await browser.context.newPage(), report.address);
        await first(page).getByRole('button', { name: 'Speedup' }).click();
        const said = await read(page, first(page), ['ArrowRight', 'ArrowRight']);
        check(said.includes('speedup: 10 (7.96 to 12.6)'), said);
      } finally {
        report.end();
      }
    },
  },
  {
    name: 'it fits a phone, in the dark, and accessibly',
    async run({ browser }) {
      const report = made();
      try {
        const page = await opened(browser, await browser.context.newPage(), report.address);
        for (const [colorScheme, width] of [['light', 1280], ['dark', 390]]) {
          await page.emulateMedia({ colorScheme });
          await page.setViewportSize({ width, height: 800 });
          await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
          const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
          equal(over, 0, `pixels that stick out at ${width}`);
          const small = await page.evaluate(() => [...document.querySelectorAll('.screen button')].filter((one) => one.offsetHeight < 24).length);
          equal(small, 0, 'buttons that a finger misses');
          await browser.axe(page, `report (${colorScheme}, ${width} px)`);
        }
        const ink = await page.evaluate(() => getComputedStyle(document.querySelector('.screen .mf, .screen .ff')).fill);
        check(/rgb\((1[5-9]\d|2\d\d)/.test(ink), `points are light in the dark: ${ink}`);
      } finally {
        report.end();
      }
    },
  },
  {
    name: 'without its script it shows the same',
    async run({ browser }) {
      const report = made();
      const context = await browser.context.browser().newContext({ javaScriptEnabled: false });
      try {
        const page = await opened(browser, await context.newPage(), report.address);
        equal(await page.locator('figure.live').count(), 0, 'no script');
        const figure = page.locator('figure[data-plot]').first();
        check(await figure.locator('.plot.wide > svg').isVisible(), 'the picture is seen');
        check(await figure.getByText('Data of this picture').isVisible(), 'its table, too');
      } finally {
        await context.close();
        report.end();
      }
    },
  },
  {
    name: 'on paper it is as it was drawn',
    async run({ browser }) {
      const report = made();
      try {
        const page = await opened(browser, await browser.context.newPage(), report.address);
        await page.emulateMedia({ media: 'print' });
        const figure = first(page);
        check((await figure.locator('> .plot.wide > svg').isVisible()) && (await figure.locator('.screen').isHidden()), 'the picture as drawn');
      } finally {
        report.end();
      }
    },
  },
];
