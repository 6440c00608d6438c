// Recordings of MPI programs: uploaded, seen, replayed, learnt from.
import { readFile } from 'node:fs/promises';
import { chosen, equal, until } from './harness.mjs';

const button = (where, name) => where.getByRole('button', { name, exact: true });

/**
 * Ten turns of a ring and a sum, imported from traces of liballprof: 4 ms of computing on all ranks together, two messages of
 * 20 us and a sum of 15 us on each.
 */
const recorded = (p) => readFile(new URL(`../../testdata/record/ring-${p}.rcr`, import.meta.url));

export default [
  {
    name: 'uploaded by the keyboard, what limits it, factors beside another, a replay, a model',
    async run({ browser }) {
      const page = await browser.page('/');
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Recordings', exact: true }).click();
      await page.getByRole('heading', { level: 1, name: 'Recordings' }).waitFor();
      await page.getByText('No recordings yet').waitFor();
      await browser.screens(page, 'recordings-empty');
      for (const p of [4, 8]) {
        await page.goto(`${browser.origin}/p/main/recordings`);
        const chooser = await chosen(page, button(page, 'Upload recording'));
        await chooser.setFiles({ name: 'recording.rcr', mimeType: 'application/octet-stream', buffer: await recorded(p) });
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
    },
  },
];
