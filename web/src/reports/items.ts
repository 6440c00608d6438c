/** The parts of a report file, and their order. */
import { insert, plain, read, removeAll, set, type Toml } from '../toml';

export interface Item { path?: string; text?: string; kind?: string; source?: string; caption?: string; digest?: string; live?: boolean }

export function titleOf(text: string): string {
  const { doc } = read(text);
  const title = doc ? (plain(doc.root) as Record<string, unknown>).title : '';
  return typeof title === 'string' ? title : '';
}

/** Null where the file does not parse. */
export function itemsOf(text: string): Item[] | null {
  const { doc } = read(text);
  if (!doc) return null;
  const items = (plain(doc.root) as Record<string, unknown>).item;
  return Array.isArray(items) ? items.filter((one): one is Item => typeof one === 'object' && one !== null && !Array.isArray(one)) : [];
}

export const setText = (text: string, index: number, value: string) => set(text, ['item', index, 'text'], value);
export const add = (text: string, item: Item) => insert(text, ['item'], [item as Record<string, Toml>], { blocks: true });
export const drop = (text: string, index: number) => removeAll(text, [['item', index]]);

/** Moves a part; the parts are written anew in their order. */
export function move(text: string, from: number, to: number): string {
  const items = itemsOf(text);
  if (!items || to < 0 || to >= items.length || from === to) return text;
  const order = [...items];
  order.splice(to, 0, ...order.splice(from, 1));
  return order.reduce(add, removeAll(text, items.map((_, index) => ['item', index])));
}

/** How a file of the project is named from the folder of another one. */
export function relative(from: string, to: string): string {
  const here = from.split('/').slice(0, -1);
  const there = to.split('/');
  while (here.length && there.length > 1 && here[0] === there[0]) {
    here.shift();
    there.shift();
  }
  return [...here.map(() => '..'), ...there].join('/');
}

/** The other way: a path of the project. */
export function absolute(from: string, path: string): string {
  const parts = from.split('/').slice(0, -1);
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.') parts.push(part);
  }
  return parts.join('/');
}

/**
 * The page as a frame may show it: nothing runs there, and its style carries the word by which this page's policy knows
 * its own styles.
 */
export function preview(html: string, nonce: string): string {
  // Before it is parsed: a style without the word would be reported at once.
  const known = html.replace(/<style(?=[\s>])/gi, `<style nonce="${nonce}"`);
  const page = new DOMParser().parseFromString(known, 'text/html');
  for (const one of page.querySelectorAll('script, iframe, object, embed, base, link, meta[http-equiv]')) one.remove();
  return `<!doctype html>${page.documentElement.outerHTML}`;
}
