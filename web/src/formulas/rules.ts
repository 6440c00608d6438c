/** What a rule of a computational model is about, and what its formula may name. */
import { knownOf } from '../canvas/known';
import { plain, read, find, type Plain } from '../toml';
import { FormulaError, measure, names, parse, type Measure, type Span } from './formula';
import { NONE, parseQuantity, samePowers, unitOf, type Powers } from './units';

export const ON: Record<string, { gives: string; help: string }> = {
  compute: { gives: 's', help: 'seconds of a computing block' },
  p2p: { gives: 's', help: 'seconds of a message' },
  one2one: { gives: 's', help: 'seconds of messages spread evenly' },
  scatter: { gives: 's', help: 'seconds' },
  gather: { gives: 's', help: 'seconds' },
  bcast: { gives: 's', help: 'seconds' },
  reduce: { gives: 's', help: 'seconds' },
  allreduce: { gives: 's', help: 'seconds' },
  allgather: { gives: 's', help: 'seconds' },
  reduce_scatter: { gives: 's', help: 'seconds' },
  alltoall: { gives: 's', help: 'seconds' },
  barrier: { gives: 's', help: 'seconds' },
  overhead: { gives: '', help: 'factor of a software stack on computing' },
  contention: { gives: '', help: 'factor on the time per byte, given concurrent messages' },
  throughput: { gives: '', help: "cores' worth of work done by busy processes" },
  power: { gives: 'W', help: 'watts of a machine, given busy threads' },
  failure_rate: { gives: 'Hz', help: 'failures a second' },
};

export const FILTERS: Record<string, string> = {
  type: 'kind of block', op: 'double or single', opt: 'optimization', stack: 'software stack', hardware: 'catalogue entry',
  device: 'id or kind of the device', network: 'id of the network', label: 'class of processes',
};

const VARIABLES: Record<string, { help: string; unit: Measure; start: number; range: [number, number] }> = {
  size: { help: 'size of the block or message', unit: null, start: 1e6, range: [1, 1e9] },
  ops: { help: 'operations of the block', unit: NONE, start: 1e9, range: [1, 1e12] },
  bytes: { help: 'bytes moved', unit: [0, 1, 0, 0], start: 1e6, range: [1, 1e10] },
  threads: { help: 'threads of the block', unit: NONE, start: 1, range: [1, 128] },
  'node.procs': { help: 'processes placed on the machine', unit: NONE, start: 8, range: [1, 128] },
  'node.cores': { help: 'cores of the machine', unit: NONE, start: 16, range: [1, 256] },
  'device.procs': { help: 'processes placed on the device', unit: NONE, start: 8, range: [1, 128] },
  busy: { help: 'threads that compute', unit: NONE, start: 8, range: [1, 64] },
  h: { help: '1 + turbo of the cores that are free', unit: NONE, start: 1, range: [1, 1.5] },
  bw: { help: 'memory bandwidth for a process', unit: [-1, 1, 0, 0], start: 1e10, range: [1e8, 1e12] },
  count: { help: 'number of messages', unit: NONE, start: 100, range: [1, 1e5] },
  concurrent: { help: 'messages at the same time', unit: NONE, start: 8, range: [1, 64] },
  procs: { help: 'processes that take part', unit: NONE, start: 64, range: [1, 4096] },
};

const COMPUTE = ['size', 'ops', 'bytes', 'threads', 'node.procs', 'node.cores', 'device.procs', 'busy', 'h', 'bw'];
const BY_ON: Record<string, string[]> = {
  compute: COMPUTE,
  overhead: COMPUTE,
  throughput: ['busy', 'device.procs', 'node.procs', 'node.cores', 'h', 'bw'],
  power: ['busy', 'node.procs', 'node.cores'],
  failure_rate: ['node.cores'],
};
const MESSAGE = ['size', 'bytes', 'count', 'concurrent', 'procs', 'node.procs', 'node.cores', 'device.procs'];

/** Variables that a rule about this knows. */
export const variablesOf = (on: string): string[] => BY_ON[on] ?? MESSAGE;
export const helpOf = (name: string): string => VARIABLES[name]?.help ?? knownOf(name.replace(/^(hw|node|net)\./, ''))?.help ?? '';

export interface Coefficient {
  name: string;
  text: string;
  value: number | null;
  low: number | null;
  high: number | null;
  powers: Measure;
}

export interface Rule {
  index: number;
  on: string;
  filters: Record<string, string>;
  value: string | null;
  spread: boolean;
  line: number;
}

export interface Model {
  name: string;
  extends: string;
  sharing: string;
  coefficients: Coefficient[];
  rules: Rule[];
}

const number = (value: Plain | undefined): number | null =>
  typeof value === 'number' ? value : typeof value === 'string' ? (parseQuantity(value)?.value ?? null) : null;

export function models(text: string): Model[] | null {
  const { doc } = read(text);
  if (!doc) return null;
  const node = find(doc.root, ['model']);
  if (node?.kind !== 'table') return [];
  return [...node.entries].flatMap(([name, inner]) => {
    if (inner.kind !== 'table') return [];
    const said = plain(inner) as Record<string, Plain>;
    const coeff = typeof said.coeff === 'object' && !Array.isArray(said.coeff) ? said.coeff : {};
    const list = Array.isArray(said.rule) ? said.rule : [];
    return [{
      name,
      extends: typeof said.extends === 'string' ? said.extends : '',
      sharing: typeof said.sharing === 'string' ? said.sharing : '',
      coefficients: Object.entries(coeff).map(([key, value]): Coefficient => {
        const table = typeof value === 'object' && !Array.isArray(value) ? value : { value };
        const text = table.value;
        const quantity = typeof text === 'string' ? parseQuantity(text) : null;
        return { name: key, text: text === undefined ? '' : String(text), value: number(text), low: number(table.low), high: number(table.high), powers: quantity?.hasUnit ? quantity.powers : null };
      }),
      rules: list.map((one, index): Rule => {
        const rule = typeof one === 'object' && !Array.isArray(one) ? one : {};
        return {
          index,
          on: typeof rule.on === 'string' ? rule.on : '',
          filters: Object.fromEntries(Object.keys(FILTERS).flatMap((key) => (typeof rule[key] === 'string' ? [[key, rule[key] as string]] : []))),
          value: rule.value === undefined ? null : String(rule.value),
          spread: rule.spread !== undefined,
          line: 0,
        };
      }),
    }];
  });
}

/** Operations count as numbers: `c.sort * ops` and `ops / hw.flops_double` are both times. */
const withoutOps = (powers: Measure): Measure => (powers ? ([powers[0], powers[1], 0, powers[3]] as const) : null);

function unitOfName(name: string, on: string, coefficients: Coefficient[]): Measure {
  const variable = VARIABLES[name];
  if (variable) return name === 'size' && !BY_ON[on] ? [0, 1, 0, 0] : variable.unit;
  const [scope, key] = [name.slice(0, name.indexOf('.')), name.slice(name.indexOf('.') + 1)];
  if (scope === 'c') return withoutOps(coefficients.find((one) => one.name === key)?.powers ?? null);
  if (scope === 'hw' || scope === 'node' || scope === 'net') {
    const known = knownOf(key);
    if (known?.what !== 'number') return null;
    return withoutOps(parseQuantity(`1 ${known.unit.replace(/^1\/s$/, 'Hz')}`)?.powers ?? NONE);
  }
  return null;
}

export interface Fault extends Span {
  message: string;
  severity: 'error' | 'warning';
}

export interface Checked {
  faults: Fault[];
  names: string[];
  /** What it measures as far as it is known, and what it must. */
  unit: Measure;
  wanted: Powers;
  fits: boolean | null;
}

/** All that can be said of a formula without running it. */
export function check(text: string, on: string, coefficients: Coefficient[]): Checked {
  const wanted = parseQuantity(`1 ${ON[on]?.gives ?? ''}`)?.powers ?? NONE;
  try {
    const tree = parse(text);
    const faults: Fault[] = [];
    const found = names(tree);
    for (const [name, places] of found) {
      const scope = name.slice(0, name.indexOf('.'));
      const known = variablesOf(on).includes(name) || (['hw', 'node', 'net', 'par', 'c'].includes(scope) && !(name in VARIABLES));
      for (const at of places) {
        if (!known) {
          const hint = name in VARIABLES ? '' : `: a coefficient is c.${name}, a parameter par.${name}`;
          faults.push({ ...at, severity: 'error', message: `a rule on ${on} knows no ${name}${hint}` });
        } else if (scope === 'c' && !coefficients.some((one) => `c.${one.name}` === name)) {
          faults.push({ ...at, severity: 'warning', message: `there is no coefficient ${name.slice(2)} here` });
        }
      }
    }
    const { unit, faults: wrong } = measure(tree, (name) => unitOfName(name, on, coefficients));
    faults.push(...wrong.map((fault) => ({ ...fault, severity: 'warning' as const })));
    return { faults, names: [...found.keys()], unit, wanted, fits: wrong.length ? false : unit ? samePowers(unit, wanted) : null };
  } catch (error) {
    if (!(error instanceof FormulaError)) throw error;
    return { faults: [{ ...error.span, severity: 'error', message: error.message }], names: [], unit: null, wanted, fits: null };
  }
}

export const said = (powers: Powers) => unitOf(powers) || 'a plain number';

/** Where a slider begins, and how far it goes. */
export function range(name: string, coefficients: Coefficient[]): { start: number; from: number; to: number; log: boolean } {
  const variable = VARIABLES[name];
  if (variable) return { start: variable.start, from: variable.range[0], to: variable.range[1], log: variable.range[1] / Math.max(variable.range[0], 1e-300) > 100 };
  const key = name.slice(name.indexOf('.') + 1);
  const own = coefficients.find((one) => `c.${one.name}` === name)?.value;
  const typical: Record<string, number> = { cores: 16, clock: 2.5e9, flops_double: 1e12, flops_single: 2e12, bandwidth: 1e10, latency: 1e-6, mem_bandwidth: 1e11, mem_bandwidth_core: 1e10, power_idle: 60, power_load: 200, smt_gain: 1.2, memory: 64e9, mtbf: 1.6e8 };
  const start = own ?? typical[key] ?? 1;
  if (start > 0) return { start, from: start / 100, to: start * 100, log: true };
  return { start, from: start < 0 ? 10 * start : -1, to: start < 0 ? -start : 1, log: false };
}
