// Recordings of MPI programs: uploaded, seen, replayed, learnt from. The recordings are made of traces by the program itself.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { equal, until } from './harness.mjs';

const RUNCAST = process.env.RUNCAST_BIN ?? fileURLToPath(new URL('../../target/debug/runcast', import.meta.url));
const run = promisify(execFile);
const button = (where, name) => where.getByRole('button', { name, exact: true });

/** Ten turns of a ring with a sum, as liballprof writes them: 4 ms of computing on all ranks together, 55 us of calls on each. */
async function recorded(folder, p) {
  const traces = [];
  for (let rank = 0; rank < p; rank += 1) {
    const comm = `0,${rank},${p}`;
    const lines = ['MPI_Init:0:0:0:10'];
    let time = 10;
    const call = (name, rest, took) => {
      lines.push(`${name}:${time}:${rest}:${time + took}`);
      time += took;
    };
    for (let turn = 0; turn < 10; turn += 1) {
      time += 4000 / p;
      const send = () => call('MPI_Send', `1:1000:1,8,8:${(rank + 1) % p}:0:${comm}`, 20);
      const receive = () => call('MPI_Recv', `2:1000:1,8,8:${(rank + p - 1) % p}:0:${comm}:0`, 20);
      for (const one of rank % 2 ? [receive, send] : [send, receive]) one();
      call('MPI_Allreduce', `1:2:1:1,8,8:0:${comm}`, 15);
    }
    lines.push(`MPI_Finalize:${time}:${time + 5}`);
    traces.push(join(folder, `trace-${p}-rank-${rank}.txt`));
    await writeFile(traces.at(-1), `${lines.join('\n')}\n`);
  }
  const made = join(folder, `rec-${p}`);
  await run(RUNCAST, ['record', 'import', ...traces, '--format', 'liballprof', '-o', made]);
  return readFile(join(made, 'recording.rcr'));
}

export default [
  {
    name: 'uploaded by the keyboard, what limits it, factors beside another, a replay, a model',
    async run({ browser }) {
      const page = await browser.page('/');
      const folder = await mkdtemp(join(tmpdir(), 'runcast-recordings-'));
      try {
        await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Recordings', exact: true }).click();
        await page.getByRole('heading', { level: 1, name: 'Recordings' }).waitFor();
        await page.getByText('No recordings yet').waitFor();
        await browser.screens(page, 'recordings-empty');
        for (const p of [4, 8]) {
          await page.goto(`${browser.origin}/p/main/recordings`);
          await button(page, 'Upload recording').focus();
          const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.keyboard.press('Enter')]);
          await chooser.setFiles({ name: 'recording.rcr', mimeType: 'application/octet-stream', buffer: await recorded(folder, p) });
          await page.getByText(`on ${p} processes`).waitFor();
        }
        // The second of this name has a name of its own; each is 500 us of computing in 555 us.
        equal(new URL(page.url()).pathname, '/p/main/recordings/recordings/recording-2.rcr', 'the address');
        await page.getByRole('region', { name: 'What limits it' }).getByText(/^transfer \(0\.90\)/).waitFor();
        const other = page.getByRole('form', { name: 'Recordings compared' }).getByRole('checkbox');
        await other.focus();
        await page.keyboard.press('Space');
        const factors = page.getByRole('region', { name: 'Table of factors' });
        await factors.getByRole('columnheader', { name: 'p = 4' }).waitFor();
        const row = await factors.getByRole('row').filter({ hasText: 'Transfer' }).getByRole('cell').allInnerTexts();
        equal(row.map(Number).map((value) => value.toFixed(2)), ['0.95', '0.90'], 'transfer at 4 and 8');
        await page.getByLabel('Forecast at processes').fill('64');
        await page.keyboard.press('Enter');
        await factors.getByRole('columnheader', { name: 'p = 64, forecast' }).waitFor();
        // Rank 0 sends 10 messages of 8,000 bytes to rank 1: 78.1 KiB.
        await page.getByRole('application', { name: /^Bytes from rank to rank, 8 by 8/ }).focus();
        await page.keyboard.press('ArrowRight');
        await page.getByText('From rank 0 to rank 1: 78 KiB').waitFor();
        const address = page.url();
        await page.reload();
        await factors.getByRole('columnheader', { name: 'p = 64, forecast' }).waitFor();
        equal(page.url(), address, 'the address after a reload');
        await browser.screens(page, 'recording');

        await button(page, 'Replay').focus();
        await page.keyboard.press('Enter');
        await until(() => /\/results\/[0-9A-Z]+/.test(page.url()), 'the replay is a result');
        await page.getByText('succeeded').first().waitFor();
        await page.goto(address);
        await button(page, 'Learn a model').focus();
        await page.keyboard.press('Enter');
        await until(() => page.url().endsWith('/experiments/learnt/recording-2/experiment.toml'), 'the model is an experiment');
        await button(page, 'Run').waitFor();
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  },
];
