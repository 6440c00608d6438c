// A canvas of 500 visible parts while one is dragged, and a curve of many points that is drawn.
import { Browser, closeBrowser, check, until } from '../../web/tests/harness.mjs';

const PARTS = 500;
const MOVES = 120;
const points = Number(process.env.POINTS ?? 100_000);
const turns = Number(process.env.TURNS ?? 1);
const browser = await Browser.start({ url: process.env.RUNCAST_URL });
const page = await browser.page('/');
const { name: project } = (await browser.api(page, 'GET', '/projects')).json.items[0];

// The canvas.
const part = (_, at) => `  { id = "n${at}", kind = "machine", parent = "many" },`;
const told = { parts: 0, points: 0, p95_ms: [], work_ms: [], paint_ms: [] };
const session = await browser.context.newCDPSession(page);
await session.send('Performance.enable', { timeDomain: 'threadTicks' });
const busy = async () => (await session.send('Performance.getMetrics')).metrics.find(({ name }) => name === 'TaskDuration').value;
for (let turn = 0; turn < turns; turn += 1) {
  // What was moved before is a draft that waits for its file.
  await browser.put(page, project, `systems/many-${turn}.toml`, `format = "runcast-system/1"\ncomponent = [\n  { id = "many", kind = "group" },\n${Array.from({ length: PARTS }, part).join('\n')}\n]\n[[network]]\nof = "many"\nhardware = "ethernet-10g"\n`);
  await browser.put(page, project, `systems/many-${turn}.view.json`, '{"positions":{},"open":{"many":true}}');
  await page.goto(`${browser.origin}/p/${project}/systems/systems/many-${turn}.toml`);
  const canvas = page.getByRole('region', { name: 'Canvas' });
  await canvas.locator(`[data-id="n${PARTS - 1}"]`).waitFor({ timeout: 30_000 });
  await page.waitForTimeout(700);
  told.parts = await canvas.locator('.svelte-flow__node').count();
  check(told.parts >= PARTS, `${told.parts} parts are shown`);
  const box = await canvas.locator(`[data-id="n${PARTS / 2}"]`).boundingBox();
  const from = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  await page.evaluate(() => {
    window.times = [];
    const tick = (now) => {
      window.times.push(now);
      if (window.times.length < 5000) requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  });
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(from.x + 5, from.y);
  await page.waitForTimeout(200);
  const before = await busy();
  await page.evaluate(() => (window.times.length = 0));
  for (let at = 1; at <= MOVES; at += 1) {
    await page.mouse.move(from.x + at * 1.5, from.y + Math.sin(at / 9) * 60);
    await page.waitForTimeout(8);
  }
  told.work_ms.push((1000 * ((await busy()) - before)) / MOVES);
  const times = await page.evaluate(() => window.times);
  await page.mouse.up();
  const frames = times.slice(1).map((time, at) => time - times[at]).sort((a, b) => a - b);
  told.p95_ms.push(frames[Math.ceil(frames.length * 0.95) - 1]);
}

// The curve: a sweep of real points.
await browser.put(page, project, 'many/app.luau', 'local n = param("n", 1)\nlabel{ "one", count = 2, run = function(rank)\n  if rank == 0 then send{ to = 1, size = n } else recv{ from = 0 } end\nend }\n');
const argv = ['sim', 'sweep', '--app', 'many/app.luau', '--loggops', 'L=1us,o=1us,G=1ns', '--vary', `n=1..${points}`];
const launched = await browser.api(page, 'POST', `/projects/${project}/jobs`, { json: { argv } });
check(launched.status === 202, launched.text);
await until(async () => {
  const { json } = await browser.api(page, 'GET', `/jobs/${launched.json.id}`);
  check(!['failed', 'cancelled'].includes(json.state), JSON.stringify(json.error));
  return json.state === 'succeeded';
}, 'the sweep ends', 90_000);
await page.goto(`${browser.origin}/p/${project}/results/${launched.json.id}`);
const curve = page.getByRole('application', { name: /^Time over/ });
await curve.waitFor({ timeout: 30_000 });
told.points = Number(/([\d,]+) points/.exec(await curve.getAttribute('aria-label'))[1].replaceAll(',', ''));
check(told.points >= points, `${told.points} points are drawn`);
await page.waitForTimeout(1000);
const log = page.getByRole('checkbox', { name: /log/i }).first();
await log.waitFor();
for (let turn = 0; turn <= turns; turn += 1) {
  const took = await log.evaluate(async (box) => {
    const from = performance.now();
    box.click();
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))));
    return performance.now() - from;
  });
  // The first time, nothing is compiled yet.
  if (turn > 0) told.paint_ms.push(took);
  await page.waitForTimeout(300);
}
await browser.close();
await closeBrowser();
console.log(JSON.stringify(told));
