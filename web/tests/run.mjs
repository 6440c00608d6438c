// Runs the browser tests against a running server: one line a test, exit 1 when one fails.
//
//   node tests/run.mjs --url 'http://127.0.0.1:8470/?token=..' [--only NAME] [--shots DIR]
//
// A test is an exported object in `*.mjs` beside this file: `export default [{ name, run }]`, where `run` gets
// `{ browser, args }`. Faults that the browser saw (console, other origins, axe) fail the test as well.
import { readdir } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { Browser, closeBrowser } from './harness.mjs';

const { values: args } = parseArgs({
  options: { url: { type: 'string' }, only: { type: 'string' }, shots: { type: 'string' }, list: { type: 'boolean' } },
});
const here = new URL('.', import.meta.url);
const names = (await readdir(here)).filter((name) => name.endsWith('.mjs') && !['run.mjs', 'harness.mjs', 'detectors.mjs'].includes(name)).sort();

const tests = [];
for (const file of names) {
  for (const test of (await import(new URL(file, here).href)).default) tests.push({ ...test, name: `${file.slice(0, -4)}: ${test.name}` });
}
// Names of files, or a part of what a test is called.
const files = (args.only ?? '').split(',').map((name) => `${name}: `);
const ofFile = tests.filter((test) => files.some((name) => test.name.startsWith(name)));
const chosen = ofFile.length ? ofFile : tests.filter((test) => !args.only || test.name.includes(args.only));
if (args.list) {
  for (const test of chosen) console.log(test.name);
  process.exit(0);
}
if (!args.url) {
  console.error('--url is missing: the address that `runcast serve` prints');
  process.exit(2);
}
if (chosen.length === 0) {
  console.error(`no test is called ${args.only}`);
  process.exit(2);
}

/** No test takes longer, not even on a slow and busy machine; a hanging one is a failing one. */
const LONGEST_MS = 400_000;

function tell(test, began, faults) {
  const seconds = ((Date.now() - began) / 1000).toFixed(1);
  if (faults.length === 0) {
    console.log(`ok     ${test.name} (${seconds} s)`);
  } else {
    failed += 1;
    console.log(`FAILED ${test.name} (${seconds} s): ${[...new Set(faults)].slice(0, 8).join('\n         ')}`);
  }
}

let failed = 0;
for (const test of chosen) {
  const began = Date.now();
  const browser = await Browser.start({ url: args.url, shots: args.shots ?? null });
  const faults = [];
  let timer;
  try {
    const late = new Promise((_, fail) => {
      timer = setTimeout(() => fail(new Error(`not done within ${LONGEST_MS / 1000} s`)), LONGEST_MS);
    });
    await Promise.race([test.run({ browser, args }), late]);
  } catch (error) {
    faults.push(error.message.split('\n').slice(0, 6).join(' | '));
    if (args.shots) {
      const page = browser.context.pages().at(-1);
      await page?.screenshot({ path: `${args.shots}/failed-${test.name.replace(/[^A-Za-z0-9]+/g, '-')}.png` }).catch(() => {});
    }
  } finally {
    clearTimeout(timer);
  }
  faults.push(...browser.faults);
  await browser.close();
  tell(test, began, faults);
}
await closeBrowser();
console.log(`${chosen.length - failed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
