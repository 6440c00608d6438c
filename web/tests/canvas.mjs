// The system editor with real pointer and keyboard events; the catalogue of hardware; formulas.
import { carry, check, drag, equal, middle, until } from './harness.mjs';

const system = (name, lines, rest = '') => `format = "runcast-system/1"\nname = "${name}"\ncomponent = [\n${lines.map((line) => `  ${line},\n`).join('')}]\n${rest}`;
const DRAWN = (name) => system(name, [
  `{ id = "${name}", kind = "group" }`,
  `{ id = "node", kind = "machine", parent = "${name}", count = 32 }`,
  '{ id = "cpu", kind = "cpu", parent = "node", hardware = "amd-epyc-9654" }',
  `{ id = "node-2", kind = "machine", parent = "${name}" }`,
], `[[network]]\nof = "${name}"\nhardware = "infiniband-hdr-4x"\n`);
const MOVED = '# two racks\nformat = "runcast-system/1"\ncomponent = [\n  { id = "root", kind = "group" },\n  { id = "a", kind = "group", parent = "root" }, # left\n  { id = "b", kind = "group", parent = "root" }, # right\n  { id = "one", kind = "machine", parent = "a" }, # moves\n  { id = "two", kind = "machine", parent = "b" },\n]\n';

const matches = (seen, wanted) => check(wanted.test(seen), `expected ${wanted}, saw ${seen}`);
const rejects = (seen, unwanted) => check(!unwanted.test(seen), `unexpected ${unwanted} in ${seen}`);

/** A page on a system of its own, and names for what is on it. */
async function bench(browser, path, text, view = null) {
  const page = await browser.page('/');
  const project = (await browser.api(page, 'GET', '/projects')).json.items.find((one) => one.name !== 'site').name;
  const make = (path, text) => browser.put(page, project, path, text);
  const stored = async (path) => (await browser.api(page, 'GET', `/projects/${project}/files/${path}`)).text;
  const canvas = page.getByRole('region', { name: 'Canvas' });
  const catalogue = page.getByRole('region', { name: 'Catalogue' });
  const properties = page.getByRole('region', { name: 'Properties' });
  const tree = page.getByRole('tree');
  const button = (name) => page.getByRole('button', { name, exact: true });
  const node = (key) => canvas.locator(`[data-id="${key}"]`);
  const tab = (name) => page.getByRole('tab', { name }).click();
  const go = async (where) => {
    await page.goto(`${browser.origin}/p/${project}/${where}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
  };
  const open = async (path) => {
    await go(`systems/${path}`);
    await canvas.locator('.svelte-flow__node').first().waitFor();
    await catalogue.getByRole('option', { name: /^Machine/ }).waitFor();
    await browser.settled(page);
  };
  const typing = async () => {
    await tab('Text');
    const content = page.locator('.cm-content');
    await content.waitFor();
    return content;
  };
  const save = async () => {
    await button('Save').click();
    await page.getByText(/^version \d+, saved/).waitFor();
  };
  const unchanged = (what) => until(() => button('Save').isDisabled(), what);
  if (path) {
    await make(path, text);
    await make(path.replace('.toml', '.view.json'), view ?? '{}');
    await open(path);
  }
  return { page, project, make, stored, canvas, catalogue, properties, tree, button, node, tab, go, open, typing, save, unchanged };
}

/** Drags a part until it lies under the pointer at another place, and lets it go. */
const pull = (page, part, from, to) => drag(page, from, to, async (at) => {
  const box = await part.boundingBox({ timeout: 1000 });
  const dragged = /\bdragging\b/.test((await part.getAttribute('class')) ?? '');
  return dragged && at.x >= box.x - 2 && at.x <= box.x + box.width + 2 && at.y >= box.y - 2 && at.y <= box.y + box.height + 2;
});

export default [
  {
    name: 'two machines and a network by dragging, 32 nodes, saved',
    async run({ browser }) {
      const { page, stored, properties, tree, node, save } = await bench(browser, 'systems/drawn.toml', system('drawn', ['{ id = "drawn", kind = "group" }']));
      for (const [name, u, v, key] of [[/^Machine/, 0.35, 0.45, 'node'], [/^Machine/, 0.65, 0.6, 'node-2'], [/^infiniband-hdr-4x/, 0.5, 0.5, 'network:drawn/drawn']]) {
        await carry(page, name, [u, v]);
        await node(key).waitFor();
        await browser.settled(page);
      }
      await tree.getByRole('treeitem', { name: /^node machine/ }).click();
      const count = properties.getByLabel('Multiplicity (count)');
      await count.fill('32');
      await count.press('Enter');
      await node('node').getByText('×32').waitFor();
      await save();
      const saved = await stored('systems/drawn.toml');
      matches(saved, /\{ id = "node", kind = "machine", parent = "drawn", count = 32 \},\n/);
      matches(saved, /\{ id = "node-2", kind = "machine", parent = "drawn" \},\n/);
      matches(saved, /\[\[network\]\]\nof = "drawn"\nhardware = "infiniband-hdr-4x"\n/);
      await page.reload();
      await node('node').getByText('×32').waitFor();
    },
  },
  {
    name: 'a system from a template',
    async run({ browser }) {
      const { page, project, stored, canvas, go } = await bench(browser);
      await go('systems');
      await page.getByRole('button', { name: 'New', exact: true }).first().click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Name', { exact: true }).fill('from-template');
      const choice = dialog.getByLabel('Template');
      const label = await until(async () => (await choice.locator('option').allInnerTexts()).find((text) => /graph/i.test(text)), 'a cluster with accelerators is offered');
      await choice.selectOption({ label });
      await dialog.getByRole('button', { name: 'Create', exact: true }).click();
      await until(() => page.url().endsWith(`/p/${project}/systems/systems/from-template.toml`), 'the system is open');
      await canvas.locator('.svelte-flow__node').first().waitFor();
      const { json } = await browser.api(page, 'GET', '/templates');
      equal(await stored('systems/from-template.toml'), json.items.find((one) => one.name === 'dnn-allreduce').files.find((file) => file.path === 'system.toml').content, 'the file');
    },
  },
  {
    name: 'a part is dragged into another group; undo and redo',
    async run({ browser }) {
      const { page, tab, typing, button, node, unchanged } = await bench(browser, 'systems/moved.toml', MOVED);
      await pull(page, node('one'), () => middle(node('one'), [0.6, 0.5]), () => middle(node('two'), [0.5, 0.2]));
      await (await typing()).getByText('parent = "b" }, # moves').waitFor();
      await tab('Canvas');
      await node('one').waitFor();
      await button('Undo').click();
      await unchanged('undone to what was saved');
      await (await typing()).getByText('parent = "a" }, # moves').waitFor();
      await tab('Canvas');
      await browser.settled(page);
      await node('one').click();
      await page.keyboard.press('Control+Shift+Z');
      await (await typing()).getByText('parent = "b" }, # moves').waitFor();
      await tab('Canvas');
      await node('one').waitFor();
      await page.keyboard.press('Control+Z');
      await unchanged('undone again');
    },
  },
  {
    name: 'a move alone is undone, and kept in the view file',
    async run({ browser }) {
      const { page, stored, button, node } = await bench(browser, 'systems/shifted.toml', MOVED);
      const before = await middle(node('two'));
      await pull(page, node('two'), () => middle(node('two')), () => ({ x: before.x + 40, y: before.y + 70 }));
      await until(async () => (await middle(node('two'))).y - before.y > 30, 'the part stays where it was put');
      await until(async () => 'b/two' in JSON.parse(await stored('systems/shifted.view.json')).positions, 'its place is kept');
      equal(await button('Save').isDisabled(), true, 'looks are no change of the file');
      await button('Undo').click();
      await until(async () => Math.abs((await middle(node('two'))).y - before.y) < 3, 'undo brings it back');
    },
  },
  {
    name: 'text and canvas in both directions, comments kept',
    async run({ browser }) {
      const { page, stored, properties, tree, tab, typing, button, node, save, unchanged } = await bench(browser, 'systems/both.toml', MOVED);
      const content = await typing();
      await content.getByText('# moves').click();
      await page.keyboard.press('End');
      await page.keyboard.press('Enter');
      await page.keyboard.insertText('{ id = "three", kind = "machine", parent = "b", count = 5 }, # new');
      await content.getByText('# new').waitFor();
      await tab('Canvas');
      await node('three').getByText('×5').waitFor();
      await tree.getByRole('treeitem', { name: /^three/ }).click();
      const name = properties.getByLabel('Name (id)');
      await name.fill('drei');
      await name.press('Enter');
      await node('drei').waitFor();
      await save();
      equal(await stored('systems/both.toml'), MOVED.replace('# moves\n', '# moves\n  { id = "drei", kind = "machine", parent = "b", count = 5 }, # new\n'), 'the file');
      const again = await typing();
      await again.getByText('# two racks').click();
      await page.keyboard.press('Home');
      await page.keyboard.insertText('= ');
      await tab('Canvas');
      await page.getByRole('alert').getByText(/does not parse/).waitFor();
      await node('drei').waitFor();
      equal(await button('Delete').isDisabled(), true, 'a canvas that is frozen');
      await page.getByRole('button', { name: 'Undo the change' }).click();
      await page.getByText(/does not parse/).waitFor({ state: 'detached' });
      await unchanged('undone to what was saved');
    },
  },
  {
    name: 'the keyboard alone',
    async run({ browser }) {
      const { page, stored, catalogue, tree, button, node, canvas } = await bench(browser, 'systems/keys.toml', system('keys', ['{ id = "keys", kind = "group" }']));
      const inProperties = () => page.waitForFunction(() => document.activeElement?.closest('[aria-label="Properties"]'));
      await catalogue.getByRole('listbox').focus();
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
      await inProperties();
      await page.keyboard.press('Tab');
      await page.keyboard.press('Control+A');
      await page.keyboard.insertText('16');
      await page.keyboard.press('Enter');
      await tree.getByRole('treeitem', { name: /×16/ }).waitFor();
      await tree.focus();
      await page.keyboard.press('Control+C');
      await page.keyboard.press('Home');
      await page.keyboard.press('Control+V');
      const second = tree.getByRole('treeitem', { name: /^node-2 ×16/ });
      await second.waitFor();
      await page.keyboard.press('Delete');
      await second.waitFor({ state: 'detached' });
      await page.keyboard.press('Control+Z');
      await second.waitFor();
      await page.keyboard.press('Control+Z');
      await second.waitFor({ state: 'detached' });
      await browser.settled(page);
      await node('node').focus();
      await page.keyboard.press('Enter');
      await inProperties();
      await node('node').focus();
      await browser.settled(page);
      const before = await middle(node('node'));
      for (let press = 0; press < 6; press += 1) await page.keyboard.press('ArrowDown');
      await until(async () => (await middle(node('node'))).y > before.y + 5, 'arrows move a part');
      await until(async () => 'keys/node' in JSON.parse(await stored('systems/keys.view.json')).positions, 'the new place is kept');
      check(await canvas.isVisible(), 'the canvas stays');
      await page.keyboard.press('Control+S');
      await page.getByText(/^version \d+, saved/).waitFor();
      const saved = await stored('systems/keys.toml');
      matches(saved, /\{ id = "node", kind = "machine", parent = "keys", count = 16 \}/);
      rejects(saved, /node-2/);
    },
  },
  {
    name: 'between systems, by the clipboard',
    async run({ browser }) {
      const { page, tree, button, make, open, unchanged } = await bench(browser, 'systems/source.toml', DRAWN('source'));
      await make('systems/target.toml', system('target', ['{ id = "target", kind = "group" }', '{ id = "node", kind = "machine", parent = "target" }']));
      await tree.getByRole('treeitem', { name: /^node ×32/ }).click();
      await button('Copy').click();
      await page.getByText(/^Copied; paste it here/).waitFor();
      await open('systems/target.toml');
      await tree.getByRole('treeitem', { name: /^target/ }).click();
      await button('Paste').click();
      await tree.getByRole('treeitem', { name: /^node-2 ×32/ }).waitFor();
      await button('Undo').click();
      await unchanged('undone to what was saved');
    },
  },
  {
    name: 'swap and compare; problems at the part; light and dark, wide and narrow',
    async run({ browser }) {
      const { page, properties, tree, node, button } = await bench(browser, 'systems/swapped.toml', DRAWN('swapped'));
      await tree.getByRole('treeitem', { name: /^cpu / }).first().click();
      await browser.screens(page, 'canvas');
      await properties.getByRole('button', { name: 'Swap and compare…' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('intel-xeon-l5640').check();
      await dialog.getByRole('row', { name: /Whole system: cores/ }).waitFor();
      await browser.screens(page, 'canvas-swap');
      await dialog.getByRole('button', { name: 'Swap', exact: true }).click();
      await page.waitForFunction(() => [...document.querySelectorAll('[aria-label=Properties] select')].some((one) => one.value === 'intel-xeon-l5640'));
      await properties.getByText('vendor').first().waitFor();
      const power = properties.getByLabel('power_load (W)');
      await power.fill('-5W');
      await power.press('Enter');
      const problems = properties.getByRole('list', { name: /Problems of cpu/ });
      await problems.waitFor();
      await node('cpu').locator('.mark.error').waitFor();
      await browser.screens(page, 'canvas-problem');
      await properties.getByRole('button', { name: /power_load: back to the default/ }).click();
      await problems.waitFor({ state: 'detached' });
      await until(async () => {
        if (await button('Save').isDisabled()) return true;
        await button('Undo').click({ timeout: 2000 });
        return false;
      }, 'undone to what was saved');
    },
  },
  {
    name: '2,000 parts, groups closed; a network of many is one line that tells how many',
    async run({ browser }) {
      const racks = Array.from({ length: 20 }, (_, rack) => [`{ id = "rack${rack}", kind = "group", parent = "big" }`, ...Array.from({ length: 99 }, (_, at) => `{ id = "n${rack}-${at}", kind = "machine", parent = "rack${rack}" }`)]).flat();
      const { page, canvas, tree, node } = await bench(browser, 'systems/big.toml', system('big', ['{ id = "big", kind = "group" }', ...racks], '[[network]]\nof = "rack0"\nhardware = "ethernet-10g"\n'));
      await node('rack19').waitFor();
      check((await canvas.locator('.svelte-flow__node').count()) <= 25, 'closed groups are one box each');
      await node('rack0').getByRole('button', { name: 'Open rack0' }).click();
      await canvas.locator('[data-id^="n0-"]').nth(60).waitFor();
      await browser.settled(page);
      await canvas.getByText('joins all 99').waitFor();
      await tree.focus();
      await page.keyboard.press('End');
      await browser.screens(page, 'canvas-2000');
    },
  },
  {
    name: 'among 500 parts one is dragged, the others stay',
    async run({ browser }) {
      const parts = Array.from({ length: 500 }, (_, at) => `{ id = "n${at}", kind = "machine", parent = "many" }`);
      const { page, canvas, node, stored } = await bench(browser, 'systems/many.toml', system('many', ['{ id = "many", kind = "group" }', ...parts], '[[network]]\nof = "many"\nhardware = "ethernet-10g"\n'), '{"positions":{},"open":{"many":true}}');
      await node('n499').waitFor();
      const shown = await canvas.locator('.svelte-flow__node').count();
      check(shown >= 500, `${shown} parts are in sight`);
      const [before, other] = [await middle(node('n250')), await middle(node('n251'))];
      await pull(page, node('n250'), () => middle(node('n250')), () => ({ x: before.x + 30, y: before.y + 60 }));
      await until(async () => (await middle(node('n250'))).y > before.y + 40, 'it stays where it was put');
      equal(await middle(node('n251')), other, 'the place of its neighbor');
      await until(async () => 'many/n250' in JSON.parse(await stored('systems/many.view.json')).positions, 'its place is kept');
    },
  },
  {
    name: 'hardware: search, numbers, side by side, a copy that is edited and used',
    async run({ browser }) {
      const { page, make, stored, catalogue, button, go, open, save } = await bench(browser);
      await make('systems/uses.toml', DRAWN('uses'));
      const own = `faster-${Date.now().toString(36)}`;
      await go('hardware');
      const table = page.getByRole('table', { name: 'Hardware' });
      await table.getByRole('row', { name: /amd-epyc-9654/ }).waitFor();
      await page.getByLabel('Kind', { exact: true }).selectOption('cpu');
      await page.getByLabel('Figure', { exact: true }).selectOption('cores');
      await page.getByLabel('Number').fill('50');
      await button('Filter').click();
      await table.getByRole('row', { name: /l5640/ }).waitFor({ state: 'detached' });
      matches(page.url(), /where=cores/);
      for (const name of ['amd-epyc-9654', 'intel-xeon-platinum-8480+']) await page.getByLabel(`Compare ${name}`).check();
      const compared = page.getByRole('region', { name: 'Comparison' });
      await compared.getByRole('row', { name: /^clock 2.4 GHz/ }).waitFor();
      await compared.getByText('vendor').first().waitFor();
      await browser.screens(page, 'hardware-comparison');
      await page.getByRole('button', { name: 'amd-epyc-9654', exact: true }).click();
      await page.getByRole('region', { name: 'Entry' }).getByRole('button', { name: 'Copy' }).click();
      await page.getByRole('dialog').getByLabel('Name').fill(own);
      await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
      const clock = page.getByLabel('Value of clock');
      await clock.fill('3GHz');
      await clock.press('Tab');
      await save();
      const saved = await stored(`hardware/${own}.toml`);
      check(saved.startsWith(`# A copy of amd-epyc-9654 of the catalogue.\n[${own}]\nkind = "cpu"\n`), saved);
      matches(saved, /\nclock = "3GHz"\n/);
      matches(saved, /\ncores = 96\n/);
      await browser.screens(page, 'hardware-entry');
      await go(`hardware?q=${own}`);
      await table.getByRole('row', { name: new RegExp(`${own} .*project`) }).waitFor();
      await table.getByText('3 GHz').waitFor();
      await open('systems/uses.toml');
      await catalogue.getByRole('option', { name: new RegExp(`^${own}`) }).waitFor();
    },
  },
  {
    name: 'formulas: faults, units, a plot, insertion and update',
    async run({ browser }) {
      const { page, make, stored, properties, button, go, open, save } = await bench(browser);
      await make('systems/sorted.toml', DRAWN('sorted'));
      await make('formulas/sorting.toml', '# ours\n[model.sorting]\nextends = "default"\ncoeff = { sort = "2.9ns" } # fitted\n[[model.sorting.rule]]\non = "compute"\ntype = "sort"\nvalue = "c.sort * ops / h"\n');
      await go('formulas/formulas/sorting.toml');
      const formula = page.getByRole('textbox', { name: 'Formula of rule 1' });
      await formula.waitFor();
      await page.getByText('gives s, as it must').waitFor();
      await page.locator('.u-over').waitFor();
      await page.getByRole('slider', { name: 'c.sort' }).waitFor();
      await page.getByLabel('Against').selectOption('h');
      await until(() => page.url().includes('x=h'), 'the variable is in the address');
      await formula.click();
      await page.keyboard.press('End');
      await page.keyboard.insertText(' + bytes');
      await page.getByText(/units do not fit|must be s/).first().waitFor();
      await page.keyboard.insertText(' + c.no');
      const faults = page.getByRole('list', { name: 'Faults of the formula' });
      await faults.getByText(/no coefficient no/).waitFor();
      await page.keyboard.insertText('*(');
      await faults.getByText(/Error/).first().waitFor();
      await page.keyboard.press('Control+A');
      await page.keyboard.insertText('1.1 * c.so');
      await page.keyboard.press('Control+Space');
      await page.locator('.cm-tooltip-autocomplete').getByText('c.sort').click();
      await until(async () => (await formula.innerText()).includes('1.1 * c.sort'), 'the completion is taken');
      await page.keyboard.insertText(' * ops / h');
      await page.getByText('gives s, as it must').waitFor();
      await save();
      equal(await stored('formulas/sorting.toml'), '# ours\n[model.sorting]\nextends = "default"\ncoeff = { sort = "2.9ns" } # fitted\n[[model.sorting.rule]]\non = "compute"\ntype = "sort"\nvalue = "1.1 * c.sort * ops / h"\n', 'the file');
      await browser.screens(page, 'formulas-rules');
      const used = page.getByRole('region', { name: 'Used by' });
      await used.getByRole('button', { name: 'Insert into a system…' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('System').selectOption('systems/sorted.toml');
      await dialog.getByRole('button', { name: 'Insert', exact: true }).click();
      await used.getByText('the same').waitFor();
      // The system is written first, then its looks, which remember where the model came from.
      await dialog.waitFor({ state: 'hidden' });
      matches(await stored('systems/sorted.toml'), /\n\[model\.sorting\]\nextends = "default"\ncoeff = \{ sort = "2\.9ns" \} # fitted\n\[\[model\.sorting\.rule\]\]\n/);
      const remembered = JSON.parse(await stored('systems/sorted.view.json')).formulas.sorting;
      equal(remembered.path, 'formulas/sorting.toml', 'where it came from');
      await make('formulas/sorting.toml', (await stored('formulas/sorting.toml')).replace('2.9ns', '3ns'));
      await open('systems/sorted.toml');
      await properties.getByText('newer there').waitFor();
      await properties.getByRole('button', { name: 'See the update' }).click();
      await dialog.getByText('3ns').first().waitFor();
      await browser.screens(page, 'formulas-update');
      await dialog.getByRole('button', { name: 'Update', exact: true }).click();
      await properties.getByText('newer there').waitFor({ state: 'detached' });
      await save();
      matches(await stored('systems/sorted.toml'), /sort = "3ns"/);
    },
  },
  {
    name: 'what if: the forecast follows what is drawn, knows what does not matter, and mends',
    async run({ browser }) {
      const { page, make, canvas, properties, tree, button, open, unchanged } = await bench(browser);
      const lines = ['{ id = "lab", kind = "group" }', '{ id = "node", kind = "machine", parent = "lab", count = 4 }', '{ id = "cpu", kind = "cpu", parent = "node", set = { cores = 4 } }',
        '{ id = "spare", kind = "machine", parent = "lab" }', '{ id = "old", kind = "cpu", parent = "spare", set = { cores = 2, memory = "1GiB" } }'];
      await make('systems/whatif.toml', system('whatif', lines, '[[network]]\nof = "lab"\nset = { bandwidth = "1GB/s", latency = "2us" }\n'));
      await make('systems/whatif.view.json', '{}');
      await make('applications/whatif.luau', 'local p = param("p", 2, "processes")\nlabel{ "worker", count = p, on = "node", run = function(rank)\n  if rank == 0 then send{ to = 1, size = "1GB" } elseif rank == 1 then recv{ from = 0 } end\nend }\n');
      await make('experiments/whatif.toml', 'format = "runcast-experiment/1"\nsystem = "../systems/whatif.toml"\n[[app]]\nfile = "../applications/whatif.luau"\nplace = [ { label = "worker", on = "node", per = 1 } ]\n[vary]\np = [2, 3, 4]\n');
      await open('systems/whatif.toml');
      const forecast = page.getByRole('region', { name: 'Forecast' });
      await forecast.getByText(/^1 s at p = 2$/).waitFor();
      await forecast.getByRole('img', { name: /^Time over p: 1 s at 2/ }).waitFor();
      await browser.screens(page, 'whatif');
      // Twice as fast a network halves the message of 1 GB.
      await tree.getByRole('treeitem', { name: /^lab network/ }).click();
      const bandwidth = properties.getByRole('textbox', { name: /^bandwidth/ });
      await bandwidth.fill('2GB/s');
      await bandwidth.press('Enter');
      await forecast.getByText(/^1 s to 500 ms at p = 2, .50 %$/).waitFor();
      // On a slow machine the first answer is a quick look: only an exact curve is compared with the next one.
      await until(async () => (await forecast.getAttribute('aria-busy')) === 'false' && (await forecast.locator('circle.quick').count()) === 0, 'the curve is exact');
      // Nothing runs on the spare machine.
      await tree.getByRole('treeitem', { name: /^old/ }).click();
      const cores = properties.getByRole('textbox', { name: /^cores/ });
      await cores.fill('8');
      await cores.press('Enter');
      await forecast.getByText('It does not depend on this part: no process uses old.').waitFor();
      // Without a network: a remark, and what mends it.
      await tree.getByRole('treeitem', { name: /^lab network/ }).click();
      await properties.getByRole('button', { name: 'Delete' }).click();
      await forecast.getByText(/no network joins them/).waitFor();
      await forecast.getByRole('button', { name: 'Mend: connect' }).click();
      await canvas.locator('[data-id="network:lab/lab"]').waitFor();
      await forecast.getByText(/no network joins them/).waitFor({ state: 'detached' });
      for (let steps = 0; steps < 8 && await button('Undo').isEnabled(); steps += 1) await button('Undo').click();
      await unchanged('the first bytes');
    },
  },
];
