// Results: figures over the long table, the list that the server searches, comparisons, links, comments, the palette.
import { readFile } from 'node:fs/promises';
import { Browser, check, equal, until } from './harness.mjs';

const button = (where, name) => where.getByRole('button', { name, exact: true });
const plotOf = (page) => page.getByRole('application', { name: /over|Parallel/ });

/** Where a plot is, once it is as wide as the page and stands still. */
async function still(page, plot) {
  let last = '';
  return until(async () => {
    await plot.evaluate((one) => one.scrollIntoView({ block: 'center', behavior: 'instant' }));
    const box = await plot.boundingBox();
    const drawn = await plot.locator('canvas').boundingBox();
    const same = JSON.stringify(box) === last && Math.abs(drawn.width - box.width) < 2 && box.width > 700;
    last = JSON.stringify(box);
    return same && box;
  }, 'the plot stands still', 20_000);
}

/** A table of runs, as the result of an import: rows, header first. */
const RUNS = (rows) => `${rows.map((row) => row.join(',')).join('\n')}\n`;

async function lab(browser, to = '/') {
  const page = await browser.page(to);
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  const project = 'main';
  const key = Math.random().toString(36).slice(2, 8);
  const ended = async (id) => until(async () => {
    const { json } = await browser.api(page, 'GET', `/jobs/${id}`);
    return ['succeeded', 'failed', 'cancelled'].includes(json.state) && json;
  }, `job ${id} ends`);
  /** A result whose table is these rows. */
  const result = async (title, rows) => {
    const path = `tables/${key}-${title.replace(/[^a-z0-9]+/gi, '-')}.csv`;
    await browser.put(page, project, path, RUNS(rows));
    const launched = await browser.api(page, 'POST', `/projects/${project}/jobs`, { json: { argv: ['import', path, '-o', 'out.csv'], title } });
    equal(launched.status, 202, launched.text);
    const job = await ended(launched.json.id);
    equal(job.state, 'succeeded', `${title}: ${JSON.stringify(job.error)}`);
    return launched.json.id;
  };
  const go = (path) => page.goto(`${browser.origin}/p/${project}/${path}`);
  return { page, project, key, result, go };
}

const GRID = [['p', 'n', 'time_s'], ...Array.from({ length: 12 }, (_, p) => Array.from({ length: 10 }, (_, n) => [p + 1, 100 * (n + 1), (((n + 1) * 100) / (p + 1) + 3 * p).toFixed(3)])).flat()];

export default [
  {
    name: 'a figure: what is seen first, a choice by dragging, only these, the same after a reload, files',
    async run({ browser }) {
      const { page, key, result, go } = await lab(browser);
      const rows = [['p', 'n', 'time_s'], ...[1, 8].flatMap((p) => Array.from({ length: 100 }, (_, n) => [p, 1000 + 10 * n, ((1000 + 10 * n) / (1000 * p)).toFixed(4)]))];
      const id = await result(`sweep ${key}`, rows);
      await go(`results/${id}?tab=figure`);
      const plot = plotOf(page);
      await plot.waitFor();
      equal(await page.getByLabel('Across', { exact: true }).inputValue(), 'n', 'what goes across');
      equal(await page.getByLabel('Color', { exact: true }).inputValue(), 'p', 'what has the colors');
      await page.getByRole('list', { name: 'Colors' }).getByText('= 8').waitFor();
      await page.getByText('200 rows').waitFor();
      await browser.screens(page, 'figure-lines');
      // A drag along the axis chooses a range of it.
      const box = await still(page, plot);
      await page.mouse.move(box.x + box.width * 0.4, box.y + box.height * 0.5);
      await page.mouse.down();
      await page.mouse.move(box.x + box.width * 0.7, box.y + box.height * 0.5 + 2, { steps: 6 });
      await page.mouse.up();
      await until(() => /sel=n/.test(decodeURIComponent(page.url())), 'the choice is in the address');
      const status = page.getByRole('status').filter({ hasText: 'rows chosen' });
      await status.waitFor();
      const chosen = Number((await status.textContent()).split(' ')[0]);
      check(chosen > 20 && chosen < 120, `${chosen} rows are chosen`);
      await button(page, 'Only these').click();
      await page.getByText(`${chosen} rows`, { exact: true }).waitFor();
      const address = page.url();
      await page.reload();
      await page.getByText(`${chosen} rows`, { exact: true }).waitFor();
      equal(page.url(), address, 'the address after a reload');
      const where = new URL(page.url()).searchParams.get('where');
      const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Rows as CSV' }).click()]);
      const csv = await readFile(await file.path(), 'utf8');
      equal(csv, (await browser.api(page, 'GET', `/results/${id}/data?format=csv&where=${encodeURIComponent(where)}`)).text, 'the file of the rows');
      equal(csv.trim().split('\n').length, chosen + 1, 'rows of the file');
      for (const [kind, begins] of [['SVG', '<svg'], ['PNG', 'PNG']]) {
        const [picture] = await Promise.all([page.waitForEvent('download'), button(page, `Figure as ${kind}`).click()]);
        check((await readFile(await picture.path())).subarray(0, 8).includes(begins), `the figure as ${kind}`);
      }
      // By the keyboard: the cursor is read out, and zooms.
      await plot.focus();
      await page.keyboard.press('End');
      await page.locator('[aria-live=polite]').getByText(/^p .*time_s/).first().waitFor();
      await page.keyboard.press('+');
      await until(() => page.url().includes('zoom='), 'the zoom is in the address');
      await button(page, 'Reset').click();
      await until(() => !page.url().includes('zoom='), 'the whole figure again');
    },
  },
  {
    name: 'heatmap, parallel axes with a brush, points; what cannot be drawn says why',
    async run({ browser }) {
      const { page, key, result, go } = await lab(browser);
      const id = await result(`grid ${key}`, GRID);
      await go(`results/${id}?tab=figure`);
      await plotOf(page).waitFor();
      equal(await page.getByLabel('View', { exact: true }).inputValue(), 'heatmap', 'two numbers of more than 8 values each');
      await browser.screens(page, 'figure-heatmap');
      check(await page.getByLabel('View', { exact: true }).locator('option[value=dots]').isDisabled(), 'dots need a text');
      await page.getByText('Dots by name: no text varies').first().waitFor({ state: 'attached' });
      await page.getByLabel('View', { exact: true }).selectOption('parallel');
      const plot = page.getByRole('application', { name: /^Parallel axes/ });
      await plot.waitFor();
      const box = await still(page, plot);
      // The first axis stands at the left: its lower half.
      const axis = box.x + Math.min(80, box.width / 6);
      await page.mouse.move(axis, box.y + box.height * 0.6);
      await page.mouse.down();
      await page.mouse.move(axis, box.y + box.height * 0.93, { steps: 5 });
      await page.mouse.up();
      await until(() => /sel=p=/.test(decodeURIComponent(page.url())), 'the brush is in the address');
      await page.getByText(/of 120 rows chosen/).waitFor();
      await browser.screens(page, 'figure-parallel');
      await button(page, 'Choose nothing').click();
      await page.getByLabel('View', { exact: true }).selectOption('scatter');
      await page.getByRole('application', { name: /^Time over/ }).waitFor();
      browser.expect('422');
      await page.getByLabel('Only rows where').fill('q <= 3');
      await button(page, 'Filter').click();
      await page.getByText(/unknown name/).first().waitFor();
      await page.getByLabel('Only rows where').fill('p <= 3 and n <= 500');
      await button(page, 'Filter').click();
      await page.getByText('15 rows').waitFor();
      await button(page, 'n <= 500').click();
      await page.getByText('30 rows').waitFor();
    },
  },
  {
    name: 'the list: searched by the server, columns, two chosen and compared with runs, worst first',
    async run({ browser }) {
      const { page, project, key, result, go } = await lab(browser);
      const forecast = (factor) => [['p', 'time_s', 'interval_level'], ...[1, 2, 4, 8].map((p) => [p, ((factor * 10) / p).toFixed(3), 0.9])];
      const [one, two] = [await result(`${key} good`, forecast(1.1)), await result(`${key} poor`, forecast(1.5))];
      await browser.put(page, project, `tables/${key}-real.csv`, RUNS([['p', 'time_s'], ...[1, 2, 4, 8].map((p) => [p, 10 / p])]));
      await go('results');
      await page.getByLabel('Search results').fill(key);
      const list = page.getByRole('region', { name: 'List of results' });
      await until(async () => (await list.getByRole('row').count()) === 3, 'two rows and the header');
      check(page.url().includes(`q=${key}`), 'the search is in the address');
      await browser.screens(page, 'results');
      await list.getByRole('button', { name: 'Result' }).click();
      await until(() => page.url().includes('sort=title'), 'the order is in the address');
      for (const name of ['good', 'poor']) await list.getByLabel(`Choose ${key} ${name}`).check();
      await button(page, 'Compare').click();
      await page.getByRole('heading', { level: 1, name: 'Compare' }).waitFor();
      check(new URL(page.url()).searchParams.get('ids').split(',').sort().join() === [one, two].sort().join(), 'both are in the address');
      await page.getByRole('region', { name: 'Differences of the results' }).getByText(`tables/${key}-${key}-good.csv`).first().waitFor();
      await page.getByLabel('Runs or model of the project').selectOption(`tables/${key}-real.csv`);
      await button(page, 'Add').click();
      const table = page.getByRole('region', { name: 'Forecasts and runs' });
      await table.getByText('50 %').first().waitFor();
      const first = await table.getByRole('row').nth(1).textContent();
      check(first.includes('poor') && first.includes('50 %'), `the worst first: ${first}`);
      await page.getByRole('application', { name: /^Time over/ }).waitFor();
      await browser.screens(page, 'compare');
    },
  },
  {
    name: 'a link shows one result to a clean browser, and nothing after it is revoked',
    async run({ browser }) {
      const { page, key, result, go } = await lab(browser);
      const id = await result(`shared ${key}`, [['p', 'time_s'], [1, 9.875], [2, 5.125], [4, 3.0625]]);
      await go(`results/${id}`);
      await button(page, 'Share').click();
      const dialog = page.getByRole('dialog', { name: 'Share' });
      await dialog.getByLabel('Holds for').selectOption({ label: '7 days' });
      await button(dialog, 'Make a link').click();
      const address = await dialog.getByLabel('The link, shown this once').inputValue();
      check(new URL(address).pathname.length === 46, address);
      await browser.axe(page, 'share');
      const other = await Browser.start({ url: browser.url.origin });
      try {
        const seen = await other.page(new URL(address).pathname);
        await seen.getByRole('heading', { level: 1, name: `shared ${key}` }).waitFor();
        check((await seen.content()).includes('9.875'), 'its numbers');
        equal((await seen.context().cookies()).length, 0, 'cookies');
        await button(dialog, 'Revoke').click();
        await page.getByText('The link shows nothing any more').waitFor();
        other.expect('404');
        const gone = await seen.goto(address);
        equal(gone.status(), 404, 'the status after it was revoked');
        browser.faults.push(...other.faults);
      } finally {
        await other.close();
      }
    },
  },
  {
    name: 'comments appear in another tab; the palette finds results, pages and questions',
    async run({ browser }) {
      const { page, key, result, go } = await lab(browser);
      const id = await result(`said ${key}`, [['p', 'time_s'], [1, 9], [2, 5]]);
      await go(`results/${id}`);
      const other = await browser.page(`/p/main/results/${id}`);
      await other.getByText('Nobody has said anything yet.').waitFor();
      await page.getByLabel('Write a comment').fill('<b>slow</b>: why?');
      await button(page, 'Comment').click();
      await other.getByText('<b>slow</b>: why?').waitFor();
      await button(other, 'Reply').click();
      await other.getByLabel(/^Reply to/).fill('It waits.');
      await button(other, 'Send').click();
      await page.getByText('It waits.').waitFor();
      await button(page, 'Settle').click();
      await button(other, 'Open again').waitFor();
      await page.keyboard.press('Control+k');
      const palette = page.getByRole('dialog', { name: 'Go to' });
      await palette.getByRole('combobox').fill(`said ${key}`);
      await palette.getByRole('option', { name: `said ${key}` }).waitFor();
      await browser.axe(page, 'palette');
      await palette.getByRole('combobox').fill('hardw');
      await palette.getByRole('option', { name: /^Hardware/ }).waitFor();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: 'Hardware' }).waitFor();
    },
  },
];
