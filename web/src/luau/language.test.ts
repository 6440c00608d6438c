import { EditorState } from '@codemirror/state';
import { ensureSyntaxTree, getIndentation } from '@codemirror/language';
import { highlightTree, tagHighlighter, tags } from '@lezer/highlight';
import { expect, it } from 'vitest';
import { luau } from './language';

const style = tagHighlighter([
  { tag: tags.propertyName, class: 'key' }, { tag: tags.keyword, class: 'keyword' }, { tag: tags.comment, class: 'comment' }, { tag: tags.string, class: 'string' },
  { tag: tags.function(tags.variableName), class: 'call' }, { tag: tags.number, class: 'number' },
]);

function marked(doc: string): string[] {
  const state = EditorState.create({ doc, extensions: [luau] });
  const found: string[] = [];
  highlightTree(ensureSyntaxTree(state, doc.length, 5000)!, style, (from, to, name) => found.push(`${name} ${doc.slice(from, to)}`));
  return found;
}

it('tells keys, calls, texts and comments apart', () => {
  expect(marked('send{ to = 1, size = "2MB" } -- out')).toEqual(['call send', 'key to', 'number 1', 'key size', 'string "2MB"', 'comment -- out']);
  expect(marked('--[[ long\n send ]] x = 1')).toEqual(['comment --[[ long', 'comment  send ]]', 'number 1']);
});

it('knows that a statement in a function within a table is no key', () => {
  const found = marked('label{ "a", run = function(rank)\n  local low = if rank == 0 then 1 else 2\n  s = 1\nend,\n  count = 2 }');
  expect(found).toContain('key run');
  expect(found).toContain('key count');
  expect(found).not.toContain('key s');
});

it('indents blocks', () => {
  const doc = 'label{ "a", run = function()\n  if a then\n    b()\n  elseif c then\n    d()\n  end\n  x()\nend }\n';
  const state = EditorState.create({ doc, extensions: [luau] });
  ensureSyntaxTree(state, doc.length, 5000);
  const lines = doc.trimEnd().split('\n');
  expect(lines.map((_, index) => getIndentation(state, state.doc.line(index + 1).from))).toEqual(lines.map((line) => /^ */.exec(line)![0].length));
});
