/**
 * The system editor in a real browser, with real pointer and keyboard events, on a running server.
 *
 *   node tests/canvas.mjs                     starts `runcast serve` (RUNCAST_BIN, default ../target/debug/runcast)
 *   RUNCAST_URL=http://..?token=.. node tests/canvas.mjs    uses a running one; a project `main` is expected
 *
 * Pictures go to tests/shots. Exit 0: everything holds.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const shots = here('./shots');
mkdirSync(shots, { recursive: true });
const binary = process.env.RUNCAST_BIN ?? here('../../target/debug/runcast');
const browserPath = process.env.CHROMIUM ?? '/usr/bin/chromium';
if (!process.env.RUNCAST_URL && !existsSync(binary) || !existsSync(browserPath)) {
  console.error(`not run: needs ${browserPath} and ${binary}`);
  process.exit(process.env.RUNCAST_REQUIRE_ALL === '1' ? 1 : 0);
}

let server;
let folder;
async function start() {
  if (process.env.RUNCAST_URL) return process.env.RUNCAST_URL;
  folder = mkdtempSync(join(tmpdir(), 'runcast-canvas-'));
  server = spawn(binary, ['serve', '--data-dir', folder, '--port', '0', '--workers', '1', '--json'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const line = await new Promise((done, fail) => {
    createInterface(server.stdout).once('line', done);
    server.once('exit', (code) => fail(new Error(`the server ended with ${code}`)));
    setTimeout(() => fail(new Error('the server did not start in 60 s')), 60_000).unref();
  });
  return JSON.parse(line).url;
}

const address = new URL(await start());
const origin = address.origin;
const browser = await chromium.launch({ executablePath: browserPath, args: ['--no-sandbox'] });
const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, permissions: ['clipboard-read', 'clipboard-write'] });
const noise = [];
const foreign = [];
context.on('page', (page) => {
  page.setDefaultTimeout(15_000);
  page.on('console', (message) => message.type() === 'error' && !/status of (404|412)/.test(message.text()) && noise.push(message.text()));
  page.on('pageerror', (error) => noise.push(String(error.stack ?? error)));
  page.on('request', (request) => !request.url().startsWith(origin) && !/^(data|blob):/.test(request.url()) && foreign.push(request.url()));
});
const page = await context.newPage();

const api = async (method, path, { text, json, headers = {} } = {}) => page.evaluate(async ({ method, path, text, json, headers }) => {
  const { csrf } = await (await fetch('/api/v1/session')).json();
  const answer = await fetch(`/api/v1${path}`, { method, body: json ? JSON.stringify(json) : text, headers: { 'X-Runcast-CSRF': csrf, ...(json ? { 'Content-Type': 'application/json' } : text === undefined ? {} : { 'Content-Type': 'application/octet-stream' }), ...headers } });
  return { status: answer.status, body: await answer.text(), etag: answer.headers.get('ETag') };
}, { method, path, text, json, headers });
const stored = async (path) => (await api('GET', `/projects/main/files/${path}`)).body;
async function make(path, text) {
  const old = await api('GET', `/projects/main/files/${path}`);
  const answer = await api('PUT', `/projects/main/files/${path}`, { text, headers: old.status === 200 ? { 'If-Match': old.etag } : { 'If-None-Match': '*' } });
  assert.ok(answer.status < 300, `PUT ${path}: ${answer.status} ${answer.body}`);
}
const open = async (path, query = '') => {
  await page.goto(`${origin}/p/main/systems/${path}${query}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
};
const canvas = page.getByRole('region', { name: 'Canvas' });
const catalogue = page.getByRole('region', { name: 'Catalogue' });
const properties = page.getByRole('region', { name: 'Properties' });
const tree = page.getByRole('tree');
const button = (name) => page.getByRole('button', { name, exact: true });
const node = (key) => canvas.locator(`[data-id="${key}"]`);

async function drag(from, to) {
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  for (let step = 1; step <= 8; step += 1) await page.mouse.move(from.x + ((to.x - from.x) * step) / 8, from.y + ((to.y - from.y) * step) / 8);
  await page.mouse.up();
}
const middle = async (locator, [u, v] = [0.5, 0.5]) => {
  const box = await locator.boundingBox();
  assert.ok(box, `${locator} is not in sight`);
  return { x: box.x + box.width * u, y: box.y + box.height * v };
};
async function text() {
  await page.getByRole('tab', { name: 'Text' }).click();
  const content = page.locator('.cm-content');
  await content.waitFor();
  return content;
}
const steps = [];
async function step(name, run) {
  if (process.env.ONLY && !process.env.ONLY.split('|').some((one) => name.includes(one))) return;
  const from = performance.now();
  await run();
  steps.push(name);
  console.log(`ok ${name} (${Math.round(performance.now() - from)} ms)`);
}

async function run() {
  await page.goto(address.href);
  await page.getByRole('navigation').first().waitFor();
  const axe = readFileSync(here('../node_modules/axe-core/axe.min.js'), 'utf8');
  const clean = async (name) => {
    const found = await page.evaluate(async (source) => {
      if (!window.axe) new Function(source)();
      const { violations } = await window.axe.run(document, { resultTypes: ['violations'] });
      return violations.filter((one) => one.impact === 'serious' || one.impact === 'critical').map((one) => `${one.id}: ${one.nodes.slice(0, 3).map((at) => at.html.slice(0, 160)).join(' | ')}`);
    }, axe).catch(async () => {
      // The policy of the page forbids eval: the debugger may still put the script in.
      const session = await context.newCDPSession(page);
      await session.send('Page.setBypassCSP', { enabled: true });
      await session.send('Runtime.evaluate', { expression: axe });
      const { result } = await session.send('Runtime.evaluate', {
        awaitPromise: true, returnByValue: true,
        expression: `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations.filter((one) => one.impact === 'serious' || one.impact === 'critical').map((one) => one.id + ': ' + one.nodes.slice(0, 3).map((at) => at.html.slice(0, 200)).join(' | ')))`,
      });
      await session.detach();
      return result.value;
    });
    assert.deepEqual(found, [], name);
  };
  const picture = (name) => page.screenshot({ path: join(shots, `${name}.png`) });

  await step('two machines and a network by dragging, 32 nodes, saved', async () => {
    await make('systems/drawn.toml', 'format = "runcast-system/1"\nname = "drawn"\ncomponent = [\n  { id = "drawn", kind = "group" },\n]\n');
    await open('systems/drawn.toml');
    await catalogue.getByRole('option', { name: /^Machine/ }).waitFor();
    await canvas.locator('.svelte-flow__node').first().waitFor();
    for (const [name, u, v] of [[/^Machine/, 0.35, 0.45], [/^Machine/, 0.65, 0.6], [/^infiniband-hdr-4x/, 0.5, 0.5]]) {
      const option = catalogue.getByRole('option', { name });
      await option.scrollIntoViewIfNeeded();
      await drag(await middle(option), await middle(canvas, [u, v]));
    }
    await node('node').waitFor();
    await node('node-2').waitFor();
    await node('network:drawn/drawn').waitFor();
    await tree.getByRole('treeitem', { name: /^node machine/ }).click();
    const count = properties.getByLabel('Multiplicity (count)');
    await count.fill('32');
    await count.press('Enter');
    await node('node').getByText('×32').waitFor();
    await button('Save').click();
    await page.getByText(/^version \d+, saved/).waitFor();
    const saved = await stored('systems/drawn.toml');
    assert.match(saved, /\{ id = "node", kind = "machine", parent = "drawn", count = 32 \},\n/);
    assert.match(saved, /\{ id = "node-2", kind = "machine", parent = "drawn" \},\n/);
    assert.match(saved, /\[\[network\]\]\nof = "drawn"\nhardware = "infiniband-hdr-4x"\n/);
    await picture('canvas-drawn');
    await page.reload();
    await node('node').getByText('×32').waitFor();
  });

  await step('a part is dragged into another group; undo and redo', async () => {
    await make('systems/moved.toml', '# two racks\nformat = "runcast-system/1"\ncomponent = [\n  { id = "root", kind = "group" },\n  { id = "a", kind = "group", parent = "root" }, # left\n  { id = "b", kind = "group", parent = "root" }, # right\n  { id = "one", kind = "machine", parent = "a" }, # moves\n  { id = "two", kind = "machine", parent = "b" },\n]\n');
    await open('systems/moved.toml');
    await node('one').waitFor();
    await page.waitForTimeout(300);
    await drag(await middle(node('one'), [0.6, 0.5]), await middle(node('two'), [0.5, 0.2]));
    const content = await text();
    await content.getByText('parent = "b" }, # moves').waitFor();
    await page.getByRole('tab', { name: 'Canvas' }).click();
    await node('one').waitFor();
    await button('Undo').click();
    await button('Save').isDisabled();
    await (await text()).getByText('parent = "a" }, # moves').waitFor();
    await page.getByRole('tab', { name: 'Canvas' }).click();
    await node('one').click();
    await page.keyboard.press('Control+Shift+Z');
    await (await text()).getByText('parent = "b" }, # moves').waitFor();
    await page.getByRole('tab', { name: 'Canvas' }).click();
    await node('one').waitFor();
    await page.keyboard.press('Control+Z');
    assert.equal(await button('Save').isDisabled(), true);
  });

  await step('a move alone is undone, and kept in the view file', async () => {
    await page.waitForTimeout(200);
    const before = await middle(node('two'));
    await drag(await middle(node('two')), { x: before.x + 40, y: before.y + 70 });
    await page.waitForTimeout(900);
    const after = await middle(node('two'));
    assert.ok(after.y - before.y > 30, `${before.y} -> ${after.y}`);
    const view = JSON.parse(await stored('systems/moved.view.json'));
    assert.ok(view.positions['b/two'], JSON.stringify(view));
    assert.equal(await button('Save').isDisabled(), true, 'looks are no change of the file');
    await button('Undo').click();
    await page.waitForTimeout(200);
    assert.ok(Math.abs((await middle(node('two'))).y - before.y) < 3);
  });

  await step('text and canvas in both directions, comments kept', async () => {
    const content = await text();
    await content.getByText('# moves').click();
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await page.keyboard.insertText('{ id = "three", kind = "machine", parent = "b", count = 5 }, # new');
    await page.getByRole('tab', { name: 'Canvas' }).click();
    await node('three').getByText('×5').waitFor();
    await tree.getByRole('treeitem', { name: /^three/ }).click();
    const name = properties.getByLabel('Name (id)');
    await name.fill('drei');
    await name.press('Enter');
    await node('drei').waitFor();
    await button('Save').click();
    await page.getByText(/^version \d+, saved/).waitFor();
    const saved = await stored('systems/moved.toml');
    assert.equal(saved, '# two racks\nformat = "runcast-system/1"\ncomponent = [\n  { id = "root", kind = "group" },\n  { id = "a", kind = "group", parent = "root" }, # left\n  { id = "b", kind = "group", parent = "root" }, # right\n  { id = "one", kind = "machine", parent = "a" }, # moves\n  { id = "drei", kind = "machine", parent = "b", count = 5 }, # new\n  { id = "two", kind = "machine", parent = "b" },\n]\n');
    const again = await text();
    await again.getByText('# two racks').click();
    await page.keyboard.press('Home');
    await page.keyboard.insertText('= ');
    await page.getByRole('tab', { name: 'Canvas' }).click();
    await page.getByRole('alert').getByText(/does not parse/).waitFor();
    await node('drei').waitFor();
    assert.equal(await button('Delete').isDisabled(), true);
    await page.getByRole('button', { name: 'Undo the change' }).click();
    await page.getByText(/does not parse/).waitFor({ state: 'detached' });
    assert.equal(await button('Save').isDisabled(), true);
  });

  await step('the keyboard alone', async () => {
    await make('systems/keys.toml', 'format = "runcast-system/1"\ncomponent = [\n  { id = "keys", kind = "group" },\n]\n');
    await open('systems/keys.toml');
    const list = catalogue.getByRole('listbox');
    await catalogue.getByRole('option', { name: /^Machine/ }).waitFor();
    await list.focus();
    await page.keyboard.press('Enter');
    await node('node').waitFor();
    await page.keyboard.press('ArrowDown');
    // Network, by the button.
    await button('Add').focus();
    await page.keyboard.press('Enter');
    // The selected part is the machine, which takes a bus or a network of its own.
    await tree.getByRole('treeitem', { name: /^node infiniband/ }).waitFor();
    await tree.focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.activeElement?.closest('[aria-label="Properties"]'));
    await page.keyboard.press('Tab');
    await page.keyboard.press('Control+A');
    await page.keyboard.insertText('16');
    await page.keyboard.press('Enter');
    await tree.getByRole('treeitem', { name: /×16/ }).waitFor();
    await tree.focus();
    await page.keyboard.press('Control+C');
    await page.keyboard.press('Home');
    await page.keyboard.press('Control+V');
    await tree.getByRole('treeitem', { name: /^node-2 ×16/ }).waitFor();
    await page.keyboard.press('Delete');
    await tree.getByRole('treeitem', { name: /^node-2 ×16/ }).waitFor({ state: 'detached' });
    await page.keyboard.press('Control+Z');
    await tree.getByRole('treeitem', { name: /^node-2 ×16/ }).waitFor();
    await page.keyboard.press('Control+Z');
    await node('node').focus();
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.activeElement?.closest('[aria-label="Properties"]'));
    await node('node').focus();
    await page.waitForTimeout(600);
    const before = await middle(node('node'));
    for (let press = 0; press < 6; press += 1) await page.keyboard.press('ArrowDown');
    await page.waitForTimeout(600);
    assert.ok((await middle(node('node'))).y > before.y + 5);
    await page.keyboard.press('Control+S');
    await page.getByText(/^version \d+, saved/).waitFor();
    const saved = await stored('systems/keys.toml');
    assert.match(saved, /\{ id = "node", kind = "machine", parent = "keys", count = 16 \}/);
    assert.doesNotMatch(saved, /node-2/);
  });

  await step('between systems, by the clipboard', async () => {
    await open('systems/drawn.toml');
    await node('node').waitFor();
    await tree.getByRole('treeitem', { name: /^node ×32/ }).click();
    await button('Copy').click();
    await open('systems/keys.toml');
    await node('node').waitFor();
    await tree.getByRole('treeitem', { name: /^keys/ }).click();
    await button('Paste').click();
    await tree.getByRole('treeitem', { name: /^node-2 ×32/ }).waitFor();
    await button('Undo').click();
    assert.equal(await button('Save').isDisabled(), true);
  });

  await step('swap and compare; problems at the part', async () => {
    await open('systems/drawn.toml');
    await node('node').waitFor();
    await tree.getByRole('treeitem', { name: /^cpu / }).first().click();
    await properties.getByRole('button', { name: 'Swap and compare…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('intel-xeon-l5640').check();
    await dialog.getByRole('row', { name: /Whole system: cores/ }).waitFor();
    await picture('canvas-swap');
    await dialog.getByRole('button', { name: 'Swap', exact: true }).click();
    await page.waitForFunction(() => [...document.querySelectorAll('[aria-label=Properties] select')].some((one) => one.value === 'intel-xeon-l5640'));
    await properties.getByText('vendor').first().waitFor();
    const power = properties.getByLabel('power_load (W)');
    await power.fill('-5W');
    await power.press('Enter');
    await properties.getByRole('list', { name: /Problems of cpu/ }).waitFor();
    await node('cpu').locator('.mark.error').waitFor();
    await picture('canvas-problem');
    await properties.getByRole('button', { name: /power_load: back to the default/ }).click();
    await properties.getByRole('list', { name: /Problems of cpu/ }).waitFor({ state: 'detached' });
    for (let press = 0; press < 8 && !(await button('Save').isDisabled()); press += 1) await button('Undo').click();
    assert.equal(await button('Save').isDisabled(), true, 'undone to what was saved');
  });

  await step('2,000 parts, groups closed', async () => {
    const parts = Array.from({ length: 20 }, (_, rack) => [`  { id = "rack${rack}", kind = "group", parent = "big" },`, ...Array.from({ length: 99 }, (_, at) => `  { id = "n${rack}-${at}", kind = "machine", parent = "rack${rack}" },`)].join('\n'));
    await make('systems/big.toml', `format = "runcast-system/1"\ncomponent = [\n  { id = "big", kind = "group" },\n${parts.join('\n')}\n]\n`);
    await make('systems/big.view.json', '{}');
    await open('systems/big.toml');
    await node('rack19').waitFor();
    assert.ok((await canvas.locator('.svelte-flow__node').count()) <= 25);
    await node('rack0').getByRole('button', { name: 'Open rack0' }).click();
    await canvas.locator('[data-id^="n0-"]').nth(60).waitFor();
    await tree.focus();
    await page.keyboard.press('End');
    await picture('canvas-2000');
  });

  await step('500 visible parts, dragged', async () => {
    await make('systems/many.toml', `format = "runcast-system/1"\ncomponent = [\n  { id = "many", kind = "group" },\n${Array.from({ length: 500 }, (_, at) => `  { id = "n${at}", kind = "machine", parent = "many" },`).join('\n')}\n]\n[[network]]\nof = "many"\nhardware = "ethernet-10g"\n`);
    await make('systems/many.view.json', '{"positions":{},"open":{"many":true}}');
    await open('systems/many.toml');
    await node('n499').waitFor();
    await page.waitForTimeout(500);
    const shown = await canvas.locator('.svelte-flow__node').count();
    assert.ok(shown >= 500, `${shown} shown`);
    const from = await middle(node('n250'));
    await page.evaluate(() => {
      window.frames_ = [];
      let last = performance.now();
      const tick = (now) => {
        window.frames_.push(now - last);
        last = now;
        if (window.frames_.length < 5000) requestAnimationFrame(tick);
      };
      requestAnimationFrame(tick);
    });
    const session = await context.newCDPSession(page);
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    const busy = async () => (await session.send('Performance.getMetrics')).metrics.find((one) => one.name === 'TaskDuration').value;
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(from.x + 5, from.y);
    await page.waitForTimeout(200);
    const before = await busy();
    await page.evaluate(() => (window.frames_.length = 0));
    for (let at = 1; at <= 120; at += 1) {
      await page.mouse.move(from.x + at * 1.5, from.y + Math.sin(at / 9) * 60);
      await page.waitForTimeout(8);
    }
    const after = (await busy()) - before;
    const frames = await page.evaluate(() => window.frames_.slice(1));
    await page.mouse.up();
    await session.detach();
    frames.sort((a, b) => a - b);
    const p95 = frames[Math.floor(frames.length * 0.95)];
    const work = (1000 * after) / 120;
    const load = loadavg()[0] / cpus().length;
    console.log(`   ${shown} parts: ${frames.length} frames, median ${frames[frames.length >> 1].toFixed(1)} ms, p95 ${p95.toFixed(1)} ms; work of the page ${work.toFixed(1)} ms a move; load of the machine ${load.toFixed(1)}`);
    assert.ok(work <= 33, `${work} ms a move`);
    // Two frames of a screen of 60 Hz, where the machine has time for them.
    if (load < 1 || process.env.FRAME_MS) assert.ok(p95 <= Number(process.env.FRAME_MS ?? 34), `p95 ${p95} ms`);
  });

  await step('hardware: search, numbers, side by side, a copy that is edited and used', async () => {
    await page.goto(`${origin}/p/main/hardware`);
    const table = page.getByRole('table', { name: 'Hardware' });
    await table.getByRole('row', { name: /amd-epyc-9654/ }).waitFor();
    await page.getByLabel('Kind', { exact: true }).selectOption('cpu');
    await page.getByLabel('Figure', { exact: true }).selectOption('cores');
    await page.getByLabel('Number').fill('50');
    await button('Filter').click();
    await table.getByRole('row', { name: /l5640/ }).waitFor({ state: 'detached' });
    assert.match(page.url(), /where=cores/);
    for (const name of ['amd-epyc-9654', 'intel-xeon-platinum-8480+']) await page.getByLabel(`Compare ${name}`).check();
    const compared = page.getByRole('region', { name: 'Comparison' });
    await compared.getByRole('row', { name: /^clock 2.4 GHz/ }).waitFor();
    await compared.getByText('vendor').first().waitFor();
    await picture('hardware');
    await clean('hardware');
    await page.getByRole('button', { name: 'amd-epyc-9654', exact: true }).click();
    const old = await api('GET', '/projects/main/files/hardware/faster-epyc.toml');
    if (old.status === 200) await api('DELETE', '/projects/main/files/hardware/faster-epyc.toml', { headers: { 'If-Match': old.etag } });
    await page.getByRole('region', { name: 'Entry' }).getByRole('button', { name: 'Copy' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('faster-epyc');
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    const clock = page.getByLabel('Value of clock');
    await clock.fill('3GHz');
    await clock.press('Tab');
    await button('Save').click();
    await page.getByText(/^version \d+, saved/).waitFor();
    const saved = await stored('hardware/faster-epyc.toml');
    assert.match(saved, /^# A copy of amd-epyc-9654 of the catalogue\.\n\[faster-epyc\]\nkind = "cpu"\n/);
    assert.match(saved, /\nclock = "3GHz"\n/);
    assert.match(saved, /\ncores = 96\n/);
    await page.goto(`${origin}/p/main/hardware?q=faster`);
    await table.getByRole('row', { name: /faster-epyc .*project/ }).waitFor();
    await table.getByText('3 GHz').waitFor();
    await open('systems/drawn.toml');
    await catalogue.getByRole('option', { name: /^faster-epyc/ }).waitFor();
  });

  await step('formulas: faults, units, a plot, insertion and update', async () => {
    await make('formulas/sorting.toml', '# ours\n[model.sorting]\nextends = "default"\ncoeff = { sort = "2.9ns" } # fitted\n[[model.sorting.rule]]\non = "compute"\ntype = "sort"\nvalue = "c.sort * ops / h"\n');
    await page.goto(`${origin}/p/main/formulas/formulas/sorting.toml`);
    const formula = page.getByRole('textbox', { name: 'Formula of rule 1' });
    await formula.waitFor();
    await page.getByText('gives s, as it must').waitFor();
    await page.locator('.u-over').waitFor();
    await page.getByRole('slider', { name: 'c.sort' }).waitFor();
    await page.getByLabel('Against').selectOption('h');
    assert.match(page.url(), /x=h/);
    await formula.click();
    await page.keyboard.press('End');
    await page.keyboard.insertText(' + bytes');
    await page.getByText(/units do not fit|must be s/).first().waitFor();
    await page.keyboard.insertText(' + c.no');
    await page.getByRole('list', { name: 'Faults of the formula' }).getByText(/no coefficient no/).waitFor();
    await page.keyboard.insertText('*(');
    await page.getByRole('list', { name: 'Faults of the formula' }).getByText(/Error/).first().waitFor();
    await picture('formulas-fault');
    await page.keyboard.press('Control+A');
    await page.keyboard.insertText('1.1 * c.so');
    await page.keyboard.press('Control+Space');
    await page.locator('.cm-tooltip-autocomplete').getByText('c.sort').click();
    await page.keyboard.insertText(' * ops / h');
    await page.getByText('gives s, as it must').waitFor();
    await button('Save').click();
    await page.getByText(/^version \d+, saved/).waitFor();
    assert.equal(await stored('formulas/sorting.toml'), '# ours\n[model.sorting]\nextends = "default"\ncoeff = { sort = "2.9ns" } # fitted\n[[model.sorting.rule]]\non = "compute"\ntype = "sort"\nvalue = "1.1 * c.sort * ops / h"\n');
    await picture('formulas');
    await clean('formulas');
    const used = page.getByRole('region', { name: 'Used by' });
    await used.getByRole('button', { name: 'Insert into a system…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('System').selectOption('systems/drawn.toml');
    await dialog.getByRole('button', { name: 'Insert', exact: true }).click();
    await used.getByText('the same').waitFor();
    assert.match(await stored('systems/drawn.toml'), /\n\[model\.sorting\]\nextends = "default"\ncoeff = \{ sort = "2\.9ns" \} # fitted\n\[\[model\.sorting\.rule\]\]\n/);
    const remembered = JSON.parse(await stored('systems/drawn.view.json')).formulas.sorting;
    assert.equal(remembered.path, 'formulas/sorting.toml');
    await make('formulas/sorting.toml', (await stored('formulas/sorting.toml')).replace('2.9ns', '3ns'));
    await open('systems/drawn.toml');
    await properties.getByText('newer there').waitFor();
    await properties.getByRole('button', { name: 'See the update' }).click();
    await page.getByRole('dialog').getByText('3ns').first().waitFor();
    await picture('formulas-update');
    await page.getByRole('dialog').getByRole('button', { name: 'Update', exact: true }).click();
    await properties.getByText('newer there').waitFor({ state: 'detached' });
    await button('Save').click();
    await page.getByText(/^version \d+, saved/).waitFor();
    assert.match(await stored('systems/drawn.toml'), /sort = "3ns"/);
  });

  await step('axe and pictures, light and dark, wide and narrow', async () => {
    for (const theme of ['light', 'dark']) {
      for (const width of [1280, 360]) {
        await page.emulateMedia({ colorScheme: theme });
        await page.setViewportSize({ width, height: 860 });
        await open('systems/drawn.toml');
        await node('node').waitFor();
        await tree.getByRole('treeitem', { name: /^cpu / }).first().click();
        await page.waitForTimeout(400);
        await page.screenshot({ path: join(shots, `canvas-${theme}-${width}.png`), fullPage: width < 500 });
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${theme} ${width}: wider than the window`);
        await clean(`canvas ${theme} ${width}`);
        for (const [name, address] of [['hardware', 'hardware?compare=amd-epyc-9654,intel-xeon-l5640'], ['formulas', 'formulas/formulas/sorting.toml'], ['entry', 'hardware/hardware/faster-epyc.toml']]) {
          await page.goto(`${origin}/p/main/${address}`);
          await page.getByRole('heading', { level: 2 }).first().waitFor();
          await page.waitForTimeout(500);
          await page.screenshot({ path: join(shots, `${name}-${theme}-${width}.png`), fullPage: true });
          assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${name} ${theme} ${width}: wider than the window`);
          await clean(`${name} ${theme} ${width}`);
        }
      }
    }
  });

  assert.deepEqual(noise, []);
  assert.deepEqual(foreign, []);
}

let failed = false;
try {
  await run();
} catch (error) {
  failed = true;
  console.error(error);
  await page.screenshot({ path: join(shots, 'failed.png') }).catch(() => {});
  if (noise.length) console.error(noise.join('\n'));
} finally {
  await browser.close();
  if (server) {
    server.removeAllListeners('exit');
    const ended = new Promise((done) => server.once('exit', done));
    server.kill('SIGTERM');
    await Promise.race([ended, new Promise((done) => setTimeout(done, 6000))]);
    if (server.exitCode === null) server.kill('SIGKILL');
  }
  if (folder) rmSync(folder, { recursive: true, force: true });
}
console.log(failed ? 'failed' : `${steps.length} steps hold`);
process.exit(failed ? 1 : 0);
