/** Languages of the editor by name; an unknown one is plain text. */
import { StreamLanguage } from '@codemirror/language';
import { json } from '@codemirror/legacy-modes/mode/javascript';
import { lua } from '@codemirror/legacy-modes/mode/lua';
import { toml } from '@codemirror/legacy-modes/mode/toml';
import type { Extension } from '@codemirror/state';
import type { LanguageName } from './which';

const known: Record<LanguageName, () => Extension> = {
  toml: () => StreamLanguage.define({ ...toml, languageData: { commentTokens: { line: '#' } } }),
  luau: () => StreamLanguage.define({ ...lua, languageData: { commentTokens: { line: '--' } } }),
  json: () => StreamLanguage.define(json),
  plain: () => [],
};

export function languageOf(name: LanguageName): Extension {
  return known[name]();
}
