/** Which language a file is in; apart from the languages themselves, which are loaded with the editor. */
export type LanguageName = 'toml' | 'luau' | 'json' | 'plain';

export function languageFor(path: string): LanguageName {
  if (path.endsWith('.toml')) return 'toml';
  if (path.endsWith('.luau') || path.endsWith('.lua')) return 'luau';
  if (path.endsWith('.json')) return 'json';
  return 'plain';
}
