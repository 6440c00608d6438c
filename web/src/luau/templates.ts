/** Where the files of a template go. */
export interface TemplateFile { path: string; content: string }

/** The files below `folder`; a folder that all of them share already is taken off first. */
export function inFolder(given: TemplateFile[], folder: string): TemplateFile[] {
  const first = given[0]?.path.split('/')[0] ?? '';
  const shared = given.length > 0 && given.every((file) => file.path.startsWith(`${first}/`));
  return given.map((file) => ({ path: `${folder}/${shared ? file.path.slice(first.length + 1) : file.path}`, content: file.content }));
}

/** `heat`, or `heat-2`, .. when there is such a folder (without regard to case, as paths are compared). */
export function folderOf(name: string, taken: string[]): string {
  const folders = new Set(taken.map((path) => path.split('/')[0]!.toLowerCase()));
  let folder = name;
  for (let number = 2; folders.has(folder.toLowerCase()); number += 1) folder = `${name}-${number}`;
  return folder;
}
