// The main journey: draw a system, take an application from a template, make an experiment, run it, look at the curve,
// and hold what is downloaded against the API and the command line, byte for byte.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { PATIENCE, carry, check, equal, until } from './harness.mjs';

/** The same program that serves. */
const RUNCAST = process.env.RUNCAST_BIN ?? fileURLToPath(new URL('../../target/debug/runcast', import.meta.url));
const run = promisify(execFile);
const button = (where, name) => where.getByRole('button', { name, exact: true });

async function section(page, name) {
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true }).click();
  await page.getByRole('heading', { level: 1, name }).waitFor();
}

async function create(page, name) {
  await page.getByRole('button', { name: 'New', exact: true }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name', { exact: true }).fill(name);
  await button(dialog, 'Create').click();
  await dialog.waitFor({ state: 'hidden' });
}

/** Two machines and a network, 32 nodes. */
async function draw(browser, page, name) {
  await section(page, 'Systems');
  await create(page, name);
  const catalogue = page.getByRole('region', { name: 'Catalogue' });
  const canvas = page.getByRole('region', { name: 'Canvas' });
  await catalogue.getByRole('option', { name: /^Machine/ }).waitFor();
  await canvas.locator('.svelte-flow__node').first().waitFor();
  await browser.settled(page);
  for (const [part, u, v] of [[/^Machine/, 0.35, 0.45], [/^Machine/, 0.65, 0.6], [/^infiniband-hdr-4x/, 0.5, 0.5]]) {
    await carry(page, part, [u, v]);
  }
  const tree = page.getByRole('tree');
  await tree.getByRole('treeitem', { name: /^node-2/ }).waitFor();
  await tree.getByRole('treeitem', { name: /^node / }).first().click();
  const count = page.getByRole('region', { name: 'Properties' }).getByLabel('Multiplicity (count)');
  await count.fill('32');
  await count.press('Enter');
  await tree.getByRole('treeitem', { name: /^node ×32/ }).waitFor();
  await button(page, 'Save').click();
  await page.getByText(/^version \d+, saved/).waitFor();
}

export default [
  {
    name: 'draw, template, experiment, run, curve, the same bytes everywhere',
    async run({ browser }) {
      check(existsSync(RUNCAST), `there is no ${RUNCAST}: RUNCAST_BIN names the program`);
      const page = await browser.page('/');
      const project = (await browser.api(page, 'GET', '/projects')).json.items[0].name;
      const stamp = Date.now().toString(36);
      await draw(browser, page, `journey-${stamp}`);

      await section(page, 'Applications');
      await button(page, 'Template').click();
      const dialog = page.getByRole('dialog', { name: 'Template' });
      await dialog.getByRole('radio', { name: /^msort/ }).check();
      await dialog.getByLabel('Folder').fill(`msort-${stamp}`);
      await button(dialog, 'Create').click();
      await until(() => page.url().endsWith(`/applications/msort-${stamp}/app.luau`), 'the application is open');
      await button(page, 'Dry run').click();
      const dry = page.getByRole('region', { name: 'Dry run' });
      await dry.getByText(/^sorter ×/).waitFor();
      await dry.getByLabel('p', { exact: true }).waitFor();
      await browser.screens(page, 'journey-application');

      await section(page, 'Experiments');
      await create(page, `journey-${stamp}`);
      await until(() => page.url().includes(`/experiments/experiments/journey-${stamp}.toml`), 'the experiment is open');
      const system = page.getByRole('combobox', { name: 'System' });
      await until(async () => (await system.locator('option').count()) > 1, 'systems to choose from');
      await system.selectOption({ label: `systems/journey-${stamp}.toml` });
      await page.getByRole('combobox', { name: 'Application' }).selectOption({ label: `msort-${stamp}/app.luau` });
      await page.getByLabel('n', { exact: true }).fill('1000000');
      await page.getByLabel('n', { exact: true }).press('Enter');
      await page.getByLabel('What varies').fill('p');
      await page.getByLabel('What varies').press('Enter');
      const values = page.getByLabel('Values of p');
      await values.fill('1, 2, 4, 8');
      await values.press('Enter');
      await page.getByText('4 points').waitFor();

      await button(page, 'Run').click();
      const plot = page.getByRole('application', { name: /^Curve of/ });
      await until(async () => /1 series, 4 points/.test((await plot.getAttribute('aria-label', { timeout: 2000 })) ?? ''), 'a curve with 4 points');
      await page.getByRole('region', { name: 'Latest result' }).getByText('succeeded').waitFor();
      await browser.screens(page, 'journey-experiment');

      await page.getByRole('link', { name: 'Open the result' }).click();
      const curve = page.getByRole('application', { name: /^Time over Processes p/ });
      await curve.waitFor();
      check(/1 series, 4 points/.test(await curve.getAttribute('aria-label')), 'the curve has 4 points');
      const address = page.url();
      const job = new URL(address).pathname.split('/').at(-1);
      const [download] = await Promise.all([page.waitForEvent('download'), button(page, 'Download CSV').click()]);
      const downloaded = await readFile(await download.path(), 'utf8');
      const fromApi = (await browser.api(page, 'GET', `/jobs/${job}/table`)).text;
      equal(downloaded, fromApi, 'what is downloaded against the API');

      // The same by the command line, in a folder with the files of the project.
      const folder = await mkdtemp(join(tmpdir(), 'runcast-journey-'));
      try {
        const { files, command_line } = (await browser.api(page, 'GET', `/jobs/${job}`)).json;
        check(files.length >= 3, 'the job froze its files');
        for (const file of files) {
          const { text } = await browser.api(page, 'GET', `/projects/${project}/files/${file.path}?version=${file.version}`);
          await mkdir(join(folder, dirname(file.path)), { recursive: true });
          await writeFile(join(folder, file.path), text);
        }
        await run(RUNCAST, [...command_line.split(' ').slice(1), '-o', 'out.csv'], { cwd: folder, timeout: PATIENCE });
        equal(downloaded, await readFile(join(folder, 'out.csv'), 'utf8'), 'what is downloaded against the command line');
      } finally {
        await rm(folder, { recursive: true, force: true });
      }

      await page.reload();
      await curve.waitFor();
      equal(page.url(), address, 'the address after a reload');
      check(/1 series, 4 points/.test(await curve.getAttribute('aria-label')), 'the same curve after a reload');
      await browser.screens(page, 'journey-result');
    },
  },
];
