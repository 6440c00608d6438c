/**
 * The formula language: numbers, names, `+ - * / ^`, comparisons, `and or not`, the functions, `if`. The same grammar,
 * limits and values as the formula crate; the two are tested against one table of values.
 */
import { NONE, samePowers, unitOf, type Powers } from './units';

export interface Span {
  from: number;
  to: number;
}

export class FormulaError extends Error {
  readonly span: Span;
  constructor(message: string, span: Span) {
    super(message);
    this.span = span;
  }
}

export type Expr = Span & (
  | { kind: 'number'; value: number }
  | { kind: 'name'; name: string }
  | { kind: 'text'; name: string; text: string; equal: boolean }
  | { kind: 'unary'; op: '-' | 'not'; of: Expr }
  | { kind: 'binary'; op: string; left: Expr; right: Expr }
  | { kind: 'call'; name: string; args: Expr[] }
);

const LONGEST = 1 << 20;
const DEEPEST = 256;
const MOST = 1 << 18;

export const FUNCTIONS: Record<string, { args: [number, number]; help: string }> = {
  log: { args: [1, 1], help: 'natural logarithm' },
  log2: { args: [1, 1], help: 'logarithm to base 2' },
  log10: { args: [1, 1], help: 'logarithm to base 10' },
  sqrt: { args: [1, 1], help: 'square root' },
  cbrt: { args: [1, 1], help: 'cube root, also of negative numbers' },
  exp: { args: [1, 1], help: 'e to the power x' },
  pow: { args: [2, 2], help: 'pow(x, y) is x^y' },
  abs: { args: [1, 1], help: 'absolute value' },
  min: { args: [1, Infinity], help: 'the least' },
  max: { args: [1, Infinity], help: 'the greatest' },
  ceil: { args: [1, 1], help: 'the least integer not below x' },
  floor: { args: [1, 1], help: 'the greatest integer not above x' },
  round: { args: [1, 1], help: 'the nearest integer, halves away from zero' },
  if: { args: [3, 3], help: 'if(condition, a, b): a where the condition is true, else b' },
};

interface Token extends Span {
  kind: 'number' | 'name' | 'text' | 'op' | 'end';
  text: string;
  value: number;
}

const NAME = /[\p{L}_][\p{L}\p{Nd}_]*(?:\.[\p{L}\p{Nd}_]+)*/uy;
const NUMBER = /(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/y;
const OP = /\*\*|&&|\|\||<>|=<|=>|==|!=|<=|>=|[-+*/^<>(),]/y;
const NOT_OURS = ['**', '&&', '||', '<>', '=<', '=>'];
const BINDING: Record<string, number> = {
  or: 1, and: 2, '==': 4, '!=': 4, '<': 4, '<=': 4, '>': 4, '>=': 4, '+': 5, '-': 5, '*': 6, '/': 6, '^': 8,
};

class Parser {
  source: string;
  at = 0;
  next: Token;
  last: Span = { from: 0, to: 0 };
  depth = 0;
  nodes = 0;

  constructor(source: string) {
    this.source = source;
    this.next = this.token();
  }

  token(): Token {
    while (this.at < this.source.length && /\s/.test(this.source[this.at]!)) this.at += 1;
    const from = this.at;
    const end = (kind: Token['kind'], text: string, value = 0): Token => {
      this.at = from + text.length;
      return { kind, text, value, from, to: this.at };
    };
    if (from >= this.source.length) return { kind: 'end', text: '', value: 0, from, to: from };
    const take = (pattern: RegExp) => {
      pattern.lastIndex = from;
      return pattern.exec(this.source)?.[0];
    };
    const number = take(NUMBER);
    if (number) {
      const value = Number(number);
      if (!Number.isFinite(value)) throw new FormulaError('the number is too large', { from, to: from + number.length });
      return end('number', number, value);
    }
    const name = take(NAME);
    if (name) return end(name === 'and' || name === 'or' || name === 'not' ? 'op' : 'name', name);
    const quote = this.source[from]!;
    if (quote === '"' || quote === "'") {
      const close = new RegExp(`${quote}((?:[^${quote}]|${quote}${quote})*)${quote}`, 'y');
      close.lastIndex = from;
      const found = close.exec(this.source);
      if (!found) throw new FormulaError('the text has no closing quote', { from, to: this.source.length });
      this.at = from + found[0].length;
      return { kind: 'text', text: found[1]!.replaceAll(quote + quote, quote), value: 0, from, to: this.at };
    }
    const op = take(OP);
    if (op && !NOT_OURS.includes(op)) return end('op', op);
    const seen = op ?? [...this.source.slice(from, from + 2)][0]!;
    const hint: Record<string, string> = { '**': 'powers are written ^', '&&': 'write and', '||': 'write or', '=': 'equality is ==', '<>': 'write !=' };
    throw new FormulaError(`${seen} is not part of a formula${hint[seen] ? `: ${hint[seen]}` : ''}`, { from, to: from + seen.length });
  }

  advance() {
    this.last = this.next;
    this.next = this.token();
  }

  is(op: string): boolean {
    return this.next.kind === 'op' && this.next.text === op;
  }

  fail(message: string, span: Span = this.next): never {
    throw new FormulaError(message, { from: span.from, to: Math.max(span.to, span.from + 1) });
  }

  count() {
    this.nodes += 1;
    if (this.nodes > MOST) this.fail('the formula has too many parts');
  }

  /** Chains of like operators are loops, so that only brackets, signs and powers nest. */
  expression(least: number): Expr {
    this.depth += 1;
    if (this.depth > DEEPEST) this.fail(`brackets nest more than ${DEEPEST} deep`);
    let compared = this.next.kind === 'text';
    let left = this.operand(least);
    for (;;) {
      const op = this.next.kind === 'op' ? this.next.text : '';
      const binding = BINDING[op];
      if (binding === undefined || binding < least) break;
      if (compared && binding >= 4) this.fail(binding === 4 ? 'comparisons do not chain: write a < b and b < c' : 'a text can be compared with a name only');
      this.advance();
      this.count();
      if (binding === 4 && this.next.kind === 'text') {
        left = this.textComparison(left, op);
      } else {
        const right = this.expression(op === '^' ? 8 : binding + 1);
        left = { kind: 'binary', op, left, right, from: left.from, to: this.last.to };
      }
      compared = binding === 4;
    }
    this.depth -= 1;
    return left;
  }

  textComparison(left: Expr, op: string): Expr {
    if (left.kind !== 'name' || (op !== '==' && op !== '!=')) this.fail('a text can be compared with a name by == and != only');
    const text = this.next.text;
    this.advance();
    return { kind: 'text', name: left.name, text, equal: op === '==', from: left.from, to: this.last.to };
  }

  operand(least: number): Expr {
    this.count();
    const start = this.next;
    const { from } = start;
    if (start.kind === 'number') {
      this.advance();
      return { kind: 'number', value: start.value, from, to: start.to };
    }
    if (start.kind === 'name') return this.nameOrCall();
    if (start.kind === 'text') return this.leadingText(least);
    if (start.kind === 'end') this.fail(this.nodes === 1 ? 'the formula is empty' : 'the formula ends where a number or a name is missing');
    if (start.text === '(') {
      this.advance();
      const inner = this.expression(0);
      if (this.next.text === ',' && this.next.kind === 'op') this.fail('a comma stands here outside a call');
      if (this.next.text !== ')') this.unclosed(start);
      this.advance();
      return inner;
    }
    if (start.text === '-') {
      this.advance();
      const of = this.expression(8);
      return { kind: 'unary', op: '-', of, from, to: this.last.to };
    }
    if (start.text === '+') {
      this.advance();
      return this.expression(8);
    }
    if (start.text === 'not') {
      if (least > 3) this.fail('put not ... in brackets');
      this.advance();
      const of = this.expression(3);
      return { kind: 'unary', op: 'not', of, from, to: this.last.to };
    }
    return this.fail(`a number or a name is missing before ${start.text}`);
  }

  unclosed(open: Span): never {
    if (this.next.kind === 'end') this.fail('the bracket is not closed', open);
    this.operatorMissing();
  }

  operatorMissing(): never {
    this.fail(`an operator is missing between ${this.source.slice(this.last.from, this.last.to)} and ${this.source.slice(this.next.from, this.next.to)}`);
  }

  nameOrCall(): Expr {
    const name = this.next;
    this.advance();
    if (this.next.text !== '(' || this.next.kind !== 'op') return { kind: 'name', name: name.text, from: name.from, to: name.to };
    const known = Object.hasOwn(FUNCTIONS, name.text) ? FUNCTIONS[name.text] : undefined;
    if (!known) this.fail(`there is no function ${name.text}: ${Object.keys(FUNCTIONS).join(', ')}`, name);
    const open = this.next;
    this.advance();
    const args: Expr[] = [];
    if (!this.is(')')) {
      for (;;) {
        args.push(this.expression(0));
        if (this.is(',')) this.advance();
        else if (this.is(')')) break;
        else this.unclosed(open);
      }
    }
    this.advance();
    const [few, many] = known.args;
    const span = { from: name.from, to: this.last.to };
    if (args.length < few || args.length > many) {
      this.fail(`${name.text} takes ${few === many ? few : `${few} or more`} argument${many === 1 ? '' : 's'}, not ${args.length}`, span);
    }
    return { kind: 'call', name: name.text, args, ...span };
  }

  leadingText(least: number): Expr {
    const text = this.next;
    this.advance();
    const op = this.next.text;
    if (this.next.kind !== 'op' || (op !== '==' && op !== '!=') || least > 4) this.fail('a text can be compared with a name by == and != only', text);
    this.advance();
    const name = this.next;
    if (name.kind !== 'name') this.fail('a text can be compared with a name only', text);
    this.advance();
    return { kind: 'text', name: name.text, text: text.text, equal: op === '==', from: text.from, to: name.to };
  }

  whole(): Expr {
    const tree = this.expression(0);
    if (this.next.kind === 'end') return tree;
    if (this.next.text === ')') this.fail('the bracket was never opened');
    if (this.next.text === ',') this.fail('a comma stands here outside a call');
    return this.operatorMissing();
  }
}

/** Throws `FormulaError`. */
export function parse(source: string): Expr {
  if (source.length > LONGEST) throw new FormulaError('the formula is too long', { from: 0, to: source.length });
  return new Parser(source).whole();
}

const children = (expr: Expr): Expr[] =>
  expr.kind === 'unary' ? [expr.of] : expr.kind === 'binary' ? [expr.left, expr.right] : expr.kind === 'call' ? expr.args : [];

/** Every name with its places. */
export function names(tree: Expr): Map<string, Span[]> {
  const found = new Map<string, Span[]>();
  const stack = [tree];
  while (stack.length) {
    const expr = stack.pop()!;
    if (expr.kind === 'name') found.set(expr.name, [...(found.get(expr.name) ?? []), { from: expr.from, to: expr.to }]);
    stack.push(...children(expr).reverse());
  }
  return found;
}

const truth = (x: number) => Math.abs(x) > 0;
const least = (x: number, y: number) => (x < y || Number.isNaN(x) ? x : y);
const most = (x: number, y: number) => (x > y || Number.isNaN(x) ? x : y);

/** As the standard power of other languages: 1 to any power is 1, and -1 to an infinite one. */
function power(x: number, y: number): number {
  if (x === 1) return 1;
  if (x === -1 && Math.abs(y) === Infinity) return 1;
  return x ** y;
}

const round = (x: number) => (x < 0 ? -Math.round(-x) : Math.round(x));

const UNARY: Record<string, (x: number) => number> = {
  log: Math.log, log2: Math.log2, log10: Math.log10, sqrt: Math.sqrt, cbrt: Math.cbrt, exp: Math.exp, abs: Math.abs,
  ceil: Math.ceil, floor: Math.floor, round,
};

/** The value; a name that `lookup` does not know is not a number. */
export function evaluate(expr: Expr, lookup: (name: string) => number | undefined): number {
  // Long chains lean to the left: they are walked in a loop.
  if (expr.kind === 'binary') {
    const chain: Extract<Expr, { kind: 'binary' }>[] = [];
    let at: Expr = expr;
    while (at.kind === 'binary') {
      chain.push(at);
      at = at.left;
    }
    let value = evaluate(at, lookup);
    for (let index = chain.length - 1; index >= 0; index -= 1) {
      const { op, right } = chain[index]!;
      value = binary(op, value, evaluate(right, lookup));
    }
    return value;
  }
  if (expr.kind === 'number') return expr.value;
  if (expr.kind === 'name') return lookup(expr.name) ?? NaN;
  if (expr.kind === 'text') return NaN;
  if (expr.kind === 'unary') {
    const x = evaluate(expr.of, lookup);
    return expr.op === '-' ? -x : Number(!truth(x));
  }
  const { name, args } = expr;
  if (name === 'if') return evaluate(truth(evaluate(args[0]!, lookup)) ? args[1]! : args[2]!, lookup);
  const values = args.map((one) => evaluate(one, lookup));
  if (name === 'min') return values.reduce(least);
  if (name === 'max') return values.reduce(most);
  if (name === 'pow') return power(values[0]!, values[1]!);
  return UNARY[name]!(values[0]!);
}

function binary(op: string, x: number, y: number): number {
  switch (op) {
    case '+': return x + y;
    case '-': return x - y;
    case '*': return x * y;
    case '/': return x / y;
    case '^': return power(x, y);
    case '==': return Number(x === y);
    case '!=': return Number(x !== y);
    case '<': return Number(x < y);
    case '<=': return Number(x <= y);
    case '>': return Number(x > y);
    case '>=': return Number(x >= y);
    case 'and': return Number(truth(x) && truth(y));
    default: return Number(truth(x) || truth(y));
  }
}

/** What a part of a formula measures; null: it bears no unit that could be known. */
export type Measure = Powers | null;

export interface UnitFault extends Span {
  message: string;
}

/** Follows units through a formula; `of` returns those of names. Operations count as numbers. */
export function measure(tree: Expr, of: (name: string) => Measure): { unit: Measure; faults: UnitFault[] } {
  const faults: UnitFault[] = [];
  const said = (unit: Powers) => unitOf(unit) || 'a plain number';
  const same = (a: Measure, b: Measure, what: string, at: Span): Measure => {
    if (a && b && !samePowers(a, b)) faults.push({ message: `${what} ${said(a)} and ${said(b)}`, from: at.from, to: at.to });
    return a ?? b;
  };
  const plain = (unit: Measure, what: string, at: Span) => {
    if (unit && !samePowers(unit, NONE)) faults.push({ message: `${what} of ${said(unit)}`, from: at.from, to: at.to });
  };
  const scale = (unit: Powers, by: number) => unit.map((one) => one * by) as unknown as Powers;
  const walk = (expr: Expr): Measure => {
    switch (expr.kind) {
      case 'number': return expr.value === 0 ? null : NONE;
      case 'name': return of(expr.name);
      case 'text': return NONE;
      case 'unary': return expr.op === '-' ? walk(expr.of) : (walk(expr.of), NONE);
      case 'binary': {
        const chain: Extract<Expr, { kind: 'binary' }>[] = [];
        let at: Expr = expr;
        while (at.kind === 'binary') {
          chain.push(at);
          at = at.left;
        }
        let unit = walk(at);
        for (const one of chain.reverse()) unit = combine(one, unit, walk(one.right));
        return unit;
      }
      default: {
        const units = expr.args.map(walk);
        switch (expr.name) {
          case 'min': case 'max': return units.reduce((a, b) => same(a, b, `${expr.name} of`, expr));
          case 'if': return same(units[1]!, units[2]!, 'one branch gives', expr) ?? null;
          case 'abs': case 'ceil': case 'floor': case 'round': return units[0]!;
          case 'sqrt': return units[0] ? scale(units[0], 1 / 2) : null;
          case 'cbrt': return units[0] ? scale(units[0], 1 / 3) : null;
          case 'pow': return raise(units[0]!, expr.args[1]!, expr);
          default: plain(units[0]!, `${expr.name}`, expr); return NONE;
        }
      }
    }
  };
  const raise = (base: Measure, exponent: Expr, at: Span): Measure => {
    if (!base) return null;
    if (samePowers(base, NONE)) return NONE;
    if (exponent.kind === 'number') return scale(base, exponent.value);
    if (exponent.kind === 'unary' && exponent.op === '-' && exponent.of.kind === 'number') return scale(base, -exponent.of.value);
    faults.push({ message: `a power of ${said(base)} with an exponent that is not fixed`, from: at.from, to: at.to });
    return null;
  };
  const combine = (one: Extract<Expr, { kind: 'binary' }>, a: Measure, b: Measure): Measure => {
    switch (one.op) {
      case '+': return same(a, b, 'adds', one);
      case '-': return same(a, b, 'subtracts', one);
      case '*': return a && b ? (a.map((x, index) => x + b[index]!) as unknown as Powers) : null;
      case '/': return a && b ? (a.map((x, index) => x - b[index]!) as unknown as Powers) : null;
      case '^': return raise(a, one.right, one);
      case 'and': case 'or': return NONE;
      default: same(a, b, 'compares', one); return NONE;
    }
  };
  return { unit: walk(tree), faults };
}
