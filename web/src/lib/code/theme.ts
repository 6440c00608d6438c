/** Colors of the editor, all from our tokens, so that it follows the theme by itself. */
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorView } from '@codemirror/view';
import { tags as t } from '@lezer/highlight';

const view = EditorView.theme({
  '&': { color: 'var(--text)', backgroundColor: 'var(--surface)', height: '100%', fontSize: '13px' },
  '&.cm-focused': { outline: '2px solid var(--focus)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--text)', padding: '8px 0' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'var(--surface)', color: 'var(--text-3)', border: 'none', borderRight: '1px solid var(--line)' },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--surface-2) 60%, transparent)' },
  '.cm-activeLineGutter': { backgroundColor: 'var(--surface-2)', color: 'var(--text)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'light-dark(#b9e2ec, #1d5564)',
  },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--accent-soft)', outline: '1px solid var(--accent)' },
  '.cm-searchMatch': { backgroundColor: 'var(--warn-soft)', outline: '1px solid var(--warn)' },
  '.cm-panels': { backgroundColor: 'var(--surface-2)', color: 'var(--text)', borderColor: 'var(--line)' },
  '.cm-panels input, .cm-panels button': {
    font: 'inherit', backgroundColor: 'var(--surface)', backgroundImage: 'none', color: 'var(--text)',
    border: '1px solid var(--line-strong)', borderRadius: '4px',
  },
  '.cm-tooltip': {
    backgroundColor: 'var(--surface)', color: 'var(--text)', border: '1px solid var(--line)', borderRadius: '6px',
    boxShadow: 'var(--shadow-l)', maxWidth: 'min(480px, 90vw)',
  },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': { backgroundColor: 'var(--accent)', color: 'var(--on-accent)' },
  '.cm-diagnostic': { fontFamily: 'var(--sans)', padding: '6px 10px' },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--error)' },
  '.cm-diagnostic-warning': { borderLeftColor: 'var(--warn)' },
  '.cm-lintRange-error': { backgroundImage: 'none', textDecoration: 'underline wavy var(--error)' },
  '.cm-lintRange-warning': { backgroundImage: 'none', textDecoration: 'underline dashed var(--warn)' },
  '.cm-deletedChunk': { backgroundColor: 'var(--error-soft) !important' },
  '.cm-deletedText, .cm-deletedChunk .cm-deletedText': {
    background: 'transparent !important', color: 'inherit !important', textDecoration: 'underline 2px var(--error)',
  },
  '.cm-deletedChunk *, .cm-changedLine *': { color: 'var(--text) !important' },
  '.cm-chunkButtons button': { color: 'var(--text) !important', backgroundColor: 'var(--surface-3) !important', border: '1px solid var(--line-strong) !important' },
  '.cm-collapsedLines': { color: 'var(--text-2) !important', background: 'var(--surface-2) !important' },
  '.cm-changedLine': { backgroundColor: 'var(--warn-soft) !important' },
});

const highlight = HighlightStyle.define([
  { tag: [t.keyword, t.controlKeyword, t.operatorKeyword], color: 'var(--series-3)' },
  { tag: [t.string, t.special(t.string)], color: 'var(--series-4)' },
  { tag: [t.number, t.bool, t.null, t.atom], color: 'var(--series-2)' },
  { tag: [t.comment, t.lineComment, t.blockComment], color: 'var(--text-3)', fontStyle: 'italic' },
  { tag: [t.propertyName, t.attributeName, t.definition(t.variableName)], color: 'var(--series-8)' },
  { tag: [t.standard(t.variableName), t.function(t.variableName), t.typeName], color: 'var(--series-1)' },
  { tag: t.invalid, color: 'var(--error)' },
]);

export const editorTheme = [view, syntaxHighlighting(highlight)];
