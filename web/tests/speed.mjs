// How quick the pages are (goal G13): measured and told, judged only where `RUNCAST_JUDGE_SPEED=1` says that the
// machine has nothing else to do. Not part of the test run.
import { check, middle, until } from './harness.mjs';

const judge = process.env.RUNCAST_JUDGE_SPEED === '1';
const say = (what, value, goal) => {
  console.log(`       ${what}: ${value.toFixed(0)} ms (goal: ${goal} ms)`);
  check(!judge || value <= goal, `${what}: ${value} ms, not ${goal}`);
};
const frames = (page) => page.evaluate(() => {
  window.frames_ = [];
  let last = performance.now();
  const tick = (now) => {
    window.frames_.push(now - last);
    last = now;
    if (window.frames_.length < 5000) requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
});

export default [
  {
    name: 'a drag among 500 parts',
    async run({ browser }) {
      const page = await browser.page('/');
      const parts = Array.from({ length: 500 }, (_, at) => `  { id = "n${at}", kind = "machine", parent = "many" },\n`).join('');
      await browser.put(page, 'main', 'systems/speed.toml', `format = "runcast-system/1"\ncomponent = [\n  { id = "many", kind = "group" },\n${parts}]\n[[network]]\nof = "many"\nhardware = "ethernet-10g"\n`);
      await browser.put(page, 'main', 'systems/speed.view.json', '{"positions":{},"open":{"many":true}}');
      await page.goto(`${browser.origin}/p/main/systems/systems/speed.toml`);
      const part = page.locator('.svelte-flow__node[data-id="n250"]');
      await part.waitFor();
      await browser.settled(page);
      const from = await middle(part);
      const session = await browser.context.newCDPSession(page);
      await session.send('Performance.enable', { timeDomain: 'threadTicks' });
      const used = async () => Object.fromEntries((await session.send('Performance.getMetrics')).metrics.map((one) => [one.name, 1000 * one.value]));
      await frames(page);
      await page.mouse.move(from.x, from.y);
      await page.mouse.down();
      for (let at = 1; at <= 6; at += 1) await page.mouse.move(from.x + at, from.y);
      await until(async () => /\bdragging\b/.test((await part.getAttribute('class')) ?? ''), 'the drag begins');
      const before = await used();
      await page.evaluate(() => (window.frames_.length = 0));
      for (let at = 1; at <= 120; at += 1) {
        await page.mouse.move(from.x + at * 1.5, from.y + Math.sin(at / 9) * 60);
        await page.waitForTimeout(8);
      }
      const after = await used();
      const seen = (await page.evaluate(() => window.frames_.slice(1))).sort((a, b) => a - b);
      await page.mouse.up();
      console.log(`       the page computes ${((after.TaskDuration - before.TaskDuration) / 120).toFixed(1)} ms a move, ${((after.ScriptDuration - before.ScriptDuration) / 120).toFixed(1)} ms of it in scripts; median frame ${seen[seen.length >> 1].toFixed(1)} ms`);
      say('frame, 95 %', seen[Math.floor(seen.length * 0.95)], 34);
    },
  },
  {
    name: 'an edit until the curve has moved',
    async run({ browser }) {
      const page = await browser.page('/');
      await page.goto(`${browser.origin}/p/main/systems/systems/galera.toml`);
      const forecast = page.getByRole('region', { name: 'Forecast' });
      await forecast.getByRole('img').waitFor();
      await page.getByRole('treeitem', { name: /^galera infiniband/ }).click();
      const bandwidth = page.getByRole('region', { name: 'Properties' }).getByRole('textbox', { name: /^bandwidth/ });
      const [shown, cpu] = [[], []];
      page.on('response', async (answer) => {
        if (!answer.url().endsWith('/whatif')) return;
        // One that was superseded may be gone.
        const text = await answer.text().catch(() => '{}');
        const last = JSON.parse(text.trim().split('\n').at(-1));
        if (last.reason === 'done' || last.reason === 'budget') cpu.push(last.cpu_ms);
      });
      for (let step = 1; step <= 15; step += 1) {
        await browser.settled(page);
        await bandwidth.fill(`${(3.4 + step / 10).toFixed(1)}GB/s`);
        shown.push(await page.evaluate(() => new Promise((done) => {
          const line = () => document.querySelector('.forecast path.now')?.getAttribute('d');
          const [before, from] = [line(), performance.now()];
          document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
          const look = () => (line() !== before || performance.now() - from > 5000 ? done(performance.now() - from) : requestAnimationFrame(look));
          look();
        })));
      }
      shown.sort((a, b) => a - b);
      cpu.sort((a, b) => a - b);
      console.log(`       processor time of an answer: ${cpu[cpu.length >> 1]?.toFixed(0)} ms, ${cpu[0]?.toFixed(0)} to ${cpu.at(-1)?.toFixed(0)}`);
      say('edit to new curve, median', shown[shown.length >> 1], 200);
    },
  },
  {
    name: 'a request until its one point is there',
    async run({ browser }) {
      const page = await browser.page('/');
      const text = (await browser.api(page, 'GET', '/projects/main/files/systems/galera.toml')).text;
      // 8 processes, then 1,000 on 100 machines and more: each time another number of machines, so that nothing is known.
      for (const [p, machines] of [[8, 33], [1000, 100]]) {
        const [waited, cpu] = [[], []];
        for (let step = 0; step < 12; step += 1) {
          const files = { 'systems/galera.toml': text.replace('count = 32', `count = ${machines + step}`) };
          const wish = { session: `speed-${p}`, seq: Date.now(), experiment: 'experiments/heat.toml', files, budget_ms: 5000, curve: { param: 'p', values: [p] } };
          const from = performance.now();
          const answer = await browser.api(page, 'POST', '/projects/main/whatif', { json: wish });
          waited.push(performance.now() - from);
          cpu.push(JSON.parse(answer.text.trim().split('\n').at(-1)).cpu_ms);
          await page.waitForTimeout(500);
        }
        // The first one finds no process that waits.
        const median = (list) => list.slice(1).sort((a, b) => a - b)[Math.floor((list.length - 1) / 2)];
        console.log(`       p = ${p}: ${median(cpu).toFixed(0)} ms of processor time`);
        say(`request to answer at p = ${p}, median`, median(waited), 200);
      }
    },
  },
];
