/** Luau for the editor: tokens, with the calls of an application script apart from the rest. */
import { StreamLanguage, type StreamParser } from '@codemirror/language';
import { basics, byName, keywords, library } from './calls';

interface State {
  /** Inside a long text or comment: its closing bracket, such as `]==]`. */
  until: string;
  comment: boolean;
  /** What is open: `{` and `(`, `b` for a block until its end, `?` for an if within an expression. */
  open: string;
}

const KEYWORDS = new Set(keywords);
const ATOMS = new Set(['true', 'false', 'nil']);
const BASICS = new Set([...basics, ...Object.keys(library)]);
const OPENS = /^(function|do|then|repeat)$/;
const CLOSES = /^(end|until)$/;

const parser: StreamParser<State> = {
  name: 'luau',
  startState: () => ({ until: '', comment: false, open: '' }),
  copyState: (state) => ({ ...state }),

  token(stream, state) {
    if (state.until) {
      const name = state.comment ? 'comment' : 'string';
      if (stream.skipTo(state.until)) {
        stream.match(state.until);
        state.until = '';
      } else {
        stream.skipToEnd();
      }
      return name;
    }
    if (stream.eatSpace()) return null;
    const comment = stream.match('--') as boolean;
    const long = stream.match(/^\[(=*)\[/) as RegExpMatchArray | null;
    if (long) {
      state.until = `]${long[1]}]`;
      state.comment = comment;
      return comment ? 'comment' : 'string';
    }
    if (comment) {
      stream.skipToEnd();
      return 'comment';
    }
    if (stream.match(/^0[xX][0-9a-fA-F_]+|^0[bB][01_]+|^(\d[\d_]*\.?[\d_]*|\.\d[\d_]*)([eE][+-]?\d+)?/)) return 'number';
    const quote = stream.peek();
    if (quote === '"' || quote === "'" || quote === '`') {
      stream.next();
      let escaped = false;
      for (let next = stream.next(); next; next = stream.next()) {
        if (next === quote && !escaped) break;
        escaped = !escaped && next === '\\';
      }
      return 'string';
    }
    const word = stream.match(/^[A-Za-z_]\w*/) as RegExpMatchArray | null;
    if (word) {
      const name = word[0];
      const before = stream.string.slice(0, stream.start).trimEnd();
      if (name === 'if' && /([=(,{+\-*/<>]|\b(return|and|or|not))$/.test(before)) state.open += '?';
      else if (name === 'then' && state.open.endsWith('?')) state.open = state.open.slice(0, -1);
      else if (OPENS.test(name)) state.open += 'b';
      else if (CLOSES.test(name) || name === 'elseif') state.open = state.open.replace(/b[^b]*$/, '');
      if (ATOMS.has(name)) return 'atom';
      if (KEYWORDS.has(name)) return 'keyword';
      if (/[.:]$/.test(before)) return null;
      // What stands before `=` in a table is a key.
      if (state.open.endsWith('{') && stream.match(/^\s*=(?!=)/, false)) return 'propertyName';
      if (byName.has(name) && stream.match(/^\s*[({"]/, false)) return 'variableName.function';
      return BASICS.has(name) ? 'variableName.standard' : 'variableName';
    }
    if (quote === '{' || quote === '(') state.open += quote;
    else if (quote === '}' || quote === ')') {
      const at = state.open.lastIndexOf(quote === '}' ? '{' : '(');
      if (at >= 0) state.open = state.open.slice(0, at);
    }
    stream.next();
    return 'operator';
  },

  indent(state, after, context) {
    const closes = /^\s*(end\b|until\b|else\b|elseif\b|[})])/.test(after);
    // Two that open on one line, such as `label{ .. function()`, are closed on one line and indent once.
    const steps = state.open.replaceAll('?', '').replace(/[{(]+b/g, 'b').length;
    return Math.max(0, steps - (closes ? 1 : 0)) * context.unit;
  },

  languageData: {
    commentTokens: { line: '--', block: { open: '--[[', close: ']]' } },
    indentOnInput: /^\s*(?:end|until|else|elseif|[})])$/,
    closeBrackets: { brackets: ['(', '[', '{', '"', "'"] },
  },
};

export const luau = StreamLanguage.define(parser);
