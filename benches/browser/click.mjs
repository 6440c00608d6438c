// From the click on "Run" to the number on the page.
import { Browser, clickToNumber, closeBrowser, until } from '../../web/tests/harness.mjs';

const SYSTEM = `format = "runcast-system/1"
name = "lab"
component = [
  { id = "lab", kind = "group" },
  { id = "node", kind = "machine", parent = "lab", count = 16 },
  { id = "cpu", kind = "cpu", parent = "node", count = 2, hardware = "intel-xeon-l5640" },
]
[[network]]
of = "lab"
set = { bandwidth = "3.4GB/s", latency = "1us" }
`;
// As many steps as take about 10 ms.
const APP = `local n, p = param("n", 1e9), param("p", 16)
label{ "worker", count = p, run = function(rank)
  for step = 1, 250 do
    compute{ type = "work", ops = n/p }
    local r = irecv{ from = (rank - 1) % p }
    send{ to = (rank + 1) % p, size = "1MB" }
    wait(r)
  end
end }
`;
const EXPERIMENT = 'format = "runcast-experiment/1"\nsystem = "system.toml"\nseed = 1\n\n[[app]]\nfile = "app.luau"\n';

const browser = await Browser.start({ url: process.env.RUNCAST_URL });
const page = await browser.page('/');
const { name: project } = (await browser.api(page, 'GET', '/projects')).json.items[0];
for (const [file, text] of [['system.toml', SYSTEM], ['app.luau', APP], ['experiment.toml', EXPERIMENT]]) await browser.put(page, project, `click/${file}`, text);
await page.goto(`${browser.origin}/p/${project}/experiments/click/experiment.toml`);
await page.getByText('1 point', { exact: true }).waitFor();

const turns = Number(process.env.TURNS ?? 5);
const ms = [];
for (let turn = 0; turn <= turns; turn += 1) {
  // Another seed each time, saved, so that nothing is taken from before.
  await page.getByLabel('Seed').fill(String(100 + turn));
  await page.getByLabel('Seed').press('Enter');
  await page.keyboard.press('Control+S');
  await until(() => page.getByRole('button', { name: 'Save', exact: true }).isDisabled(), 'it is saved');
  await page.waitForTimeout(300);
  const took = await clickToNumber(page, 20);
  // The first one loads what the page shows.
  if (turn > 0) ms.push(took);
}
const { items } = (await browser.api(page, 'GET', `/projects/${project}/jobs?limit=${turns}`)).json;
const jobs = items.map(({ started_at, finished_at }) => new Date(finished_at) - new Date(started_at)).sort((a, b) => a - b);
await browser.close();
await closeBrowser();
console.log(JSON.stringify({ ms, job_ms: jobs[jobs.length >> 1] }));
