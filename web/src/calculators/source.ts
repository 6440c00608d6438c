/** The values of a calculator's file, and times as they are typed. */
import { parseQuantity } from '../formulas/units';
import { plain, read, set, type Path, type Plain, type Toml } from '../toml';

export type Values = Record<string, Plain>;

export function valuesOf(text: string): Values | null {
  const { doc } = read(text);
  return doc ? (plain(doc.root) as Values) : null;
}

export const isObject = (value: Plain | undefined): value is Values => typeof value === 'object' && !Array.isArray(value);

/** Seconds of `15us`, `{ value = "15us", .. }` or a number. */
export function secondsOf(value: Plain | undefined): number | null {
  if (isObject(value)) return secondsOf(value.value);
  if (typeof value === 'number') return value;
  if (typeof value !== 'string') return null;
  const read = parseQuantity(value.trim().replace(/^([-+.\deE]+)\s*$/, '$1 s'));
  return read && Number.isFinite(read.value) ? read.value : null;
}

/** A time in three digits, in the unit in which it reads best. */
export function timeText(seconds: number): string {
  if (seconds === 0) return '0s';
  for (const [unit, size] of [['s', 1], ['ms', 1e-3], ['us', 1e-6], ['ns', 1e-9]] as const) {
    if (Math.abs(seconds) >= size * 0.9995 || unit === 'ns') return `${Number((seconds / size).toPrecision(3))}${unit}`;
  }
  return `${seconds}s`;
}

/** Sets a time; of a value with an interval only the value, with its ends moved along. */
export function setTime(text: string, path: Path, old: Plain | undefined, next: string): string {
  if (!isObject(old)) return set(text, path, next);
  const [before, after] = [secondsOf(old.value), secondsOf(next)];
  const moved: Record<string, Toml> = { ...(old as Record<string, Toml>), value: next };
  if (before && after) {
    for (const end of ['low', 'high']) {
      const was = secondsOf(old[end]);
      if (was !== null) moved[end] = timeText((was * after) / before);
    }
  }
  return set(text, path, moved);
}

export type Kind = 'bsf' | 'bsp' | 'wavefront';

/** With what a calculator begins. */
export const BEGIN: Record<Kind, string> = {
  bsf: `algorithm = "jacobi"
size = 1500

[machine]
latency = "15us"
op_time = "29ns"
transfer_time = "190ns"
`,
  bsp: `title = "divide and conquer"
parameters = { P = 8, n = 65536 }
machine = { processors = "P", task = "sort" }
block.link = { bandwidth = "10 Gbit/s", L = "2 us" }

[[task.sort.step]]
name = "sort the own share"
work = "n/P*log2(n/P)*5e-9*if(me == 0, 1.4, 1)"
send = [ { to = "if(me == procs - 1, 0, me + 1)", bytes = "8*n/P" } ]
expect = "if(procs > 1, 1, 0)"
block = "link"

[[task.sort.step]]
name = "merge"
work = "n/P*2e-8*if(me == procs - 1, 3, 1)"
`,
  wavefront: `[wavefront]
name = "lab"
step = "0.1s"
omega = 6
rho = 0.9

[[process]]
name = "ws1"
update = { ticks = [4, 5, 8], prob = [0.5, 0.3, 0.2] }

[[process]]
name = "ws2"
update = { ticks = [5, 6, 12], prob = [0.6, 0.3, 0.1] }

[[process]]
name = "ws3"
update = { ticks = [6, 7, 14], prob = [0.4, 0.4, 0.2] }

[network]
default = { constant = "0.3s" }
`,
};
