/** Command lines of jobs: making one of another, and telling what it is about. */

/** An argument as a shell takes it. */
export function quoted(argument: string): string {
  return /^[A-Za-z0-9_\-./=:,@%+]+$/.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`;
}

export const commandLine = (argv: string[]) => ['runcast', ...argv].map(quoted).join(' ');

/** Options of a sweep that a single run does not take, with their values. */
const SWEEP_ONLY = new Set(['--vary', '--jobs', '--speedup', '-o', '--output', '--objective', '--objectives', '--constraint', '--budget', '--aim', '--timeline', '--timeline-ranks', '--timeline-span']);
const FLAGS = new Set(['--json', '--explain', '--check', '--include-unused']);
const DROPPED = new Set(['--json', '--explain', '--check']);

/** The command that runs one point of a sweep on its own, with what `more` asks for. */
export function pointCommand(argv: string[], point: [string, string][], more: string[]): string[] {
  const kept: string[] = [];
  const rest = argv.slice(2);
  const names = new Set(point.map(([name]) => name));
  for (let at = 0; at < rest.length; at += 1) {
    const [option, glued] = split(rest[at]!);
    if (!option.startsWith('-') || FLAGS.has(option)) {
      if (!DROPPED.has(option)) kept.push(rest[at]!);
      continue;
    }
    const value = glued ?? rest[at + 1] ?? '';
    if (glued === null) at += 1;
    if (SWEEP_ONLY.has(option)) continue;
    // What the point says itself stands only once.
    if (option === '--set' && names.has(value.split('=')[0]!)) continue;
    if (option === '--hardware' && names.has(`hardware.${value.split('=')[0]!}`)) continue;
    if (option === '--use' && names.has(`use.${value.split('=')[0]!}`)) continue;
    if (option === '--fidelity' && names.has('fidelity')) continue;
    kept.push(...(glued === null ? [option, value] : [rest[at]!]));
  }
  return ['sim', 'run', ...kept, ...point.flatMap(([name, value]) => setting(name, value)), ...more];
}

function setting(name: string, value: string): string[] {
  if (name.startsWith('hardware.')) return ['--hardware', `${name.slice(9)}=${value}`];
  if (name.startsWith('use.')) return ['--use', `${name.slice(4)}=${value}`];
  if (name === 'fidelity') return ['--fidelity', value];
  return ['--set', `${name}=${value}`];
}

function split(argument: string): [string, string | null] {
  const at = argument.startsWith('--') ? argument.indexOf('=') : -1;
  return at < 0 ? [argument, null] : [argument.slice(0, at), argument.slice(at + 1)];
}

/** `sim sweep`, `fit`, `bsf predict`: what kind of command it is. */
export function commandOf(argv: string[]): string {
  const two = new Set(['sim', 'bsf', 'bsp', 'wavefront', 'cll']);
  return two.has(argv[0] ?? '') ? argv.slice(0, 2).join(' ') : (argv[0] ?? '');
}

/** What a result is about in a word: `heat` for `experiments/heat.toml` and for `heat/experiment.toml`. */
export function nameOf(subject: string): string {
  const parts = subject.split('/');
  const name = parts.at(-1)!.replace(/\.[^.]+$/, '');
  return name === 'experiment' && parts.length > 1 ? parts.at(-2)! : name;
}

/** The first argument that is a file, such as the experiment. */
export function subjectOf(argv: string[]): string | null {
  return argv.slice(1).find((one) => !one.startsWith('-') && /\.[a-z]+$/i.test(one)) ?? null;
}

const WITHOUT_TABLE = new Set(['sim run', 'sim optimize', 'sim calibrate', 'sim replay', 'sim new', 'sim system', 'sim hardware', 'fit', 'report', 'bsf predict', 'bsp predict', 'wavefront solve', 'cll translate', 'llac', 'plan']);

/** Does the command answer with a table? Others may, too, when they are asked to write one. */
export function hasTable(argv: string[]): boolean {
  return argv.some((one) => one.endsWith('.csv') && /^-/.test(argv[argv.indexOf(one) - 1] ?? '')) || !WITHOUT_TABLE.has(commandOf(argv));
}
