// Tables, fitted models, calculators and reports: each method once, in the browser.
import { readFile } from 'node:fs/promises';
import { check, equal, until } from './harness.mjs';

const button = (where, name) => where.getByRole('button', { name, exact: true });
const fixture = (path) => readFile(new URL(`../../testdata/${path}`, import.meta.url), 'utf8');

// time = 0.4 + 9.6/p, with repetitions that lie a little apart.
const RUNS = 'p,N,time_s\n' + [1, 2, 4, 8, 16, 32].flatMap((p) => [0.99, 1.01].map((f) => `${p},1000,${((0.4 + 9.6 / p) * f).toFixed(5)}`)).join('\n') + '\n';

async function begin(browser) {
  const page = await browser.page('/');
  const project = (await browser.api(page, 'GET', '/projects')).json.items[0].name;
  const id = `${Date.now().toString(36)}${Math.random().toString(36).slice(2, 5)}`;
  const go = async (where) => {
    await page.goto(`${browser.origin}/p/${project}/${where}`);
    await page.getByRole('heading', { level: 1 }).first().waitFor();
  };
  const job = async (argv) => {
    const answer = await browser.api(page, 'POST', `/projects/${project}/jobs`, { json: { argv } });
    equal(answer.status, 202, `launch of ${argv.join(' ')}: ${answer.text}`);
    return until(async () => {
      const { json } = await browser.api(page, 'GET', `/jobs/${answer.json.id}`);
      return ['succeeded', 'failed', 'cancelled'].includes(json.state) ? json : null;
    }, `${argv[0]} ends`);
  };
  return { page, project, id, go, job };
}

const compute = async (browser, page, argv, files) => {
  const answer = await browser.api(page, 'POST', '/compute', { json: { argv, files } });
  equal(answer.status, 200, `${argv.join(' ')}: ${answer.text}`);
  return answer.json;
};

export default [
  {
    name: 'table: uploaded with roles, a problem at its line, filtered',
    async run({ browser }) {
      const { page, project, id, go } = await begin(browser);
      await go('tables');
      await button(page, 'Upload table').click();
      browser.expect('422');
      const dialog = page.getByRole('dialog', { name: 'Upload table' });
      await dialog.getByLabel('File', { exact: true }).setInputFiles({ name: `up-${id}.csv`, mimeType: 'text/csv', buffer: Buffer.from(RUNS + '3,4\n') });
      await dialog.getByText(/line 14/).first().waitFor();
      await dialog.getByLabel('File', { exact: true }).setInputFiles({ name: `up-${id}.csv`, mimeType: 'text/csv', buffer: Buffer.from(RUNS) });
      await dialog.getByText('time_s, s').waitFor();
      await button(dialog, 'Upload').click();
      await page.waitForURL(`**/tables/tables/up-${id}.csv**`);
      await page.getByText('metric time_s, s').waitFor();
      await page.getByText('12 rows', { exact: true }).waitFor();
      await page.getByLabel('Filter rows').fill('16');
      await page.getByText('3 of 12 rows').waitFor();
      const kept = (await browser.api(page, 'GET', `/projects/${project}/files/tables/up-${id}.csv`)).text;
      equal(kept, RUNS, 'the bytes of the table');
      await browser.screens(page, 'table');
    },
  },
  {
    name: 'table: 100 000 rows sort and stay in sight only',
    async run({ browser }) {
      const { page, project, id, go } = await begin(browser);
      const rows = Array.from({ length: 100_000 }, (_, index) => `${(index * 7919) % 100_003},${index},${(index % 977) / 7}`);
      await browser.put(page, project, `tables/big-${id}.csv`, `p,N,time_s\n${rows.join('\n')}\n`);
      await go(`tables/tables/big-${id}.csv`);
      await page.getByText('100,000 rows', { exact: true }).waitFor();
      check((await page.getByRole('table', { name: /Rows of/ }).getByRole('row').count()) < 200, 'only rows in sight are drawn');
    },
  },
  {
    name: 'model: fitted in the browser, hypotheses, predictions, evaluation, advice',
    async run({ browser }) {
      const { page, project, id, go } = await begin(browser);
      const table = `tables/fit-${id}.csv`;
      await browser.put(page, project, table, RUNS);
      await go('models');
      await button(page, 'Fit').click();
      const dialog = page.getByRole('dialog', { name: 'Fit a model' });
      await dialog.getByLabel('Table', { exact: true }).selectOption(table);
      await dialog.getByLabel('Hypotheses').selectOption('all');
      await button(dialog, 'Fit').click();
      const model = `models/fit-${id}.json`;
      await page.waitForURL(`**/models/${model}**`);
      await page.getByRole('table', { name: 'Hypotheses' }).getByRole('button', { name: 'amdahl' }).waitFor();
      await browser.screens(page, 'model-hypotheses');

      const text = (await browser.api(page, 'GET', `/projects/${project}/files/${model}`)).text;
      await page.getByRole('tab', { name: 'Predictions' }).click();
      await page.getByLabel('p', { exact: true }).fill('64');
      await button(page, 'Predict').click();
      const predicted = await compute(browser, page, ['predict', model, '--at', 'p=64,N=1000'], { [model]: text });
      const auto = predicted.predictions.find((one) => one.model === 'amdahl');
      check(auto.extrapolates, 'p = 64 lies beyond the runs');
      const cells = page.getByRole('table', { name: 'Predictions', exact: true }).getByRole('row').filter({ hasText: 'amdahl' });
      await cells.filter({ hasText: /p 2×/ }).waitFor();
      check((await cells.innerText()).includes(`${(auto.value * 1000).toPrecision(4).replace(/\.?0+$/, '')} ms`), `the value of the API, ${auto.value}, is shown: ${await cells.innerText()}`);
      await page.getByRole('application', { name: /time_s along p/ }).waitFor();
      await browser.screens(page, 'model-predictions');

      await page.getByRole('tab', { name: 'Evaluation' }).click();
      await until(async () => (await page.getByLabel('Table', { exact: true }).inputValue()) === table, 'the table of the model is chosen');
      await button(page, 'Evaluate').click();
      await page.getByRole('application', { name: /Predicted over measured/ }).waitFor();
      await browser.screens(page, 'model-evaluation');

      await page.getByRole('tab', { name: 'Advice' }).click();
      await button(page, 'Advise').click();
      await page.getByText(/Recommended:/).waitFor();
      await page.getByLabel('Advice on').selectOption('next');
      await button(page, 'Advise').click();
      await page.getByRole('table', { name: 'Candidates' }).waitFor();
      await browser.screens(page, 'model-advice');
    },
  },
  {
    name: 'BSF: a slider moves the boundary, the numbers are those of the command',
    async run({ browser }) {
      const { page, go } = await begin(browser);
      await go('calculators?tab=bsf');
      const figure = page.locator('dl div').filter({ hasText: 'K_max, flat' }).locator('dd').first();
      await until(async () => (await figure.innerText()) === '14.24', 'K_max of Jacobi');
      await page.getByRole('slider', { name: /Latency/ }).focus();
      await page.keyboard.press('ArrowRight');
      await until(async () => (await figure.innerText()) !== '14.24', 'K_max follows the slider');
      await page.getByLabel('Latency of a message', { exact: true }).fill('30us');
      const answer = await compute(browser, page, ['bsf', 'predict', '--algorithm', 'jacobi', '--size', '1500', '--latency', '30us', '--op-time', '29ns', '--transfer-time', '190ns'], {});
      const wanted = String(Number(answer.k_max.toPrecision(4)));
      await until(async () => (await figure.innerText()) === wanted, `K_max ${wanted}`);
      await page.getByRole('application', { name: /Speedup over one worker/ }).waitFor();
      await browser.screens(page, 'calculator-bsf');
    },
  },
  {
    name: 'BSP: times with and without barriers over processors',
    async run({ browser }) {
      const { page, project, id, go } = await begin(browser);
      await browser.put(page, project, `calculators/fft-${id}.toml`, await fixture('bsp/fft.toml'));
      await go(`calculators/calculators/fft-${id}.toml?values=2,4`);
      const row = page.getByRole('table', { name: 'Predictions' }).getByRole('row').nth(1);
      await until(async () => /19[,\s]?754/.test(await row.innerText()), 'OBSP* time of 2 processors');
      await page.getByRole('application', { name: /Time over P/ }).waitFor();
      await go('calculators?tab=bsp');
      await page.getByRole('application', { name: /Time over P/ }).waitFor();
      await browser.screens(page, 'calculator-bsp');
    },
  },
  {
    name: 'wavefront: laws drawn, solved, degrees compared',
    async run({ browser }) {
      const { page, go } = await begin(browser);
      await go('calculators?tab=wavefront');
      await page.getByRole('application', { name: /Laws of the updates/ }).waitFor();
      const figure = page.locator('dl div').filter({ hasText: 'Time to converge' }).locator('dd').first();
      await until(async () => /145\.3\d* s|145\.4 s/.test(await figure.innerText({ timeout: 2000 }).catch(() => '')), 'the time to converge');
      const answer = await page.getByRole('table', { name: 'Degrees of asynchronism' }).innerText();
      check(answer.includes('1/2'), 'degree 1/2 is compared');
      await browser.screens(page, 'calculator-wavefront');
    },
  },
  {
    name: 'CALL: constants and segments of a trace, predictions beyond it',
    async run({ browser }) {
      const { page, project, id, go } = await begin(browser);
      const trace = `traces/demo-${id}.csv`;
      await browser.put(page, project, trace, await fixture('cll/demo.cll.1.csv'));
      await go(`calculators?tab=call&trace=${trace}`);
      await page.getByText(/between the measured 3,?072 and 4,?096/).waitFor();
      await page.getByLabel('At', { exact: true }).fill('n=1048576,P=1');
      await button(page, 'Predict').click();
      await page.getByRole('region', { name: 'Predictions' }).getByText(/n \d+×/).waitFor();
      await browser.screens(page, 'calculator-call');
    },
  },
  {
    name: 'report: parts picked, ordered and written, built, shown and downloaded',
    async run({ browser }) {
      const { page, project, id, go } = await begin(browser);
      const table = `tables/report-${id}.csv`;
      await browser.put(page, project, table, RUNS);
      await go('reports');
      await button(page, 'New').first().click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Name', { exact: true }).fill(`r-${id}`);
      await button(dialog, 'Create').click();
      await page.waitForURL(`**/reports/reports/r-${id}.toml**`);
      await page.getByLabel('Title', { exact: true }).fill('How the solver scales');
      await page.getByLabel('File', { exact: true }).selectOption(table);
      await button(page, 'Add file').click();
      await page.getByText(`2. ${table}`).waitFor();
      await page.getByLabel('Text of part 1', { exact: true }).fill('## Question\n\nHow many processes?');
      await button(page, 'Move part 2 up').click();
      await page.getByText(`1. ${table}`).waitFor();
      // The part that moved takes the focus with the next frame: a key before that goes astray.
      const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
      await until(async () => (await focused()) === 'Move part 1 down', 'the part that moved has the focus');
      await until(async () => {
        if (await page.getByText(`2. ${table}`).isVisible()) return true;
        await page.getByLabel('Text of part 2', { exact: true }).press('Alt+ArrowUp', { timeout: 5000 });
        return false;
      }, 'the text goes up');
      await button(page, 'Build').click();
      const frame = page.frameLocator('iframe[title="Preview of the report"]');
      await frame.getByRole('heading', { name: 'How the solver scales' }).waitFor();
      await frame.getByText('How many processes?').waitFor();
      equal(await page.locator('iframe').getAttribute('sandbox'), '', 'nothing may run in the preview');
      const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Download HTML', exact: true }).click()]);
      const html = await readFile(await download.path(), 'utf8');
      check(html.includes('How the solver scales') && html.includes('<svg'), 'one file with the plots in it');
      const saved = (await browser.api(page, 'GET', `/projects/${project}/files/reports/r-${id}.toml`)).text;
      check(saved.includes(`path = "../${table}"`), `the path is relative to the report: ${saved}`);
      await browser.screens(page, 'report');
    },
  },
  {
    name: 'report: a part says that its file has changed and is refreshed; a live one follows by itself',
    async run({ browser }) {
      const { page, project, id } = await begin(browser);
      const table = `tables/pinned-${id}.csv`;
      const { digest } = await browser.put(page, project, table, RUNS);
      const part = (more) => `[[item]]\nkind = "table"\nsource = "../${table}"\ndigest = "${digest}"\n${more}`;
      const report = `reports/pinned-${id}.toml`;
      await browser.put(page, project, report, `title = "Pinned"\n\n${part('')}\n${part('live = true\n')}`);
      await page.goto(`${browser.origin}/p/${project}/reports/${report}`);
      await button(page, 'Build').click();
      const frame = page.frameLocator('iframe[title="Preview of the report"]');
      await frame.getByRole('heading', { name: 'Pinned', exact: true }).waitFor();
      const later = await browser.put(page, project, table, RUNS.replace(/\n$/, '\n777,7,7\n'));
      // The live part is made anew, and saved; the other one waits for a word.
      await until(async () => (await browser.api(page, 'GET', `/projects/${project}/files/${report}`)).text.includes(later.digest), 'the live part follows');
      await frame.getByText('777').first().waitFor();
      await frame.getByText(/has changed since it was pinned/).waitFor();
      await page.getByText(`Changed since: ${table}`).waitFor();
      await button(page, 'Refresh').click();
      await page.getByText(`Changed since: ${table}`).waitFor({ state: 'detached' });
      await button(page, 'Build').click();
      await until(async () => !(await browser.api(page, 'GET', `/projects/${project}/files/${report}`)).text.includes(digest), 'both are of what is there');
    },
  },
];
