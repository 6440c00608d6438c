// Bytes of JavaScript and style sheets that each page asks for, as the server hands them out (gzip).
import { get } from 'node:http';
import { Browser, closeBrowser } from '../../web/tests/harness.mjs';

const SECTIONS = ['systems', 'hardware', 'formulas', 'applications', 'experiments', 'results', 'tables', 'models', 'calculators', 'reports', 'jobs', 'settings'];
const browser = await Browser.start({ url: process.env.RUNCAST_URL });

/** Of the body, packed as it is sent. */
const size = (address) => new Promise((done, fail) => {
  get(address, { headers: { 'Accept-Encoding': 'gzip, br' } }, (answer) => {
    let bytes = 0;
    answer.on('data', (chunk) => (bytes += chunk.length)).on('end', () => done(bytes));
  }).on('error', fail);
});
const sizes = new Map();

async function bytes(page, path) {
  const asked = new Set();
  const note = (request) => ['script', 'stylesheet'].includes(request.resourceType()) && asked.add(request.url());
  page.on('request', note);
  await page.goto(new URL(path, browser.origin).href);
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.waitForLoadState('networkidle').catch(() => {});
  // The stream of events keeps the network busy: what comes late still counts.
  await page.waitForTimeout(700);
  page.off('request', note);
  // Modules that were preloaded are no scripts to the browser's protocol.
  for (const address of await page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name))) {
    if (/\.(js|css)$/.test(new URL(address).pathname)) asked.add(address);
  }
  for (const address of asked) if (!sizes.has(address)) sizes.set(address, await size(address));
  return [...asked].reduce((sum, address) => sum + sizes.get(address), 0);
}

const page = await browser.page('/');
const { name } = (await browser.api(page, 'GET', '/projects')).json.items[0];
const { items } = (await browser.api(page, 'GET', `/projects/${name}/jobs`)).json;
await browser.put(page, name, 'models/line.json', '{}');
const single = [
  'systems/systems/galera.toml', 'applications/applications/heat.luau', 'experiments/experiments/heat.toml', 'tables/tables/heat.csv', 'models/models/line.json',
  ...items.flatMap(({ id }) => ['', '?tab=timeline', '?tab=why', '?tab=compare', '?tab=pareto'].map((tab) => `results/${id}${tab}`)),
  'systems/systems/galera.toml?tab=text', 'calculators/bsf', 'calculators/wavefront', 'calculators/bsp', 'calculators/call',
];
const pages = [{ name: 'first page', bytes: await bytes(page, '/') }];
for (const path of [...SECTIONS, ...single]) pages.push({ name: path.replace(/[0-9A-Z]{26}/, 'JOB'), bytes: await bytes(page, `/p/${name}/${path}`) });
await browser.close();
await closeBrowser();
console.log(JSON.stringify({ pages, all: [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0) }));
