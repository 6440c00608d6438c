// The journeys by the keyboard alone: what is used is reached by Tab or by a key of its own, never by a pointer.
import { readFile } from 'node:fs/promises';
import { Browser, check, chosen, equal, until } from './harness.mjs';

/** Tabs there are at most on the way to something. */
const MOST_TABS = 200;

/** Presses Tab until this, or something within it, has the focus; a way that leads nowhere is a fault. */
async function tabTo(page, target) {
  await target.waitFor();
  const passed = [];
  for (let tabs = 0; tabs < MOST_TABS; tabs += 1) {
    if (await target.evaluate((one) => one === document.activeElement || one.contains(document.activeElement))) return;
    await page.keyboard.press('Tab');
    passed.push(await page.evaluate(() => document.activeElement?.ariaLabel || document.activeElement?.textContent?.trim().slice(0, 20)));
  }
  throw new Error(`Tab never reaches ${target}: ${passed.slice(-5).join(' | ')}`);
}

/** Goes to something, and presses these keys there. */
async function press(page, target, ...keys) {
  await tabTo(page, target);
  for (const key of keys) await page.keyboard.press(key);
}

async function type(page, target, text) {
  await press(page, target, 'Control+A');
  await page.keyboard.type(text);
  await page.keyboard.press('Enter');
}

/** Chooses in a list as the keyboard does: by the first letters. */
async function choose(page, target, label) {
  await tabTo(page, target);
  await page.keyboard.type(label);
  await until(async () => (await target.evaluate((one) => one.selectedOptions[0].label)).startsWith(label), `${label} is chosen`);
}

/** By the palette, as from every page. */
async function goTo(page, words, name, heading) {
  await page.keyboard.press('Control+k');
  const palette = page.getByRole('dialog', { name: 'Go to' });
  await palette.getByRole('combobox').waitFor();
  await page.keyboard.type(words);
  await until(async () => (await palette.getByRole('option', { selected: true }).textContent({ timeout: 1000 })).match(name), `${name} is the first`);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: heading }).waitFor();
}

const button = (where, name) => where.getByRole('button', { name, exact: true });
const csv = (rows) => `${rows.map((row) => row.join(',')).join('\n')}\n`;

/** A result whose table is these rows. */
async function result(browser, page, title, rows) {
  const path = `tables/${title.replace(/[^a-z0-9]+/gi, '-')}.csv`;
  await browser.put(page, 'main', path, csv(rows));
  const { json } = await browser.api(page, 'POST', '/projects/main/jobs', { json: { argv: ['import', path, '-o', 'out.csv'], title } });
  await until(async () => (await browser.api(page, 'GET', `/jobs/${json.id}`)).json.state === 'succeeded', `${title} is there`);
  return json.id;
}

export default [
  {
    name: 'J1: a question, a dropped table, 64 processes, one sentence',
    async run({ browser }) {
      const page = await browser.page('/');
      await page.getByRole('heading', { level: 1, name: 'Ask' }).waitFor();
      await tabTo(page, page.getByLabel('Drop a file'));
      const chooser = await chosen(page, page.getByLabel('Drop a file'));
      await chooser.setFiles({ name: 'runs.csv', mimeType: 'text/csv', buffer: Buffer.from(csv([['p', 'N', 'solve_s'], [1, 1000, 10.1], [2, 1000, 5.2], [4, 1000, 2.7], [8, 1000, 1.45], [16, 1000, 0.83]])) });
      await press(page, button(page.getByRole('group', { name: 'Questions' }), 'How long will a larger run take?'), 'Enter');
      const form = page.getByRole('form', { name: 'How long will a larger run take?' });
      await type(page, form.getByLabel('Processes'), '64');
      const answer = page.getByRole('region', { name: 'Answer', exact: true });
      await answer.getByRole('status').filter({ hasText: / on 64 processes, 4 times beyond what was measured\.$/ }).waitFor();
      await press(page, answer.getByText('The command', { exact: true }), 'Enter');
      await answer.locator('pre').filter({ hasText: 'runcast predict' }).waitFor();
    },
  },
  {
    name: 'J2: a sweep, only some of its rows, the same after a reload, its rows as a file',
    async run({ browser }) {
      const page = await browser.page('/');
      const rows = [1, 8].flatMap((p) => Array.from({ length: 5000 }, (_, n) => [p, 1000 + n, ((1000 + n) / (1000 * p)).toFixed(6)]));
      const id = await result(browser, page, 'keyed sweep', [['p', 'n', 'time_s'], ...rows]);
      await goTo(page, 'keyed sweep', /keyed sweep/, 'keyed sweep');
      const tab = (name) => page.getByRole('tab', { name, exact: true });
      // On the way to it lies the speedup, which 10,000 rows of two numbers do not have.
      browser.expect('422');
      await tabTo(page, tab('Curves'));
      for (let steps = 0; steps < 9 && (await tab('Figure').getAttribute('aria-selected')) !== 'true'; steps += 1) await page.keyboard.press('ArrowRight');
      const plot = page.getByRole('application', { name: /over/ });
      await plot.waitFor();
      equal(await page.getByLabel('Across', { exact: true }).inputValue(), 'n', 'what goes across');
      // A choice along the axis, begun and ended by Enter; then a range that is typed.
      await press(page, plot, 'Home', 'Enter', 'End', 'Enter');
      await page.getByRole('status').filter({ hasText: /rows chosen/ }).waitFor();
      check(/sel=n=/.test(decodeURIComponent(page.url())), 'the choice is in the address');
      await press(page, button(page, 'Choose nothing'), 'Enter');
      await type(page, page.getByLabel('Only rows where'), 'n >= 2000 and n <= 3000');
      await page.getByText('2,002 rows', { exact: true }).waitFor();
      await press(page, plot, 'End', '+');
      await until(() => page.url().includes('zoom='), 'the zoom is in the address');
      const zoomed = page.url();
      await page.keyboard.press('Shift+ArrowLeft');
      await until(() => page.url() !== zoomed, 'Shift and an arrow pan');
      const address = page.url();
      await page.reload();
      await page.getByText('2,002 rows', { exact: true }).waitFor();
      equal(page.url(), address, 'the address after a reload');
      const link = page.getByRole('link', { name: 'Rows as CSV' });
      await tabTo(page, link);
      const [file] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')]);
      const where = encodeURIComponent('n >= 2000 and n <= 3000');
      equal(await readFile(await file.path(), 'utf8'), (await browser.api(page, 'GET', `/results/${id}/data?format=csv&where=${where}`)).text, 'the rows');
    },
  },
  {
    name: 'J3: results searched, chosen, compared with runs, pinned',
    async run({ browser }) {
      const page = await browser.page('/');
      const forecast = (factor) => [['p', 'time_s', 'interval_level'], ...[1, 2, 4, 8].map((p) => [p, ((factor * 10) / p).toFixed(3), 0.9])];
      for (const [name, factor] of [['good', 1.1], ['poor', 1.5], ['worse', 2]]) await result(browser, page, `keyed ${name}`, forecast(factor));
      await browser.put(page, 'main', 'tables/keyed-real.csv', csv([['p', 'time_s'], ...[1, 2, 4, 8].map((p) => [p, 10 / p])]));
      await page.keyboard.press('g');
      await page.keyboard.press('r');
      await page.getByRole('heading', { level: 1, name: 'Results' }).waitFor();
      await page.keyboard.press('/');
      await page.keyboard.type('keyed');
      const list = page.getByRole('region', { name: 'List of results' });
      await list.getByLabel('Choose keyed worse').waitFor();
      for (const name of ['worse', 'poor', 'good']) await press(page, list.getByLabel(`Choose keyed ${name}`), 'Space');
      await press(page, button(page, 'Compare'), 'Enter');
      await page.getByRole('heading', { level: 1, name: 'Compare' }).waitFor();
      await choose(page, page.getByLabel('Runs or model of the project'), 'tables/keyed-real');
      await press(page, button(page, 'Add'), 'Enter');
      const table = page.getByRole('region', { name: 'Forecasts and runs' });
      await table.getByText('100 %').first().waitFor();
      check((await table.getByRole('row').nth(1).textContent()).includes('worse'), 'the worst first');
      await goTo(page, 'keyed good', /keyed good/, 'keyed good');
      await press(page, button(page, 'Pin'), 'Enter');
      await page.getByText(/pinned/i).first().waitFor();
    },
  },
  {
    name: 'J4: what if: twice the nodes, a network deleted and mended, all undone',
    async run({ browser }) {
      const page = await browser.page('/');
      const first = (await browser.api(page, 'GET', '/projects/main/files/systems/galera.toml')).text;
      await goTo(page, 'galera', /galera/, 'galera');
      const forecast = page.getByRole('region', { name: 'Forecast' });
      await forecast.getByRole('img').waitFor();
      const tree = page.getByRole('tree');
      const properties = page.getByRole('region', { name: 'Properties' });
      const part = async (name) => {
        await press(page, tree, 'Home');
        for (let steps = 0; steps < 20; steps += 1) {
          if (await tree.getByRole('treeitem', { name, selected: true }).count()) return;
          await page.keyboard.press('ArrowDown');
          await browser.settled(page);
        }
        throw new Error(`arrows never reach ${name}`);
      };
      await part(/^node ×32/);
      await type(page, properties.getByLabel('Multiplicity (count)'), '64');
      await tree.getByRole('treeitem', { name: /^node ×64/ }).waitFor();
      await forecast.getByText(/ at p = \d+/).first().waitFor();
      await part(/^galera.*infiniband/);
      await page.keyboard.press('Delete');
      await forecast.getByText(/no network joins them/).waitFor();
      await press(page, forecast.getByRole('button', { name: 'Mend: connect' }), 'Enter');
      await forecast.getByText(/no network joins them/).waitFor({ state: 'detached' });
      await tabTo(page, tree);
      const undo = button(page, 'Undo');
      for (let steps = 0; steps < 12 && (await undo.isEnabled()); steps += 1) {
        await page.keyboard.press('Control+z');
        await browser.settled(page);
      }
      // What is as it was saved cannot be saved; and nothing was.
      check(!(await button(page, 'Save').isEnabled()), 'nothing is to be saved');
      equal((await browser.api(page, 'GET', '/projects/main/files/systems/galera.toml')).text, first, 'the first bytes');
    },
  },
  {
    name: 'J5: the report with what was pinned, shared for 7 days, seen elsewhere, revoked',
    async run({ browser }) {
      const page = await browser.page('/');
      await result(browser, page, 'keyed report', [['p', 'time_s'], [1, 9.875], [2, 5.125], [4, 3.0625]]);
      await goTo(page, 'keyed report', /keyed report/, 'keyed report');
      await page.getByRole('application', { name: /over/ }).waitFor();
      await page.keyboard.press('p');
      await page.getByText(/pinned/i).first().waitFor();
      await press(page, button(page, 'Share'), 'Enter');
      const dialog = page.getByRole('dialog', { name: 'Share' });
      await choose(page, dialog.getByLabel('Holds for'), '7 days');
      await press(page, button(dialog, 'Make a link'), 'Enter');
      const address = await dialog.getByLabel('The link, shown this once').inputValue();
      const other = await Browser.start({ url: browser.url.origin });
      try {
        const seen = await other.page(new URL(address).pathname);
        await seen.getByRole('heading', { level: 1, name: 'keyed report' }).waitFor();
        check((await seen.content()).includes('9.875'), 'its numbers');
        await press(page, button(dialog, 'Revoke'), 'Enter');
        await page.getByText('The link shows nothing any more').waitFor();
        other.expect('404');
        equal((await seen.goto(address)).status(), 404, 'the status after it was revoked');
        browser.faults.push(...other.faults);
      } finally {
        await other.close();
      }
    },
  },
];
