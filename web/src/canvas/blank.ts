/** A system to begin with. */

/** Text of a new system. */
export const blank = (name: string) =>
  `format = "runcast-system/1"\nname = ${JSON.stringify(name)}\ncomponent = [\n  { id = "${idLike(name)}", kind = "group" },\n]\n`;

export function idLike(name: string): string {
  const id = name.replace(/[^\p{L}\p{N}_.-]+/gu, '-').replace(/^[.-]+/, '').slice(0, 100);
  return id || 'part';
}
