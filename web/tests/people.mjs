// Accounts: the first administrator by the one-time link, signing in and out, and drafts that outlive a session. They
// need a server with `--multi-user`, which is started here (`RUNCAST_BIN`) and stopped again.
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Browser, check, equal, until } from './harness.mjs';

const RUNCAST = process.env.RUNCAST_BIN ?? fileURLToPath(new URL('../../target/debug/runcast', import.meta.url));
const PASSWORD = 'a long enough password';
const button = (page, name) => page.getByRole('button', { name, exact: true });

async function serve(work) {
  const folder = await mkdtemp(join(tmpdir(), 'runcast-people-'));
  const server = spawn(RUNCAST, ['serve', '--multi-user', '--allow-weak-sandbox', '--data-dir', folder, '--port', '0', '--workers', '0', '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const line = await new Promise((done, fail) => {
      createInterface(server.stdout).once('line', done);
      server.once('error', fail);
      server.once('exit', (code) => fail(new Error(`the server ended with ${code}`)));
      setTimeout(() => fail(new Error('the server did not start within 60 s')), 60_000).unref();
    });
    await work(JSON.parse(line).url);
  } finally {
    if (server.exitCode === null) {
      const over = new Promise((done) => server.once('exit', done));
      server.kill('SIGTERM');
      await over;
    }
    await rm(folder, { recursive: true, force: true });
  }
}

export default [
  {
    name: 'set-up by the link, sign out, sign in; a draft outlives the session',
    async run({ browser: outer, args }) {
      await serve(async (url) => {
        const browser = await Browser.start({ url, shots: args.shots ?? null });
        try {
          const page = await browser.page(new URL(url).pathname + new URL(url).search);
          await page.getByRole('heading', { level: 1, name: 'Set up this server' }).waitFor();
          await browser.screens(page, 'setup');
          await page.getByLabel('Name').fill('anna');
          await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
          await page.getByLabel('Password again').fill(`${PASSWORD}!`);
          await page.getByText('The two passwords differ').waitFor();
          await page.getByLabel('Password again').fill(PASSWORD);
          await button(page, 'Create the administrator').click();
          await page.getByRole('heading', { level: 1, name: 'Ask' }).waitFor();
          check(!page.url().includes('setup='), 'the link stays in the address');
          await browser.screens(page, 'no-projects');

          await button(page, 'New project').first().click();
          await page.getByLabel('Title').fill('Heat & flow');
          await page.getByLabel('Title').press('Enter');
          await until(() => page.url().endsWith('/p/heat-flow'), 'the new project is open');
          await browser.put(page, 'heat-flow', 'notes/a.toml', 'a = 1\n');
          await page.goto(`${browser.origin}/p/heat-flow/tables/notes/a.toml?tab=text`);
          await page.locator('.cm-content').click();
          await page.keyboard.press('Control+End');
          await page.keyboard.type('kept = 1');
          await button(page, 'Sign out').click();

          await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
          await browser.screens(page, 'login');
          await page.getByLabel('Name').fill('anna');
          // A refusal is answered with 401, which the browser logs. Until here nothing may have been refused.
          browser.expect('401');
          await page.getByLabel('Password').fill('not the password');
          await button(page, 'Sign in').click();
          await page.getByRole('alert').waitFor();
          await page.getByLabel('Password').fill(PASSWORD);
          await button(page, 'Sign in').click();
          await page.getByText(/were brought back/).waitFor();
          await until(async () => (await page.locator('.cm-content').innerText()).includes('kept = 1'), 'the draft is back');
          equal((await browser.api(page, 'GET', '/projects/heat-flow/files/notes/a.toml')).text, 'a = 1\n', 'the server');

          for (const tab of ['members', 'users', 'audit', 'account']) {
            await page.goto(`${browser.origin}/p/heat-flow/settings?tab=${tab}`);
            await page.getByRole('tabpanel').getByRole('heading', { level: 2 }).first().waitFor();
            await browser.screens(page, `settings-${tab}`);
          }
          await page.goto(`${browser.origin}/p/heat-flow/settings?tab=users`);
          await button(page, 'New user').click();
          await page.getByRole('dialog').getByLabel('Name').fill('bert');
          await page.getByRole('dialog').getByLabel('Password').fill(PASSWORD);
          await button(page, 'Add').click();
          await button(page, 'Change bert').waitFor();
          await page.getByRole('tab', { name: 'Members' }).click();
          await page.getByLabel('User').fill('bert');
          await page.getByLabel('Role', { exact: true }).selectOption('viewer');
          await button(page, 'Add member').click();
          await page.getByLabel('Role of bert').waitFor();
          equal(await page.getByLabel('Role of bert').inputValue(), 'viewer', 'the role of the new member');
        } finally {
          outer.faults.push(...browser.faults);
          await browser.close();
        }
      });
    },
  },
];
