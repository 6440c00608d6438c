// How pages look: light and dark, wide and narrow, empty, typical, with long names, with 10,000 points. Faults are found
// in the DOM; axe looks once at each page. Faults that are put in must be found, else the detectors are blind.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { check, equal, until } from './harness.mjs';
import { faults } from './detectors.mjs';

const LONG = 'a-rather-long-name-that-somebody-gave-to-this-file-0123456789abc';
const LISTS = ['', 'systems', 'hardware', 'formulas', 'applications', 'experiments', 'results', 'compare', 'tables', 'models', 'calculators', 'reports', 'jobs', 'settings'];

async function looked(browser, page, address, name, seen) {
  for (const [colorScheme, width] of [['light', 1280], ['dark', 1280], ['dark', 390], ['light', 390]]) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 800 });
    if (colorScheme === 'light' && width === 1280) await page.goto(`${browser.origin}${address}`);
    await page.locator('h1').first().waitFor({ state: 'attached' });
    await browser.settled(page);
    for (const fault of await faults(page)) seen.push(`${name} (${colorScheme}, ${width} px): ${fault}`);
    if (browser.shots) {
      await mkdir(browser.shots, { recursive: true });
      await page.screenshot({ path: join(browser.shots, `look-${name.replace(/[^a-z0-9]+/gi, '-')}-${colorScheme}-${width}.png`), fullPage: true });
    }
  }
}

async function result(browser, page, project, title, rows) {
  const path = `tables/${title}.csv`;
  await browser.put(page, project, path, `${rows.map((row) => row.join(',')).join('\n')}\n`);
  const launched = await browser.api(page, 'POST', `/projects/${project}/jobs`, { json: { argv: ['import', path, '-o', 'out.csv'], title } });
  equal(launched.status, 202, launched.text);
  await until(async () => (await browser.api(page, 'GET', `/jobs/${launched.json.id}`)).json.state === 'succeeded', `${title} ends`);
  return launched.json.id;
}

export default [
  {
    name: 'every list, empty and typical, wide and narrow, in both themes',
    async run({ browser }) {
      const page = await browser.page('/');
      await page.getByRole('heading', { level: 1, name: 'Ask' }).waitFor();
      const made = await browser.api(page, 'POST', '/projects', { json: { name: 'empty', title: 'Nothing yet' } });
      check([201, 409].includes(made.status), made.text);
      const seen = [];
      for (const project of ['main', 'empty']) {
        for (const list of LISTS) await looked(browser, page, `/p/${project}${list ? `/${list}` : ''}`, `${project} ${list || 'ask'}`, seen);
      }
      check(seen.length === 0, `${seen.length} faults: ${seen.slice(0, 12).join(' | ')}`);
    },
  },
  {
    name: 'every page of a file, a result and a comparison, with what stands beside it',
    async run({ browser }) {
      const page = await browser.page('/');
      await page.getByRole('heading', { level: 1, name: 'Ask' }).waitFor();
      // A system that nobody has moved parts of has no looks yet.
      browser.expect('.view.json');
      const seen = [];
      const files = (await browser.api(page, 'GET', '/projects/main/files')).json.items;
      const SECTIONS = { system: 'systems', application: 'applications', experiment: 'experiments', formulas: 'formulas', table: 'tables' };
      for (const file of files.filter((one) => SECTIONS[one.kind])) await looked(browser, page, `/p/main/${SECTIONS[file.kind]}/${file.path}`, file.path, seen);
      const jobs = (await browser.api(page, 'GET', '/projects/main/jobs')).json.items.filter((job) => job.state === 'succeeded');
      for (const job of jobs) await looked(browser, page, `/p/main/results/${job.id}`, `result ${job.argv.slice(0, 2).join(' ')}`, seen);
      const sweep = jobs.find((job) => job.argv[1] === 'sweep').id;
      const run = jobs.find((job) => job.argv[1] === 'run').id;
      for (const tab of ['curves', 'speedup', 'pareto', 'figure', 'compare', 'table', 'log']) await looked(browser, page, `/p/main/results/${sweep}?tab=${tab}`, `sweep ${tab}`, seen);
      for (const tab of ['why', 'timeline']) await looked(browser, page, `/p/main/results/${run}?tab=${tab}`, `run ${tab}`, seen);
      await looked(browser, page, `/p/main/compare?ids=${sweep}&tables=tables/heat.csv`, 'compare with runs', seen);
      for (const question of ['processes', 'machine', 'limits', 'network', 'asynchronous', 'larger']) {
        await page.setViewportSize({ width: 1280, height: 800 });
        await looked(browser, page, `/p/main?question=${question}`, `ask ${question}`, seen);
      }
      for (const tab of ['bsf', 'bsp', 'wavefront', 'call']) await looked(browser, page, `/p/main/calculators?tab=${tab}`, `calculator ${tab}`, seen);
      await browser.axe(page, 'calculators');
      check(seen.length === 0, `${seen.length} faults: ${seen.slice(0, 12).join(' | ')}`);
    },
  },
  {
    name: 'long names and 10,000 points stay within their places',
    async run({ browser }) {
      const page = await browser.page('/');
      await page.getByRole('heading', { level: 1, name: 'Ask' }).waitFor();
      const named = await browser.api(page, 'POST', '/projects', { json: { name: 'long-names', title: `Project ${LONG}` } });
      check([201, 409].includes(named.status), named.text);
      const many = [['p', 'n', 'time_s'], ...Array.from({ length: 100 }, (_, p) => Array.from({ length: 100 }, (_, n) => [p + 1, n + 1, ((n + 1) / (p + 1)).toFixed(4)])).flat()];
      const words = [[`parameter_${LONG.replace(/-/g, '_').slice(0, 50)}`, 'label', 'time_s', 'interval_level'], ...Array.from({ length: 12 }, (_, index) => [index + 1, `${LONG}-${index % 3}`, (20 / (index + 1)).toFixed(3), 0.9])];
      const [one, two] = [await result(browser, page, 'long-names', 'many', many), await result(browser, page, 'long-names', LONG.slice(0, 59), words)];
      // Tables that have no parameter in common are compared, too: the page says that they cannot be.
      browser.expect('422');
      const seen = [];
      for (const list of ['results', 'tables', 'jobs', 'settings', `compare?ids=${one},${two}`]) await looked(browser, page, `/p/long-names/${list}`, `long ${list.slice(0, 9)}`, seen);
      for (const view of ['heatmap', 'parallel', 'scatter', 'line']) await looked(browser, page, `/p/long-names/results/${one}?tab=figure&view=${view}`, `many ${view}`, seen);
      for (const tab of ['figure', 'figure&view=dots', 'curves', 'table']) await looked(browser, page, `/p/long-names/results/${two}?tab=${tab}`, `words ${tab}`, seen);
      await browser.axe(page, 'long names');
      check(seen.length === 0, `${seen.length} faults: ${seen.slice(0, 12).join(' | ')}`);
    },
  },
  {
    name: 'faults that are put into a page are found',
    async run({ browser }) {
      const page = await browser.page('/p/main/results');
      await page.getByRole('region', { name: 'List of results' }).waitFor();
      await browser.settled(page);
      equal(await faults(page), [], 'the page as it is');
      /** Puts something wrong into the page, by the debugger: the policy of the page stays as it is. */
      const wrong = {
        sideways: () => { document.querySelector('main').style.width = '2000px'; },
        clipped: () => { const h1 = document.querySelector('h1'); h1.style.cssText = 'width:20px;overflow:hidden;white-space:nowrap'; },
        overlap: () => { document.querySelector('main h1').style.marginBottom = '-24px'; },
        stretched: () => { document.querySelector('main input[type=search], main .panel-head input').style.height = '180px'; },
        small: () => { const one = document.querySelector('main .panel-head button'); one.style.cssText = 'width:10px;height:10px;min-height:0;min-width:0;padding:0;overflow:hidden'; one.title = 'x'; },
        stacked: () => { const p = document.querySelector('main header p'); p.textContent = 'one two three four five six seven eight nine ten'.repeat(2); p.style.cssText = 'width:40px'; },
        plot: () => {
          const plot = document.createElement('div');
          plot.setAttribute('aria-roledescription', 'plot');
          plot.setAttribute('aria-label', 'Time. 120 rows.');
          const canvas = document.createElement('canvas');
          [canvas.width, canvas.height] = [400, 200];
          canvas.getContext('2d').fillRect(0, 0, 2, 2);
          plot.append(canvas);
          document.querySelector('main').append(plot);
        },
      };
      for (const [kind, put] of Object.entries(wrong)) {
        await page.reload();
        await page.getByRole('region', { name: 'List of results' }).waitFor();
        await browser.settled(page);
        await page.evaluate(put);
        const found = await faults(page);
        check(found.some((fault) => fault.startsWith(`${kind}: `)), `${kind} is not found: ${found.join(' | ')}`);
      }
    },
  },
];
