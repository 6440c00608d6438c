/**
 * Changes to a TOML text that touch only the lines concerned: comments, order and style stay. Each function takes a text
 * that parses and answers the changed one; a text that does not parse, or a path that is not there, comes back unchanged.
 */
import type { AST } from 'toml-eslint-parser';
import { format, formatKey, isTable, Raw, type Toml } from './format';
import { find, pathOf, read, type Doc, type Node, type Path } from './tree';

interface Splice {
  from: number;
  to: number;
  insert: string;
}

/** Sets a value; tables on the way are made. A table in the place of a table is changed key by key. */
export function set(text: string, path: Path, value: Toml): string {
  const { doc } = read(text);
  if (!doc || path.length === 0) return text;
  const node = find(doc.root, path);
  if (!node) {
    const parent = find(doc.root, path.slice(0, -1));
    const key = path[path.length - 1]!;
    if (!parent) return set(text, path.slice(0, -1), { [String(key)]: value });
    if (parent.kind === 'array') return insert(text, path.slice(0, -1), [value]);
    return parent.kind === 'table' ? apply(text, [newEntry(doc, parent, String(key), value)]) : text;
  }
  if (node.kind === 'table' && isTable(value)) {
    let next = text;
    for (const key of node.entries.keys()) if (!(key in value)) next = remove(next, [...path, key]);
    for (const [key, inner] of Object.entries(value)) next = set(next, [...path, key], inner);
    return next;
  }
  if (node.content) {
    const now = text.slice(...node.content.range);
    const then = format(value);
    return now === then ? text : apply(text, [{ from: node.content.range[0], to: node.content.range[1], insert: then }]);
  }
  const without = remove(text, path);
  return without === text ? text : set(without, path, value);
}

/** Takes away a key, a table with all below it, or an element of an array. */
export function remove(text: string, path: Path): string {
  return removeAll(text, [path]);
}

/** Takes several away, as they are numbered before the first is gone. */
export function removeAll(text: string, paths: Path[]): string {
  const { doc } = read(text);
  if (!doc) return text;
  const splices: Splice[] = [];
  const lists = new Map<Node, Set<number>>();
  for (const path of paths) {
    const node = find(doc.root, path);
    if (!node?.parent) continue;
    if (node.parent.kind === 'array' && node.content) {
      const numbers = lists.get(node.parent) ?? new Set<number>();
      lists.set(node.parent, numbers.add(node.key as number));
    } else {
      splices.push(...cuts(doc, node));
    }
  }
  for (const [list, numbers] of lists) {
    const content = list.content as AST.TOMLArray;
    splices.push(...cutElements(doc, content.range, content.elements.map((one) => one.range), numbers, true));
  }
  return apply(text, splices);
}

/** Adds elements at the end of an array, in its own style; a missing one is made, of tables as `[[..]]` when `blocks`. */
export function insert(text: string, path: Path, values: Toml[], options: { blocks?: boolean; before?: string } = {}): string {
  const { doc } = read(text);
  if (!doc || values.length === 0) return text;
  const node = find(doc.root, path);
  if (node && node.kind === 'array' && node.content) return apply(text, extend(doc, node.content as AST.TOMLArray, values));
  if (node && node.kind === 'array') return apply(text, [appendBlocks(doc, node, path, values)]);
  if (node && node.kind !== 'array') return text;
  const parent = find(doc.root, path.slice(0, -1));
  const key = path[path.length - 1]!;
  if (typeof key !== 'string') return text;
  if (options.blocks) return apply(text, [newBlocks(doc, values.map((value) => block(doc, [...path], value, true)), options.before)]);
  const eol = newline(text);
  const list = new Raw(`[${eol}${values.map((value) => `  ${format(value)},${eol}`).join('')}]`);
  if (parent?.kind === 'table') return apply(text, [newEntry(doc, parent, key, list)]);
  return set(text, path, list);
}

/** Adds `[path]` with these keys at the end of the file. Arrays of tables inside become `[[path.key]]`. */
export function appendTable(text: string, path: Path, value: Record<string, Toml>): string {
  const { doc } = read(text);
  if (!doc || find(doc.root, path)) return text;
  return apply(text, [newBlocks(doc, [block(doc, path, value, false)])]);
}

/** Text that stands for a node, for copying it elsewhere. */
export function source(doc: Doc, node: Node): string {
  return node.content ? doc.text.slice(...node.content.range) : '';
}

function apply(text: string, splices: Splice[]): string {
  const ordered = splices.map((splice, order) => ({ ...splice, order })).sort((a, b) => b.from - a.from || b.order - a.order);
  let next = text;
  let least = Infinity;
  for (const { from, to, insert: put } of ordered) {
    // What was cut already is not cut twice.
    const end = Math.min(to, least);
    if (end < from) continue;
    next = next.slice(0, from) + put + next.slice(end);
    least = from;
  }
  return next;
}

export const newline = (text: string) => (text.includes('\r\n') ? '\r\n' : '\n');

function lineStart(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1;
}

/** The end of the line without its line break. */
function lineEnd(text: string, offset: number): number {
  const at = text.indexOf('\n', offset);
  if (at < 0) return text.length;
  return at > offset && text[at - 1] === '\r' ? at - 1 : at;
}

function nextLine(text: string, offset: number): number {
  const at = text.indexOf('\n', offset);
  return at < 0 ? text.length : at + 1;
}

function indentOf(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(lineStart(text, offset), offset))![0];
}

/** ` = ` as the neighbor writes it. */
function equals(text: string, neighbor: AST.TOMLKeyValue | undefined): string {
  return neighbor ? text.slice(neighbor.key.range[1], neighbor.value.range[0]) : ' = ';
}

function newEntry(doc: Doc, table: Node, key: string, value: Toml): Splice {
  const { text } = doc;
  const eol = newline(text);
  const said = (neighbor?: AST.TOMLKeyValue, prefix = '') => `${prefix}${formatKey(key)}${equals(text, neighbor)}${format(value)}`;
  if (table.content?.type === 'TOMLInlineTable') return inInline(doc, table.content, said);
  const own = table.headers[0];
  if (own) {
    const last = own.body[own.body.length - 1];
    if (last) return after(text, last.range[1], `${eol}${indentOf(text, last.range[0])}${said(last)}`);
    return after(text, own.range[1], `${eol}${indentOf(text, own.range[0])}${said()}`);
  }
  const through = table.passing[table.passing.length - 1];
  if (through) {
    const { pair, depth } = through;
    const prefix = `${text.slice(pair.key.range[0], pair.key.keys[depth - 1]!.range[1])}.`;
    if (pair.parent.type === 'TOMLInlineTable') return { from: pair.range[1], to: pair.range[1], insert: `, ${said(pair, prefix)}` };
    return after(text, pair.range[1], `${eol}${indentOf(text, pair.range[0])}${said(pair, prefix)}`);
  }
  if (table.parent) {
    const first = firstHeader(table);
    const at = first ? attached(doc, first) : text.length;
    return { from: at, to: at, insert: `[${pathOf(table).map((step) => formatKey(String(step))).join('.')}]${eol}${said()}${eol}${eol}` };
  }
  const pairs = doc.program.body[0].body.filter((part) => part.type === 'TOMLKeyValue');
  const last = pairs[pairs.length - 1];
  if (last) return after(text, last.range[1], `${eol}${said(last)}`);
  const first = doc.program.body[0].body[0];
  const at = first ? attached(doc, first as AST.TOMLTable) : text.length;
  const lead = at > 0 && text[at - 1] !== '\n' ? eol : '';
  return { from: at, to: at, insert: `${lead}${said()}${eol}${first ? eol : ''}` };
}

/** After the line of this offset, its comment included. */
function after(text: string, offset: number, put: string): Splice {
  const at = lineEnd(text, offset);
  return { from: at, to: at, insert: put };
}

function inInline(doc: Doc, inline: AST.TOMLInlineTable, said: (neighbor?: AST.TOMLKeyValue) => string): Splice {
  const { text } = doc;
  const last = inline.body[inline.body.length - 1];
  if (!last) return { from: inline.range[0], to: inline.range[1], insert: `{ ${said()} }` };
  const comma = commaAfter(doc, last.range[1], inline.range[1]);
  const before = text.slice(inline.range[0], last.range[0]);
  const own = before.includes('\n') && lineStart(text, last.range[0]) + indentOf(text, last.range[0]).length === last.range[0];
  const gap = own ? `${newline(text)}${indentOf(text, last.range[0])}` : ' ';
  if (comma === null) return { from: last.range[1], to: last.range[1], insert: `,${gap}${said(last)}` };
  return { from: comma + 1, to: comma + 1, insert: `${gap}${said(last)},` };
}

/** The comma behind an element, comments and line breaks between; null: none before the end. */
function commaAfter(doc: Doc, from: number, end: number): number | null {
  const { text } = doc;
  for (let at = from; at < end; at += 1) {
    const letter = text[at]!;
    if (letter === '#') at = text.indexOf('\n', at);
    else if (letter === ',') return at;
    else if (!/\s/.test(letter)) return null;
    if (at < 0) return null;
  }
  return null;
}

function firstHeader(node: Node): AST.TOMLTable | undefined {
  const all: AST.TOMLTable[] = [];
  const walk = (at: Node) => {
    all.push(...at.headers);
    for (const inner of [...at.entries.values(), ...at.items]) walk(inner);
  };
  walk(node);
  return all.sort((a, b) => a.range[0] - b.range[0])[0];
}

/** Where the comment lines that stand directly above a header begin. */
function attached(doc: Doc, header: { range: [number, number] }): number {
  const { text } = doc;
  let at = lineStart(text, header.range[0]);
  while (at > 0) {
    const above = lineStart(text, at - 1);
    if (!/^[ \t]*#/.test(text.slice(above, at))) break;
    at = above;
  }
  return at;
}

function extend(doc: Doc, array: AST.TOMLArray, values: Toml[]): Splice[] {
  const { text } = doc;
  const eol = newline(text);
  const items = values.map(format);
  const last = array.elements[array.elements.length - 1];
  if (!last) {
    const outer = indentOf(text, lineStart(text, array.range[0]) + /^[ \t]*/.exec(text.slice(lineStart(text, array.range[0])))![0].length);
    const inside = text.slice(array.range[0] + 1, array.range[1] - 1);
    const put = items.map((item) => `${eol}${outer}  ${item},`).join('');
    if (inside.includes('#')) {
      const at = array.range[1] - 1;
      return [{ from: at, to: at, insert: `${put.slice(eol.length)}${eol}${outer}` }];
    }
    return [{ from: array.range[0], to: array.range[1], insert: `[${put}${eol}${outer}]` }];
  }
  const comma = commaAfter(doc, last.range[1], array.range[1]);
  const firstOf = array.elements[0]!;
  const own = text.slice(array.range[0], last.range[0]).includes('\n') && text.slice(lineStart(text, last.range[0]), last.range[0]).trim() === '';
  if (!own && !(array.elements.length === 1 && isTableNode(firstOf))) {
    const at = comma === null ? last.range[1] : comma + 1;
    return [{ from: at, to: at, insert: comma === null ? items.map((item) => `, ${item}`).join('') : items.map((item) => ` ${item},`).join('') }];
  }
  const indent = own ? indentOf(text, last.range[0]) : `${indentOf(text, array.range[0])}  `;
  const splices: Splice[] = [];
  if (comma === null) splices.push({ from: last.range[1], to: last.range[1], insert: ',' });
  const behind = comma === null ? last.range[1] : comma + 1;
  const end = lineEnd(text, behind);
  const closes = end >= array.range[1];
  const at = closes ? behind : end;
  const trail = comma === null && closes ? '' : ',';
  const put = items.map((item, index) => `${eol}${indent}${item}${index < items.length - 1 ? ',' : comma === null ? '' : trail}`).join('');
  splices.push({ from: at, to: at, insert: put });
  return splices;
}

const isTableNode = (node: AST.TOMLContentNode) => node.type === 'TOMLInlineTable';

/** `[path]` or `[[path]]` with its keys, no line break at the end. */
function block(doc: Doc, path: Path, value: Toml, many: boolean): string {
  const eol = newline(doc.text);
  const name = path.filter((step) => typeof step === 'string').map((step) => formatKey(step as string)).join('.');
  const lines = [many ? `[[${name}]]` : `[${name}]`];
  const later: string[] = [];
  for (const [key, inner] of Object.entries(isTable(value) ? value : {})) {
    if (!many && Array.isArray(inner) && inner.length > 0 && inner.every(isTable)) later.push(...inner.map((one) => block(doc, [...path, key], one, true)));
    else lines.push(`${formatKey(key)} = ${format(inner)}`);
  }
  return [lines.join(eol), ...later].join(eol);
}

/** New blocks at the end of the file, or before the first header whose key begins with `before`. */
function newBlocks(doc: Doc, blocks: string[], before?: string): Splice {
  const { text } = doc;
  const eol = newline(text);
  const headers = doc.program.body[0].body.filter((part) => part.type === 'TOMLTable') as AST.TOMLTable[];
  const next = before === undefined ? undefined : headers.find((header) => header.resolvedKey[0] === before);
  if (next) {
    const at = attached(doc, next);
    return { from: at, to: at, insert: blocks.map((one) => `${one}${eol}`).join('') };
  }
  const lead = text === '' ? '' : text.endsWith('\n') ? '' : eol;
  return { from: text.length, to: text.length, insert: `${lead}${blocks.map((one) => `${one}${eol}`).join('')}` };
}

function appendBlocks(doc: Doc, list: Node, path: Path, values: Toml[]): Splice {
  const { text } = doc;
  const eol = newline(text);
  const blocks = values.map((value) => block(doc, path, value, true));
  let end = 0;
  const walk = (node: Node) => {
    for (const header of node.headers) end = Math.max(end, header.body[header.body.length - 1]?.range[1] ?? header.range[1]);
    for (const inner of [...node.entries.values(), ...node.items]) walk(inner);
  };
  list.items.forEach(walk);
  const first = list.items[0]?.headers[0];
  const spaced = first ? /\n[ \t]*\r?\n[ \t]*(#[^\n]*\n[ \t]*)*$/.test(text.slice(0, first.range[0])) : false;
  return after(text, end, blocks.map((one) => `${eol}${spaced ? eol : ''}${one}`).join(''));
}

function cuts(doc: Doc, node: Node): Splice[] {
  const { text } = doc;
  const splices: Splice[] = [];
  const inInlineTable = node.pair?.parent.type === 'TOMLInlineTable' ? node.pair.parent : null;
  if (node.pair && inInlineTable) {
    const at = inInlineTable.body.indexOf(node.pair);
    return cutElements(doc, inInlineTable.range, inInlineTable.body.map((one) => one.range), new Set([at]), false);
  }
  const lines = (pair: AST.TOMLKeyValue) => splices.push({ from: lineStart(text, pair.range[0]), to: nextLine(text, pair.range[1]), insert: '' });
  if (node.pair) lines(node.pair);
  const byTable = new Map<AST.TOMLInlineTable, Set<number>>();
  for (const { pair } of node.passing) {
    if (pair.parent.type === 'TOMLInlineTable') byTable.set(pair.parent, (byTable.get(pair.parent) ?? new Set()).add(pair.parent.body.indexOf(pair)));
    else lines(pair);
  }
  for (const [inline, numbers] of byTable) splices.push(...cutElements(doc, inline.range, inline.body.map((one) => one.range), numbers, false));
  const headers: AST.TOMLTable[] = [];
  const walk = (at: Node) => {
    headers.push(...at.headers);
    for (const inner of [...at.entries.values(), ...at.items]) walk(inner);
  };
  walk(node);
  for (const header of headers) {
    const last = header.body[header.body.length - 1];
    let to = nextLine(text, last?.range[1] ?? header.range[1]);
    while (to < text.length && /^[ \t]*\r?$/.test(text.slice(to, text.indexOf('\n', to) < 0 ? text.length : text.indexOf('\n', to)))) to = nextLine(text, to);
    splices.push({ from: lineStart(text, header.range[0]), to, insert: '' });
  }
  return splices;
}

/** Takes elements out of `[..]` or `{..}`; an element with a line of its own goes with the line. */
function cutElements(doc: Doc, outer: [number, number], ranges: [number, number][], numbers: Set<number>, trailing: boolean): Splice[] {
  const { text } = doc;
  const left = ranges.filter((_, index) => !numbers.has(index));
  const body = text.slice(outer[0] + 1, outer[1] - 1);
  if (left.length === 0 && !body.includes('\n') && !body.includes('#')) return [{ from: outer[0] + 1, to: outer[1] - 1, insert: '' }];
  const splices: Splice[] = [];
  const lastLeft = ranges.findLastIndex((_, index) => !numbers.has(index));
  for (const index of numbers) {
    const [from, to] = ranges[index]!;
    const comma = commaAfter(doc, to, outer[1]);
    const end = comma === null ? to : comma + 1;
    const head = lineStart(text, from);
    const rest = text.slice(end, lineEnd(text, end));
    const alone = text.slice(head, from).trim() === '' && /^\s*(#.*)?$/.test(rest) && head > outer[0];
    if (alone) {
      splices.push({ from: head, to: nextLine(text, end), insert: '' });
    } else if (index > lastLeft) {
      // From the comma before it on, which separates nothing any more.
      const before = index > 0 ? ranges[index - 1]![1] : from;
      splices.push({ from: lastLeft >= 0 ? before : from, to: comma !== null && lastLeft < 0 ? end : to, insert: '' });
    } else {
      const next = ranges[index + 1]?.[0] ?? end;
      const gap = text.slice(end, next);
      splices.push({ from, to: gap.includes('\n') || gap.includes('#') ? end : next, insert: '' });
    }
  }
  // `{ a = 1, }` is not in every version of the language.
  if (!trailing && lastLeft >= 0 && lastLeft < ranges.length - 1) {
    const kept = ranges[lastLeft]![1];
    const comma = commaAfter(doc, kept, outer[1]);
    const had = commaAfter(doc, ranges[ranges.length - 1]![1], outer[1]) !== null;
    const cutAlready = splices.some((one) => comma !== null && one.from <= comma && comma < one.to);
    if (comma !== null && !had && !cutAlready) splices.push({ from: comma, to: comma + 1, insert: '' });
  }
  return splices;
}
