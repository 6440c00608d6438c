// The frame of the pages: navigation, theme, keyboard, lists, a file with its drafts, versions and conflicts, settings.
import { check, equal, until } from './harness.mjs';

const SECTIONS = [
  'Systems', 'Hardware', 'Formulas', 'Applications', 'Experiments', 'Results', 'Compare', 'Tables', 'Models', 'Calculators', 'Reports', 'Jobs', 'Settings',
];

/** The first project, and a page in it. */
async function enter(browser, to = '') {
  const page = await browser.page('/');
  const { json } = await browser.api(page, 'GET', '/projects');
  const first = json.items.find((item) => item.name !== 'site');
  const project = first?.name ?? 'main';
  if (!first) {
    // A server without samples.
    const made = await browser.api(page, 'POST', '/projects', { json: { name: project, title: 'Main' } });
    check(made.status === 201, `a project is made: ${made.status} ${made.text}`);
    await page.reload();
  }
  if (to) await page.goto(`${browser.origin}/p/${project}${to}`);
  return { page, project };
}

/** A file that only this test uses, open in its text. */
async function text(browser, name, content, folder = 'notes', section = 'tables') {
  const { page, project } = await enter(browser);
  await browser.put(page, project, `${folder}/${name}.toml`, content);
  await page.goto(`${browser.origin}/p/${project}/${section}/${folder}/${name}.toml?tab=text`);
  const editor = page.locator('.cm-content');
  await editor.waitFor();
  return { page, project, editor };
}

const button = (page, name) => page.getByRole('button', { name, exact: true });

/** Another tab saves a line at the beginning of the file, and then the first one saves. */
async function between(other, page) {
  await other.locator('.cm-content').click();
  await other.keyboard.press('Control+Home');
  await other.keyboard.type('theirs = 2\n');
  await other.keyboard.press('Control+s');
  await other.getByText(/^Saved as version/).waitFor();
  await page.bringToFront();
  await button(page, 'Save').click();
}

export default [
  {
    name: 'every section opens, has one heading, fits and satisfies axe',
    async run({ browser }) {
      const { page, project } = await enter(browser);
      await page.getByRole('heading', { level: 1, name: 'Ask' }).waitFor();
      await browser.screens(page, 'dashboard');
      for (const section of SECTIONS) {
        await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: section, exact: true }).click();
        await until(() => page.url().includes(`/p/${project}/${section.toLowerCase()}`), `address of ${section}`);
        await until(async () => (await page.locator('h1').count()) === 1, `one heading on ${section}`);
        await browser.screens(page, section.toLowerCase());
      }
    },
  },
  {
    name: 'a first page is under 200 kB, and every page under 300 kB, of packed scripts and styles',
    async run({ browser }) {
      const { page, project } = await enter(browser);
      const { json } = await browser.api(page, 'GET', `/projects/${project}/files`);
      const sizes = [];
      const measure = async (to) => {
        await page.goto(`${browser.origin}${to}`);
        await page.locator('h1').first().waitFor();
        await browser.settled(page);
        // Kept answers count too: `encodedBodySize` is the size of the packed body wherever it came from.
        const bytes = await page.evaluate(() => performance.getEntriesByType('resource')
          .filter((entry) => /\.(js|css)$/.test(new URL(entry.name).pathname))
          .reduce((sum, entry) => sum + entry.encodedBodySize, 0));
        check(bytes > 10_000, `${to}: only ${bytes} bytes were counted`);
        sizes.push([bytes, to]);
      };
      await measure('/');
      check(sizes[0][0] < 200_000, `the first page takes ${sizes[0][0]} bytes`);
      for (const section of SECTIONS) await measure(`/p/${project}/${section.toLowerCase()}`);
      const sections = { system: 'systems', application: 'applications', experiment: 'experiments', table: 'tables' };
      for (const [kind, section] of Object.entries(sections)) {
        const file = json.items.find((item) => item.kind === kind);
        if (!file) continue;
        await measure(`/p/${project}/${section}/${file.path}`);
        await measure(`/p/${project}/${section}/${file.path}?tab=text`);
      }
      const jobs = (await browser.api(page, 'GET', `/projects/${project}/jobs`)).json.items;
      if (jobs[0]) await measure(`/p/${project}/results/${jobs[0].id}`);
      sizes.sort((a, b) => b[0] - a[0]);
      console.log(`       largest: ${sizes.slice(0, 4).map(([bytes, to]) => `${(bytes / 1000).toFixed(0)} kB ${to}`).join(', ')}; dashboard: ${(sizes.find(([, to]) => to === '/')[0] / 1000).toFixed(0)} kB`);
      check(sizes[0][0] < 300_000, `${sizes[0][1]} takes ${sizes[0][0]} bytes`);
    },
  },
  {
    name: 'a link shows the same page after a reload, back and forth',
    async run({ browser }) {
      const { page, project } = await enter(browser, '/jobs?state=failed');
      await page.getByRole('combobox', { name: 'State' }).waitFor();
      equal(await page.getByRole('combobox', { name: 'State' }).inputValue(), 'failed', 'the filter of the address');
      await page.getByRole('tab', { name: 'Lanes' }).click();
      await until(() => page.url().includes('tab=lanes'), 'the tab is in the address');
      await page.reload();
      equal(await page.getByRole('tab', { name: 'Lanes' }).getAttribute('aria-selected'), 'true', 'the tab after a reload');
      await page.getByRole('link', { name: 'Systems', exact: true }).click();
      await page.getByRole('heading', { level: 1, name: 'Systems' }).waitFor();
      await page.goBack();
      await page.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor();
      equal(new URL(page.url()).pathname, `/p/${project}/jobs`, 'the address after going back');
    },
  },
  {
    name: 'the keyboard goes everywhere, and the skip link skips',
    async run({ browser }) {
      const { page } = await enter(browser);
      await page.getByRole('heading', { level: 1, name: 'Ask' }).waitFor();
      await page.keyboard.press('Tab');
      equal(await page.evaluate(() => document.activeElement?.textContent?.trim()), 'Skip to the page', 'the first stop');
      await page.keyboard.press('Enter');
      await until(() => page.evaluate(() => document.activeElement?.id === 'main'), 'the focus is on the page');
      await page.keyboard.press('g');
      await page.keyboard.press('j');
      await page.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor();
      const queue = page.getByRole('tab', { name: 'Queue' });
      await queue.focus();
      await page.keyboard.press('ArrowRight');
      await until(() => page.evaluate(() => document.activeElement?.textContent === 'Lanes'), 'arrows move between tabs');
      await page.keyboard.press('?');
      await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
      await browser.axe(page, 'shortcuts');
      await page.keyboard.press('Escape');
      await until(async () => !(await page.getByRole('dialog').isVisible()), 'Escape closes the dialog');
      const project = page.getByRole('button', { name: /^Project / });
      await project.focus();
      await page.keyboard.press('ArrowDown');
      await page.getByRole('menu').waitFor();
      await browser.axe(page, 'project menu');
      await page.keyboard.press('Escape');
      await until(() => page.evaluate(() => document.activeElement?.getAttribute('aria-haspopup') === 'menu'), 'the focus goes back to the button');
    },
  },
  {
    name: 'the theme is chosen and kept',
    async run({ browser }) {
      const { page } = await enter(browser);
      const background = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
      await page.emulateMedia({ colorScheme: 'light' });
      await button(page, 'Dark theme').waitFor();
      const light = await background();
      await button(page, 'Dark theme').click();
      const dark = await background();
      check(light !== dark, `the background stays ${light}`);
      await page.reload();
      await button(page, 'Light theme').waitFor();
      equal(await background(), dark, 'the background after a reload');
    },
  },
  {
    name: 'a file is made, typed into, saved with Ctrl+S, and its versions are compared and restored',
    async run({ browser }) {
      const { page, editor, project } = await text(browser, 'versions', '# one\n');
      await editor.click();
      await page.keyboard.press('Control+End');
      await page.keyboard.type('two = 2');
      await page.getByText('unsaved changes').waitFor();
      await page.keyboard.press('Control+s');
      await page.getByText(/^Saved as version \d+$/).waitFor();
      const stored = await browser.api(page, 'GET', `/projects/${project}/files/notes/versions.toml`);
      equal(stored.text, '# one\ntwo = 2', 'the stored text');
      await button(page, 'Versions').click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name: /^Restore version/ }).waitFor();
      await until(() => dialog.locator('.cm-changedLine').first().isVisible(), 'the difference is marked');
      await browser.screens(page, 'versions');
      await dialog.getByRole('button', { name: /^Restore version/ }).click();
      await until(async () => (await browser.api(page, 'GET', `/projects/${project}/files/notes/versions.toml`)).text === '# one\n', 'the first text is back');
    },
  },
  {
    name: 'what was typed survives a reload; undo brings the old text back',
    async run({ browser }) {
      const { page, editor, project } = await text(browser, 'draft', 'a = 1\n');
      await editor.click();
      await page.keyboard.press('Control+End');
      await page.keyboard.type('b = 2');
      await until(() => page.evaluate(() => Object.entries(localStorage).some(([key, kept]) => key.startsWith('runcast:draft:') && kept.includes('b = 2'))), 'the draft is kept');
      await page.reload();
      await page.getByText(/were brought back/).waitFor();
      await until(async () => (await page.locator('.cm-content').innerText()).includes('b = 2'), 'the draft is shown');
      equal((await browser.api(page, 'GET', `/projects/${project}/files/notes/draft.toml`)).text, 'a = 1\n', 'the server');
      await button(page, 'Discard them').click();
      await until(async () => !(await page.locator('.cm-content').innerText()).includes('b = 2'), 'the draft is gone');
      await page.locator('.cm-content').click();
      await page.keyboard.press('Control+z');
      await until(async () => (await page.locator('.cm-content').innerText()).includes('b = 2'), 'undo brings it back');
    },
  },
  {
    name: 'two tabs that save one file: both versions and a merge, nothing is lost',
    async run({ browser }) {
      browser.expect('412');
      const { page, editor, project } = await text(browser, 'race', 'a = 1\n');
      await editor.click();
      await page.keyboard.press('Control+End');
      await page.keyboard.type('mine = 1');
      // What both put into one place is no matter of merging.
      await page.keyboard.press('Control+Home');
      await page.keyboard.type('same = 1\n');
      const other = await browser.page(`/p/${project}/tables/notes/race.toml?tab=text`);
      await other.locator('.cm-content').waitFor();
      // The second tab has the draft of the first, for they share a browser: it takes the server's text.
      const discard = button(other, 'Discard them');
      if (await discard.isVisible()) await discard.click();
      await between(other, page);
      const dialog = page.getByRole('dialog');
      await dialog.getByText('On the server: version').waitFor();
      await until(async () => (await dialog.innerText()).includes('theirs = 2') && (await dialog.innerText()).includes('mine = 1'), 'both versions are shown');
      await browser.screens(page, 'conflict');
      const stored = await browser.api(page, 'GET', `/projects/${project}/files/notes/race.toml`);
      check(stored.text.includes('theirs = 2') && !stored.text.includes('mine'), 'nothing was overwritten');
      await dialog.locator('.cm-merge-revert button').first().click();
      await dialog.getByRole('button', { name: 'Save merged text' }).click();
      await until(async () => {
        const { text: now } = await browser.api(page, 'GET', `/projects/${project}/files/notes/race.toml`);
        return now.includes('theirs = 2') && now.includes('mine = 1');
      }, 'the merge is stored');
    },
  },
  {
    name: 'two people at one file: who is there is seen, and saves of different lines are merged',
    async run({ browser }) {
      const { page, editor, project } = await text(browser, 'both', 'a = 1\nb = 1\nc = 1\n');
      const other = await browser.page(`/p/${project}/tables/notes/both.toml?tab=text`);
      await other.locator('.cm-content').waitFor();
      await editor.click();
      await page.keyboard.press('Control+End');
      await page.keyboard.type('mine = 1\n');
      await other.bringToFront();
      await between(other, page);
      await page.getByText(/merged with what others changed/).waitFor();
      equal((await browser.api(page, 'GET', `/projects/${project}/files/notes/both.toml`)).text, 'theirs = 2\na = 1\nb = 1\nc = 1\nmine = 1\n', 'the file');
      await until(async () => (await editor.innerText()).includes('theirs = 2'), 'the editor shows both');
    },
  },
  {
    name: 'problems of a file are listed and lead to their line',
    async run({ browser }) {
      const { page, editor } = await text(browser, 'wrong', 'format = "runcast-system/1"\nname = "wrong"\nbad = 2\n', 'systems', 'systems');
      const problem = page.getByRole('region', { name: 'Problems' }).getByRole('button').first();
      await problem.waitFor();
      await page.locator('.cm-lintRange-error').first().waitFor();
      await problem.click();
      await until(() => editor.evaluate((element) => element.contains(document.activeElement) || element === document.activeElement), 'the editor has the focus');
      await browser.screens(page, 'problems');
    },
  },
  {
    name: 'eight tabs share one stream of events',
    async run({ browser }) {
      const { page, project } = await enter(browser);
      await page.goto('about:blank');
      const streams = [];
      browser.context.on('request', (request) => request.url().endsWith('/events') && streams.push(request.url()));
      await page.goto(`${browser.origin}/p/${project}/systems`);
      await until(() => streams.length === 1, 'the first tab opens a stream');
      const tabs = [];
      for (let index = 0; index < 7; index += 1) tabs.push(await browser.page(`/p/${project}/systems`));
      for (const tab of tabs) await tab.getByRole('heading', { level: 1, name: 'Systems' }).waitFor();
      equal(streams.length, 1, 'streams of eight tabs');
      await browser.put(tabs[6], project, 'systems/shared-stream.toml', 'format = "runcast-system/1"\n');
      await tabs[3].bringToFront();
      await tabs[3].getByRole('link', { name: 'shared-stream', exact: true }).waitFor();
    },
  },
  {
    name: 'texts of users are only text',
    async run({ browser }) {
      const { page, project } = await enter(browser);
      const evil = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>';
      const id = `x${Date.now() % 1e9}`;
      const made = await browser.api(page, 'POST', '/projects', { json: { name: id, title: evil.slice(0, 80) } });
      check(made.status === 201, `the project is made: ${made.status} ${made.text}`);
      await browser.put(page, id, 'systems/evil.toml', `format = "runcast-system/1"\nname = ${JSON.stringify(evil)}\n# ${evil}\n`);
      for (const to of ['', '/systems', '/systems/systems/evil.toml', '/systems/systems/evil.toml?tab=text', '/settings']) {
        await page.goto(`${browser.origin}/p/${id}${to}`);
        await page.locator('h1').first().waitFor();
        await browser.settled(page);
        equal(await page.evaluate(() => window.hacked), undefined, `what ran on ${to}`);
      }
      await browser.api(page, 'DELETE', `/projects/${id}`);
      check(project !== id, 'the first project stays');
    },
  },
  {
    name: 'a template runs in two clicks',
    async run({ browser }) {
      const { page } = await enter(browser);
      const id = `t${Date.now() % 1e9}`;
      const made = await browser.api(page, 'POST', '/projects', { json: { name: id, title: 'Two clicks' } });
      check(made.status === 201, `the project is made: ${made.status} ${made.text}`);
      await page.goto(`${browser.origin}/p/${id}`);
      await page.getByRole('button', { name: 'Use the template Master slave' }).click();
      await button(page, 'Run').click();
      await until(async () => (await browser.api(page, 'GET', `/projects/${id}/jobs`)).json.items[0]?.state === 'succeeded', 'the job succeeds');
      await page.goto(`${browser.origin}/p/${id}`);
      await page.getByRole('heading', { name: 'Latest results' }).waitFor();
      await browser.screens(page, 'dashboard-results');
    },
  },
  {
    name: 'a token is made, shown once and revoked',
    async run({ browser }) {
      const { page } = await enter(browser, '/settings?tab=tokens');
      await button(page, 'New token').click();
      await page.getByRole('dialog').getByLabel('Name').fill('browser test');
      await button(page, 'Create').click();
      const shown = page.getByRole('dialog', { name: 'Your new token' });
      await shown.waitFor();
      check(/^rc_[A-Za-z0-9_-]{43}$/.test(await shown.getByLabel('Token').inputValue()), 'the shape of the token');
      await browser.axe(page, 'new token');
      await shown.getByRole('button', { name: 'Done' }).click();
      await button(page, 'Revoke browser test').click();
      await until(async () => !(await button(page, 'Revoke browser test').isVisible()), 'it is gone');
    },
  },
  {
    name: 'a project is exported, and a zip is looked at before it is imported',
    async run({ browser }) {
      const { page, project } = await enter(browser, '/settings?tab=archive');
      const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Download zip' }).click()]);
      equal(download.suggestedFilename(), `${project}.zip`, 'the name of the file');
      await page.getByLabel('Zip file').setInputFiles(await download.path());
      await page.getByText(/Nothing would change|This would change/).waitFor();
      await browser.screens(page, 'import');
    },
  },
  {
    name: 'a server that is away: a banner, and the page goes on when it is back',
    async run({ browser }) {
      browser.expect('ERR_INTERNET_DISCONNECTED');
      const { page } = await enter(browser, '/systems');
      await page.getByRole('heading', { level: 1, name: 'Systems' }).waitFor();
      await browser.context.setOffline(true);
      await page.getByRole('link', { name: 'Jobs', exact: true }).click().catch(() => {});
      await page.getByRole('link', { name: 'Systems', exact: true }).click();
      await page.getByText('The server is away').waitFor();
      await browser.context.setOffline(false);
      await until(async () => !(await page.getByText('The server is away').isVisible()), 'the banner goes');
    },
  },
];
