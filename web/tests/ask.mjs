// Answers first: a table is dropped, the question asked, and the command behind the answer says the same in a shell.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { check, equal } from './harness.mjs';

const RUNCAST = process.env.RUNCAST_BIN ?? fileURLToPath(new URL('../../target/debug/runcast', import.meta.url));
const run = promisify(execFile);
const RUNS = 'p,N,solve_s\n1,1000,10.1\n2,1000,5.2\n4,1000,2.7\n8,1000,1.45\n16,1000,0.83\n';

const question = (page, name) => page.getByRole('group', { name: 'Questions' }).getByRole('button', { name, exact: true });
const sentence = (page) => page.getByRole('region', { name: 'Answer', exact: true }).getByRole('status');

export default [
  {
    name: 'a dropped table, 64 processes, one sentence with its range, and the same from the command',
    async run({ browser }) {
      const page = await browser.page('/');
      await page.getByRole('heading', { level: 1, name: 'Ask' }).waitFor();
      equal(await page.getByRole('group', { name: 'Questions' }).getByRole('button', { name: /\?$/ }).count(), 6, 'questions');
      await page.getByLabel('Drop a file').setInputFiles({ name: 'runs.csv', mimeType: 'text/csv', buffer: Buffer.from(RUNS) });
      await page.getByText(/^runs\.csv fits these questions/).waitFor();
      await question(page, 'How long will a larger run take?').click();
      const form = page.getByRole('form', { name: 'How long will a larger run take?' });
      equal(await form.getByLabel('Runs').inputValue(), 'runs.csv', 'the source');
      await form.getByLabel('Processes').fill('64');
      await form.getByRole('button', { name: 'Answer', exact: true }).click();
      await sentence(page).waitFor();
      const told = await sentence(page).textContent();
      check(/^About .+ \(.+ to .+, 90 %\) on 64 processes, 4 times beyond what was measured\.$/.test(told), told);
      await page.getByText(/^read as: p = processes/).waitFor();
      await page.getByText(/measured to p = 16/).first().waitFor();
      await page.getByText('The command', { exact: true }).click();
      const command = (await page.locator('pre').filter({ hasText: 'runcast predict' }).textContent()).split('\n')[0];
      const folder = await mkdtemp(join(tmpdir(), 'runcast-ask-'));
      try {
        await writeFile(join(folder, 'runs.csv'), RUNS);
        const { stdout } = await run(RUNCAST, [...command.split(' ').slice(1), '--json'], { cwd: folder });
        equal(JSON.parse(stdout).sentence, told, 'the sentence of the shell');
      } finally {
        await rm(folder, { recursive: true });
      }
      await browser.screens(page, 'answer');
    },
  },
  {
    name: 'by the keyboard: a sample answers, a field that is wrong is named',
    async run({ browser }) {
      const page = await browser.page('/');
      const machine = question(page, 'Which machine shall I buy?');
      await machine.focus();
      await page.keyboard.press('Enter');
      const form = page.getByRole('form', { name: 'Which machine shall I buy?' });
      const systems = form.getByLabel('Systems');
      await systems.focus();
      await page.keyboard.press('Enter');
      await sentence(page).waitFor();
      check(/ is faster: .+ against .+\.$/.test(await sentence(page).textContent()), await sentence(page).textContent());
      browser.expect('422');
      await systems.fill('systems/galera.toml');
      await page.keyboard.press('Enter');
      await form.getByText('this is no choice of machines').waitFor();
    },
  },
];
