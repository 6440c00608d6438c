// Applications, experiments and results: editors, launching, and every tab of a result.
import { readFile } from 'node:fs/promises';
import { check, clickToNumber, equal, until } from './harness.mjs';

const button = (where, name) => where.getByRole('button', { name, exact: true });

const SYSTEM = `format = "runcast-system/1"
name = "lab"
component = [
  { id = "lab", kind = "group" },
  { id = "node", kind = "machine", parent = "lab", count = 16, set = { power_idle = "60W", mtbf = "5y" } },
  { id = "cpu", kind = "cpu", parent = "node", count = 2, hardware = "intel-xeon-l5640" },
]
[[network]]
of = "lab"
set = { bandwidth = "3.4GB/s", latency = "1us" }
`;
const APP = `local n = param("n", 1e9, "operations in all")
local p = param("p", 4, "processes")
label{ "worker", count = p, run = function(rank)
  for step = 1, 4 do
    phase("work")
    compute{ type = "work", ops = n/p }
    phase("ring")
    local r = irecv{ from = (rank - 1) % p }
    send{ to = (rank + 1) % p, size = "1MB" }
    wait(r)
  end
  log("done", rank)
end }
`;
const EXPERIMENT = `format = "runcast-experiment/1"
system = "system.toml"   # the lab
seed = 1

[[app]]
file = "app.luau"

[vary]
p = [2, 4, 8, 16]
`;

/** A folder of the project with a system, an application and an experiment of its own. */
async function lab(browser, { app = APP, experiment = EXPERIMENT } = {}) {
  const page = await browser.page('/');
  const project = (await browser.api(page, 'GET', '/projects')).json.items[0].name;
  const folder = `lab-${Date.now().toString(36)}${Math.random().toString(36).slice(2, 5)}`;
  await browser.put(page, project, `${folder}/system.toml`, SYSTEM);
  await browser.put(page, project, `${folder}/app.luau`, app);
  await browser.put(page, project, `${folder}/experiment.toml`, experiment);
  const go = async (where) => {
    await page.goto(`${browser.origin}/p/${project}/${where}`);
    await page.getByRole('heading', { level: 1 }).first().waitFor();
  };
  const read = async (path) => (await browser.api(page, 'GET', `/projects/${project}/files/${path}`)).text;
  const launch = async (argv) => {
    const answer = await browser.api(page, 'POST', `/projects/${project}/jobs`, { json: { argv } });
    equal(answer.status, 202, `launch of ${argv.join(' ')}: ${answer.text}`);
    return answer.json.id;
  };
  const ended = (job) => until(async () => {
    const { json } = await browser.api(page, 'GET', `/jobs/${job}`);
    return ['succeeded', 'failed', 'cancelled'].includes(json.state) ? json : null;
  }, `job ${job} ends`);
  return { page, project, folder, go, read, launch, ended };
}

const plotIs = async (page, name, says) => {
  const plot = page.getByRole('application', { name });
  await until(async () => says.test((await plot.getAttribute('aria-label', { timeout: 2000 })) ?? ''), `a plot that says ${says}`);
  return plot;
};

export default [
  {
    name: 'application: help for calls, completion, dry run, an error at its line',
    async run({ browser }) {
      const { page, folder, go } = await lab(browser);
      await go(`applications/${folder}/app.luau`);
      const editor = page.locator('.cm-content');
      await editor.waitFor();
      await editor.getByText('compute', { exact: true }).hover();
      await page.locator('.cm-luau-help').getByText(/^compute\{ size = 0/).waitFor();
      await page.mouse.move(5, 5);
      await button(page, 'Dry run').click();
      const dry = page.getByRole('region', { name: 'Dry run' });
      await dry.getByText('worker × 4').waitFor();
      await dry.getByRole('img', { name: /Who sends to whom/ }).waitFor();
      await dry.getByRole('row', { name: /worker worker 16/ }).waitFor();
      await dry.getByLabel('p', { exact: true }).fill('8');
      await dry.getByLabel('p', { exact: true }).press('Enter');
      await dry.getByText('worker × 8').waitFor();
      await browser.screens(page, 'application');

      await editor.click();
      await page.keyboard.press('Control+End');
      await page.keyboard.insertText('label{ "other", run = function() se');
      await page.keyboard.press('Control+Space');
      await page.locator('.cm-tooltip-autocomplete').getByText('send', { exact: true }).first().waitFor();
      await page.keyboard.press('Escape');
      await page.keyboard.insertText('nd{ to = 0, sice = 1 } end }');
      await button(page, 'Dry run').click();
      const problems = dry.getByRole('list', { name: 'Problems of the dry run' });
      await problems.getByText(/sice/).first().waitFor();
      await problems.getByRole('button').first().click();
      await page.locator('.cm-lintRange-error, .cm-lint-marker-error').first().waitFor();
      // The draft is no file: nothing was saved.
      await page.getByText('unsaved changes').waitFor();
    },
  },
  {
    name: 'experiment: form and text in step, comments kept',
    async run({ browser }) {
      const { page, folder, go, read } = await lab(browser);
      await go(`experiments/${folder}/experiment.toml`);
      await page.getByLabel('Seed').fill('7');
      await page.getByLabel('Seed').press('Enter');
      await page.getByLabel('Values of p').fill('1..8*2');
      await page.getByLabel('Values of p').press('Enter');
      await page.getByText('4 points').waitFor();
      await button(page, 'Vary n').click();
      await page.getByLabel('Values of n').fill('1e9, 2e9');
      await page.getByLabel('Values of n').press('Enter');
      await page.getByText('8 points').waitFor();
      await button(page, 'Add a place').click();
      await page.getByLabel('For each of place 1').fill('2');
      await page.getByLabel('For each of place 1').press('Enter');
      await browser.screens(page, 'experiment-form');
      await page.getByRole('tab', { name: 'Text' }).click();
      const editor = page.locator('.cm-content');
      await editor.getByText('# the lab').waitFor();
      await editor.getByText('seed = 7').click();
      await page.keyboard.press('End');
      await page.keyboard.press('Enter');
      await page.keyboard.insertText('repetitions = 3');
      await page.getByRole('tab', { name: 'Experiment' }).click();
      equal(await page.getByLabel('Repetitions', { exact: true }).inputValue(), '3', 'the form shows what was typed');
      await page.getByText('24 points').waitFor();
      await page.keyboard.press('Control+S');
      await page.getByText(/^version \d+, saved/).waitFor();
      equal(await read(`${folder}/experiment.toml`), `format = "runcast-experiment/1"
system = "system.toml"   # the lab
seed = 7
repetitions = 3

[[app]]
file = "app.luau"
place = [{ label = "worker", on = "node", per = 2 }]

[vary]
p = "1..8*2"
n = [1000000000, 2000000000]
`, 'the file');
    },
  },
  {
    name: 'run by the keyboard alone: curve, point by point, and the result',
    async run({ browser }) {
      const { page, folder, go } = await lab(browser);
      await go(`experiments/${folder}/experiment.toml`);
      await page.getByText('4 points').waitFor();
      await page.locator('body').press('Tab');
      await until(async () => {
        await page.keyboard.press('Tab');
        return page.evaluate(() => document.activeElement?.textContent?.trim() === 'Run');
      }, 'Run gets the focus');
      await page.keyboard.press('Enter');
      await plotIs(page, /^Curve of/, /1 series, 4 points/);
      await until(async () => {
        await page.keyboard.press('Tab');
        return page.evaluate(() => document.activeElement?.getAttribute('aria-roledescription') === 'plot');
      }, 'the plot gets the focus');
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('ArrowRight');
      await page.locator('[aria-live=polite]').getByText(/Processes p 4, Time /).waitFor();
      await page.getByRole('link', { name: 'Open the result' }).focus();
      await page.keyboard.press('Enter');
      await plotIs(page, /^Time over/, /4 points/);
      await page.getByRole('tab', { name: 'Curves' }).focus();
      await page.keyboard.press('ArrowRight');
      await plotIs(page, /^Speedup over/, /4 points/);
      check(page.url().includes('tab=speedup'), 'the tab is in the address');
    },
  },
  {
    name: 'cancel and retry, log and progress',
    async run({ browser }) {
      // The script is slow on purpose; on a busy machine it is too slow for a dry run, which the form lives with.
      browser.expect('/dry-run');
      const slow = `local p = param("p", 1)\nlog("point", p)\nlocal x = 0\nfor i = 1, 60000000 do x = x + i end\nlabel{ "w", run = function() compute{ ops = 1e9 + 0*x } end }\n`;
      const { page, folder, go } = await lab(browser, { app: slow, experiment: EXPERIMENT.replace('[2, 4, 8, 16]', '"1..60"') });
      await go(`experiments/${folder}/experiment.toml`);
      await button(page, 'Run').click();
      const latest = page.getByRole('region', { name: 'Latest result' });
      await latest.getByText('running').waitFor();
      await until(async () => Number(await latest.getByRole('progressbar').getAttribute('aria-valuenow')) >= 1, 'a point is there');
      await button(page, 'Cancel').click();
      await latest.getByText('cancelled').waitFor();
      const done = Number(await latest.getByRole('progressbar').getAttribute('aria-valuenow'));
      check(done >= 1 && done < 60, `${done} points stayed`);
      await button(page, 'Retry').click();
      await latest.getByText(/running|queued/).waitFor();
      await until(async () => Number(await latest.getByRole('progressbar').getAttribute('aria-valuenow')) > done, 'it goes on');
      await button(page, 'Cancel').click();
      await latest.getByText('cancelled').waitFor();
      await page.getByRole('link', { name: 'Open the result' }).click();
      await page.getByRole('tab', { name: 'Log' }).click();
      await page.getByRole('table', { name: 'Tasks' }).waitFor();
    },
  },
  {
    name: 'a sweep: all tabs, downloads, save as table, comparison, overlay',
    async run({ browser }) {
      const { page, project, folder, go, read, launch, ended } = await lab(browser);
      const argv = ['sim', 'sweep', `${folder}/experiment.toml`, '--vary', 'hardware.cpu=intel-xeon-l5640,amd-epyc-9654'];
      const [one, two] = [await launch(argv), await launch(['sim', 'sweep', `${folder}/experiment.toml`, '--set', 'n=4e9'])];
      equal((await ended(one)).state, 'succeeded', 'the sweep');
      equal((await ended(two)).state, 'succeeded', 'the other sweep');
      await go(`results/${one}`);
      await plotIs(page, /^Time over/, /2 series, 8 points/);
      await page.getByRole('region', { name: 'Not modelled and assumed' }).getByRole('listitem').first().waitFor();
      await page.getByRole('region', { name: 'Versions used' }).getByText('unchanged since').waitFor();
      await browser.screens(page, 'result-curves');
      await button(page, 'Show the numbers').click();
      await page.getByRole('table', { name: /^Numbers of/ }).waitFor();
      for (const kind of ['SVG', 'PNG']) {
        const [file] = await Promise.all([page.waitForEvent('download'), button(page, `Download ${kind}`).click()]);
        const bytes = await readFile(await file.path());
        check(kind === 'SVG' ? bytes.includes('<svg') : bytes.subarray(1, 4).toString() === 'PNG', `a picture as ${kind}`);
      }
      // What the page shows are the numbers of the API.
      const speedup = (await browser.api(page, 'GET', `/jobs/${one}/plot?kind=speedup`)).json;
      await page.getByRole('tab', { name: 'Speedup' }).click();
      const plot = await plotIs(page, /^Speedup over/, /8 points/);
      await plot.focus();
      await page.keyboard.press('End');
      const best = speedup.series[0].points.at(-1).y;
      await page.locator('[aria-live=polite]').getByText(`Speedup ${Number(best.toPrecision(4))}`).first().waitFor();
      await browser.screens(page, 'result-speedup');
      await page.getByRole('tab', { name: 'Pareto' }).click();
      await page.getByRole('button', { name: 'Pareto front' }).waitFor();
      await browser.screens(page, 'result-pareto');

      await page.getByRole('tab', { name: 'Table' }).click();
      const table = page.getByRole('table', { name: 'Table' });
      await table.getByRole('columnheader', { name: 'time_s', exact: true }).waitFor();
      equal(await table.getAttribute('aria-rowcount'), '9', 'rows and header');
      await page.getByLabel('Filter rows').fill('epyc');
      await page.getByText('4 of 8 rows').waitFor();
      check(page.url().includes('q=epyc'), 'the filter is in the address');
      await page.getByLabel('Filter rows').fill('');
      await browser.screens(page, 'result-table');

      await button(page, 'Save as table').click();
      const saving = page.getByRole('dialog', { name: 'Save as table' });
      await saving.getByLabel('Path', { exact: true }).fill(`tables/${folder}.csv`);
      await button(saving, 'Save').click();
      await saving.waitFor({ state: 'hidden' });
      equal(await read(`tables/${folder}.csv`), (await browser.api(page, 'GET', `/jobs/${one}/table`)).text, 'the table that was saved');

      await page.getByRole('tab', { name: 'Compare' }).click();
      await browser.put(page, project, `tables/real-${folder}.csv`, `p,time_s\n2,1.0\n4,0.5\n8,0.3\n`);
      await page.goto(`${browser.origin}/p/${project}/results/${two}?tab=compare`);
      await page.getByRole('combobox', { name: 'Measured runs' }).selectOption(`tables/real-${folder}.csv`);
      const compared = (await browser.api(page, 'GET', `/jobs/${two}/compare?table=tables/real-${folder}.csv&metric=time_s`)).json;
      await page.getByText(`${Number(compared.d_max_pct.toPrecision(4))} %`).first().waitFor();
      const worst = await page.getByRole('table', { name: 'Worst first' }).getByRole('row').nth(1).getByRole('cell').first().textContent();
      equal(worst, String(compared.rows[0].params.p), 'the worst is first');
      await browser.screens(page, 'result-compare');

      await page.goto(`${browser.origin}/p/${project}/results/${one}?with=${two}`);
      await plotIs(page, /^Time over/, /3 series, 12 points/);
      await browser.screens(page, 'result-overlay');

      // A file that changed since is told.
      await browser.put(page, project, `${folder}/app.luau`, `${APP}-- changed\n`);
      await page.goto(`${browser.origin}/p/${project}/results/${one}`);
      await page.getByRole('region', { name: 'Versions used' }).getByText('1 changed since').waitFor();
    },
  },
  {
    name: 'a point of a sweep: its timeline and why, as runs of their own',
    async run({ browser }) {
      const { page, folder, go, launch, ended } = await lab(browser);
      const sweep = await launch(['sim', 'sweep', `${folder}/experiment.toml`]);
      equal((await ended(sweep)).state, 'succeeded', 'the sweep');
      await go(`results/${sweep}?tab=timeline`);
      await button(page, 'Timeline of p = 8').click();
      const timeline = page.getByRole('application', { name: /^Timeline of/ });
      await timeline.waitFor();
      check(/8 processes, \d+ intervals, 32 messages/.test(await timeline.getAttribute('aria-label')), await timeline.getAttribute('aria-label'));
      await timeline.focus();
      for (const key of ['ArrowDown', '.', '+', '+', 'ArrowRight']) await page.keyboard.press(key);
      await page.getByRole('strong').or(page.locator('.status strong')).getByText(/worker\[\d\]: compute|worker\[\d\]: /).first().waitFor();
      await button(page, 'Show the numbers').click();
      await page.getByRole('table', { name: 'Intervals in sight' }).waitFor();
      await page.keyboard.press('Escape');
      await browser.screens(page, 'result-timeline');
      const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Download for Perfetto' }).click()]);
      check(Array.isArray(JSON.parse(await readFile(await file.path(), 'utf8')).traceEvents), 'trace events');

      await go(`results/${sweep}?tab=why`);
      await button(page, 'Why of p = 8').click();
      await page.getByRole('region', { name: 'Bottleneck' }).getByText(/%/).first().waitFor();
      await page.getByRole('region', { name: 'Labels' }).getByText('worker').waitFor();
      await browser.screens(page, 'result-why');
    },
  },
  {
    name: 'optimize: front and advice',
    async run({ browser }) {
      const { page, folder, go } = await lab(browser);
      await go(`experiments/${folder}/experiment.toml`);
      await page.getByRole('combobox', { name: 'What to do' }).selectOption('optimize');
      await button(page, 'Run').click();
      const latest = page.getByRole('region', { name: 'Latest result' });
      await latest.getByRole('region', { name: 'Advice' }).getByText(/fastest/).first().waitFor();
      await page.getByRole('link', { name: 'Open the result' }).click();
      await page.getByRole('tab', { name: 'Pareto' }).click();
      await page.getByRole('application', { name: /^Front:/ }).waitFor();
      await browser.screens(page, 'result-optimize');
    },
  },
  {
    name: 'results of other methods: the numbers and tables of their document',
    async run({ browser }) {
      const { page, project, folder, go, launch, ended } = await lab(browser);
      await browser.put(page, project, `tables/fit-${folder}.csv`, 'p,time_s\n1,16.1\n2,8.2\n4,4.3\n8,2.4\n16,1.5\n32,1.1\n');
      const job = await launch(['fit', `tables/fit-${folder}.csv`]);
      equal((await ended(job)).state, 'succeeded', 'the fit');
      await go(`results/${job}`);
      await page.getByRole('region', { name: 'Answer' }).getByRole('table').first().waitFor();
      await page.getByRole('tab', { name: 'Log', selected: true }).waitFor();
      await browser.screens(page, 'result-fit');
    },
  },
  {
    name: 'two tabs save one experiment: nothing is lost',
    async run({ browser }) {
      browser.expect('412');
      const { page, folder, go, read } = await lab(browser);
      await go(`experiments/${folder}/experiment.toml`);
      const other = await browser.page(new URL(page.url()).pathname);
      await other.getByLabel('Seed').waitFor();
      await page.getByLabel('Seed').fill('11');
      await page.getByLabel('Seed').press('Enter');
      await other.getByLabel('Seed').fill('12');
      await other.getByLabel('Seed').press('Enter');
      await button(page, 'Save').click();
      await page.getByText(/^version \d+, saved/).waitFor();
      await button(other, 'Save').click();
      await other.getByRole('dialog').waitFor();
      const now = await read(`${folder}/experiment.toml`);
      check(now.includes('seed = 11') && !now.includes('seed = 12'), 'the first save stands');
    },
  },
  {
    name: 'a launch that is refused says why; a failed run shows its problem',
    async run({ browser }) {
      const { page, folder, go } = await lab(browser, { app: 'label{ "w", count = 2, run = function(rank) recv{ from = 1 - rank } end }\n', experiment: EXPERIMENT.replace(/\[vary\][^]*/, '') });
      await go(`experiments/${folder}/experiment.toml`);
      await button(page, 'Run').click();
      const latest = page.getByRole('region', { name: 'Latest result' });
      await latest.getByText('failed').first().waitFor();
      await latest.getByText(/recv/).first().waitFor();
      await page.getByRole('link', { name: 'Open the result' }).click();
      await page.getByRole('region', { name: 'Why it failed' }).waitFor();
      await browser.screens(page, 'result-failed');
    },
  },
  {
    name: 'from the click on "Run" to the number on the page',
    async run({ browser }) {
      const { page, folder, go } = await lab(browser, { experiment: EXPERIMENT.replace(/\[vary\][^]*/, '') });
      await go(`experiments/${folder}/experiment.toml`);
      await page.getByText('1 point', { exact: true }).waitFor();
      const times = [];
      for (let turn = 0; turn < 5; turn += 1) {
        // Another seed each time, saved, so that nothing is taken from before.
        await page.getByLabel('Seed').fill(String(100 + turn));
        await page.getByLabel('Seed').press('Enter');
        await page.keyboard.press('Control+S');
        await until(() => page.getByRole('button', { name: 'Save', exact: true }).isDisabled(), 'it is saved');
        times.push(await clickToNumber(page, 90));
      }
      const median = times.toSorted((a, b) => a - b)[2];
      console.log(`       median ${median.toFixed(0)} ms of ${times.map((time) => time.toFixed(0)).join(', ')} ms`);
      // The goal is 300 ms on an idle machine with a release build, where it is judged.
      check(median < Number(process.env.RUNCAST_RUN_MS ?? Infinity), `${median} ms`);
    },
  },
  {
    name: 'many: a timeline of 80,000 intervals and their table',
    async run({ browser }) {
      const { page, folder, launch, ended, go } = await lab(browser, { app: APP.replace('1, 4 do', '1, 600 do').replace('log("done", rank)', '') });
      const run = await launch(['sim', 'run', `${folder}/experiment.toml`, '--set', 'p=64', '--timeline', 'timeline.json']);
      equal((await ended(run)).state, 'succeeded', 'the run');
      await go(`results/${run}?tab=timeline`);
      const timeline = page.getByRole('application', { name: /^Timeline of/ });
      await timeline.waitFor();
      const intervals = Number(/([\d,]+) intervals/.exec(await timeline.getAttribute('aria-label'))[1].replaceAll(',', ''));
      check(intervals >= 50_000, `${intervals} intervals`);
      await timeline.focus();
      await page.keyboard.press('+');
      await page.keyboard.press('0');
      await button(page, 'Show the numbers').click();
      const table = page.getByRole('table', { name: 'Intervals in sight' });
      await table.waitFor();
      equal(Number(await table.getAttribute('aria-rowcount')), intervals + 1, 'rows of the table and its header');
      check((await table.getByRole('row').count()) < 100, 'only rows in sight are drawn');
      await button(table, 'Length').click();
      await table.getByRole('columnheader', { name: 'Length' }).and(page.locator('[aria-sort=ascending]')).waitFor();
    },
  },
];
