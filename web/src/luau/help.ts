/** Completion and hover help for application scripts. */
import { snippetCompletion, type Completion, type CompletionContext, type CompletionResult, type CompletionSource } from '@codemirror/autocomplete';
import type { Extension } from '@codemirror/state';
import { hoverTooltip, keymap, showTooltip, EditorView, type Tooltip } from '@codemirror/view';
import { StateEffect, StateField } from '@codemirror/state';
import { basics, byName, calls, groups, keywords, library, methods, type Call } from './calls';

function info(call: Pick<Call, 'name' | 'signature' | 'help'> & Partial<Call>): () => HTMLElement {
  return () => {
    const box = document.createElement('div');
    box.className = 'cm-luau-help';
    const signature = document.createElement('code');
    signature.textContent = call.signature;
    const text = document.createElement('p');
    text.textContent = call.help;
    box.append(signature, text);
    if (call.args?.length) {
      const list = document.createElement('dl');
      for (const one of call.args) {
        const name = document.createElement('dt');
        name.textContent = one.name;
        const what = document.createElement('dd');
        what.textContent = one.help;
        list.append(name, what);
      }
      box.append(list);
    }
    return box;
  };
}

const all: Completion[] = [
  ...calls.map((call) => snippetCompletion(call.snippet, {
    label: call.name, type: 'function', detail: groups[call.group], info: info(call), boost: call.group === 'paper' ? -50 : 10,
  })),
  ...keywords.map((label) => ({ label, type: 'keyword', boost: -10 })),
  ...basics.map((label) => ({ label, type: 'function', detail: 'Luau', boost: -20 })),
  ...Object.keys(library).map((label) => ({ label, type: 'namespace', detail: 'Luau', boost: -20 })),
];

/** The call whose table or brackets are open at the end of `before`, and whether a text is open there. */
export function enclosing(before: string): { call: string | null; text: boolean } {
  const open: { name: string; bracket: string }[] = [];
  let quote = '';
  let word = '';
  let last = '';
  for (let at = 0; at < before.length; at += 1) {
    const c = before[at]!;
    if (quote) {
      if (c === '\\') at += 1;
      else if (c === quote || c === '\n') quote = '';
      continue;
    }
    if (c === '-' && before[at + 1] === '-') {
      const end = before.indexOf('\n', at);
      if (end < 0) return { call: null, text: true };
      at = end;
      continue;
    }
    if (c === '"' || c === "'" || c === '`') {
      quote = c;
      last = '';
      word = '';
    } else if (/\w/.test(c)) {
      word += c;
      continue;
    } else if (c === '{' || c === '(') {
      open.push({ name: word || last, bracket: c });
      last = '';
    } else if (c === '}' || c === ')') {
      open.pop();
      last = '';
    } else if (/\s/.test(c) || c === '=') {
      // `work = {` opens the table of `work`.
      if (word) last = word;
    } else {
      last = '';
    }
    word = '';
  }
  return { call: open.at(-1)?.name || null, text: quote !== '' };
}

const RECENT = 20_000;

export const complete: CompletionSource = (context: CompletionContext): CompletionResult | null => {
  const doc = context.state.doc;
  const before = doc.sliceString(Math.max(0, context.pos - RECENT), context.pos);
  const { call, text } = enclosing(before);

  if (text) {
    // Inside a text: names of labels where one is meant.
    const here = context.matchBefore(/\b(?:to|from|label|proc|count)\s*(?:=\s*\{?|\()\s*"[^"\n]*|"[^"\n]*/);
    if (!here || !/(to|from|label|proc|count)\b/.test(here.text)) return null;
    const names = [...doc.toString().matchAll(/\blabel\s*\{\s*"([^"\n]+)"/g)].map((match) => match[1]!);
    const options = [...new Set(names)].map((label) => ({ label, type: 'text', detail: 'label' }));
    if (/from\s*=\s*"/.test(here.text)) options.push({ label: 'any', type: 'text', detail: 'any sender' });
    return { from: here.from + here.text.lastIndexOf('"') + 1, options, validFor: /^[^"\n]*$/ };
  }

  const member = context.matchBefore(/([A-Za-z_]\w*)([.:])\w*/);
  if (member) {
    const [, owner, sign] = /^([A-Za-z_]\w*)([.:])/.exec(member.text)!;
    const from = member.from + owner!.length + 1;
    if (sign === '.' && library[owner!]) return { from, options: library[owner!]!.map((label) => ({ label, type: 'function', detail: owner })), validFor: /^\w*$/ };
    if (sign === ':') return { from, options: methods.map((one) => ({ label: one.name, type: 'method', detail: 'grid', info: info(one) })), validFor: /^\w*$/ };
    return null;
  }

  const word = context.matchBefore(/[A-Za-z_]\w*/);
  if (!word && !context.explicit) return null;
  const from = word?.from ?? context.pos;
  const options: Completion[] = [];
  const inside = call ? byName.get(call === 'work' || call === 'master_work' ? 'compute' : call) : undefined;
  if (inside?.args.length && /[{,]\s*\w*$/.test(before)) {
    options.push(...inside.args.map((one) => ({ label: one.name, apply: `${one.name} = `, type: 'property', detail: inside.name, info: one.help, boost: 99 })));
  }
  const own = new Set<string>();
  for (const [, name] of doc.toString().matchAll(/\b(?:local\s+(?:function\s+)?|function\s+)([A-Za-z_]\w*(?:\s*,\s*[A-Za-z_]\w*)*)/g)) {
    for (const one of name!.split(',')) own.add(one.trim());
  }
  options.push(...[...own].filter((label) => !byName.has(label)).map((label) => ({ label, type: 'variable' })), ...all);
  return { from, options, validFor: /^\w*$/ };
};

/** The help of the call at a place; null when there is none. */
function helpAt(view: EditorView, pos: number): Tooltip | null {
  const line = view.state.doc.lineAt(pos);
  for (const match of line.text.matchAll(/([:.]?)\b([A-Za-z_]\w*)/g)) {
    const start = line.from + match.index + match[1]!.length;
    const end = start + match[2]!.length;
    if (pos < start || pos > end) continue;
    if (line.text.lastIndexOf('--', match.index) >= 0) return null;
    const known = match[1] === ':' ? methods.find((one) => one.name === match[2]) : match[1] === '' ? byName.get(match[2]!) : undefined;
    return known ? { pos: start, end, above: true, create: () => ({ dom: info(known)() }) } : null;
  }
  return null;
}

const show = StateEffect.define<Tooltip | null>();
/** Help asked for by the keyboard, until the cursor moves. */
const asked = StateField.define<Tooltip | null>({
  create: () => null,
  update(tip, change) {
    for (const effect of change.effects) if (effect.is(show)) return effect.value;
    return change.docChanged || change.selection ? null : tip;
  },
  provide: (field) => showTooltip.from(field),
});

export const help: Extension = [
  hoverTooltip((view, pos) => helpAt(view, pos), { hoverTime: 250 }),
  asked,
  keymap.of([
    { key: 'F1', preventDefault: true, run: (view) => (view.dispatch({ effects: show.of(helpAt(view, view.state.selection.main.head)) }), true) },
    { key: 'Escape', run: (view) => view.state.field(asked) !== null && (view.dispatch({ effects: show.of(null) }), true) },
  ]),
  EditorView.theme({
    '.cm-luau-help': { padding: '8px 12px', fontFamily: 'var(--sans)', fontSize: '13px', lineHeight: '1.4', maxWidth: '460px' },
    '.cm-luau-help code': { fontFamily: 'var(--mono)', fontSize: '12px', color: 'var(--accent)', whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' },
    '.cm-luau-help p': { margin: '4px 0' },
    '.cm-luau-help dl': { display: 'grid', gridTemplateColumns: 'auto 1fr', gap: '2px 10px', margin: '6px 0 0' },
    '.cm-luau-help dt': { fontFamily: 'var(--mono)', fontSize: '12px' },
    '.cm-luau-help dd': { margin: '0', color: 'var(--text-2)' },
    '.cm-completionInfo': { padding: '0' },
  }),
];
