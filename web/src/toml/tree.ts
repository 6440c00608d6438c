/** A TOML text as a tree whose nodes know where they stand in the text. */
import { parseTOML, type AST } from 'toml-eslint-parser';

export type Path = (string | number)[];

/** A key that passes through a dotted key: `set` of `set.power = 1`, with how many parts of the key lead here. */
interface Passing {
  pair: AST.TOMLKeyValue;
  depth: number;
}

export interface Node {
  kind: 'table' | 'array' | 'value';
  parent: Node | null;
  key: string | number;
  entries: Map<string, Node>;
  items: Node[];
  /** The value where it stands inline. */
  content?: AST.TOMLContentNode;
  /** The line or entry that says it. */
  pair?: AST.TOMLKeyValue;
  /** `[a.b]`, or one `[[a.b]]`. */
  headers: AST.TOMLTable[];
  passing: Passing[];
}

export interface TomlError {
  message: string;
  /** From 1. */
  line: number;
  column: number;
}

export interface Doc {
  text: string;
  program: AST.TOMLProgram;
  root: Node;
}

/** Answers the error instead where the text does not parse. */
export function read(text: string): { doc: Doc; error: null } | { doc: null; error: TomlError } {
  try {
    const program = parseTOML(text, { tomlVersion: 'latest' });
    return { doc: { text, program, root: grow(program) }, error: null };
  } catch (cause) {
    const at = cause as { message?: string; lineNumber?: number; column?: number };
    return { doc: null, error: { message: at.message ?? String(cause), line: at.lineNumber ?? 1, column: (at.column ?? 0) + 1 } };
  }
}

function make(kind: Node['kind'], parent: Node | null, key: string | number): Node {
  return { kind, parent, key, entries: new Map(), items: [], headers: [], passing: [] };
}

function grow(program: AST.TOMLProgram): Node {
  const root = make('table', null, '');
  for (const part of program.body[0].body) {
    if (part.type === 'TOMLKeyValue') addPair(root, part);
    else addHeader(root, part);
  }
  return root;
}

const word = (key: AST.TOMLBare | AST.TOMLQuoted) => (key.type === 'TOMLBare' ? key.name : key.value);

function addPair(table: Node, pair: AST.TOMLKeyValue) {
  let at = table;
  const keys = pair.key.keys;
  keys.slice(0, -1).forEach((key, index) => {
    at = child(at, word(key));
    at.passing.push({ pair, depth: index + 1 });
  });
  const name = word(keys[keys.length - 1]!);
  const node = valueNode(pair.value, at, name);
  node.pair = pair;
  at.entries.set(name, node);
}

function child(table: Node, name: string): Node {
  let node = table.entries.get(name);
  if (!node) {
    node = make('table', table, name);
    table.entries.set(name, node);
  }
  return node;
}

function addHeader(root: Node, table: AST.TOMLTable) {
  let at = root;
  for (const step of table.resolvedKey) {
    if (typeof step === 'string') {
      at = child(at, step);
      continue;
    }
    at.kind = 'array';
    while (at.items.length <= step) at.items.push(make('table', at, at.items.length));
    at = at.items[step]!;
  }
  at.headers.push(table);
  for (const pair of table.body) addPair(at, pair);
}

function valueNode(content: AST.TOMLContentNode, parent: Node, key: string | number): Node {
  const kind = content.type === 'TOMLArray' ? 'array' : content.type === 'TOMLInlineTable' ? 'table' : 'value';
  const node = make(kind, parent, key);
  node.content = content;
  if (content.type === 'TOMLArray') node.items = content.elements.map((element, index) => valueNode(element, node, index));
  else if (content.type === 'TOMLInlineTable') for (const pair of content.body) addPair(node, pair);
  return node;
}

export function find(root: Node, path: Path): Node | undefined {
  let at: Node | undefined = root;
  for (const step of path) {
    if (!at) return undefined;
    at = typeof step === 'number' ? at.items[step] : at.entries.get(step);
  }
  return at;
}

export function pathOf(node: Node): Path {
  const path: Path = [];
  for (let at: Node | null = node; at?.parent; at = at.parent) path.unshift(at.key);
  return path;
}

export type Plain = string | number | boolean | Plain[] | { [key: string]: Plain };

/** The value as JavaScript has it; dates as their text. */
export function plain(node: Node): Plain {
  if (node.kind === 'array') return node.items.map(plain);
  if (node.kind === 'table') return Object.fromEntries([...node.entries].map(([key, inner]) => [key, plain(inner)]));
  const content = node.content as AST.TOMLValue;
  return content.value instanceof Date ? (content as AST.TOMLDateTimeValue).datetime : content.value;
}

/** Where a node begins in the text: its entry, its header, or its first part. */
export function start(node: Node): number {
  const own = node.pair?.range[0] ?? node.headers[0]?.range[0] ?? node.content?.range[0] ?? node.passing[0]?.pair.range[0];
  if (own !== undefined) return own;
  const inner = [...node.entries.values(), ...node.items].map(start);
  return inner.length ? Math.min(...inner) : 0;
}

/** Line of an offset, from 1. */
export function lineOf(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}
