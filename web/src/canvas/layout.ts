/**
 * Where parts stand on the canvas. A part that was moved has a place in the view file; all others are packed into rows,
 * networks first. A group is as large as what stands in it.
 */
import { isAggregator, type Component, type Part, type System } from './model';

export interface Looks {
  /** By container and part: `galera/node`. */
  positions: Record<string, [number, number]>;
  /** Opened or closed by hand; others by `opensByItself`. */
  open: Record<string, boolean>;
  /** Models that were copied from a file of formulas. */
  formulas: Record<string, { path: string; digest: string }>;
}

export const noLooks = (): Looks => ({ positions: {}, open: {}, formulas: {} });

export interface Placed {
  part: Part;
  /** Key of the part around it; null at the top. */
  inside: string | null;
  x: number;
  y: number;
  width: number;
  height: number;
  open: boolean;
  /** Number of parts directly in it. */
  holds: number;
}

export const LEAF = { width: 176, height: 60 };
export const NETWORK = { width: 176, height: 40 };
export const HEAD = 40;
const PAD = 16;
const GAP = 18;
/** Systems with more parts begin with their groups closed. */
export const MANY = 150;

export const placeOf = (inside: string | null, key: string) => `${inside ?? ''}/${key}`;

function opensByItself(system: System, one: Component): boolean {
  return system.components.length <= MANY || one.depth === 0 && (system.children.get(one.id)?.length ?? 0) <= MANY;
}

export function isOpen(system: System, looks: Looks, one: Component): boolean {
  if (!isAggregator(one.kind)) return false;
  const inner = (system.children.get(one.id)?.length ?? 0) + (system.networksOf.get(one.id)?.length ?? 0);
  return inner > 0 && (looks.open[one.id] ?? opensByItself(system, one));
}

interface Box {
  part: Part;
  width: number;
  height: number;
  open: boolean;
  holds: number;
  inner: Box[];
  x: number;
  y: number;
}

/** All parts in sight, what is around before what is inside. */
export function layout(system: System, looks: Looks): Placed[] {
  const box = (part: Part, depth: number): Box => {
    if (part.what === 'network') return { part, ...NETWORK, open: false, holds: 0, inner: [], x: 0, y: 0 };
    const first = system.byId.get(part.id) === part;
    const children = first ? (system.children.get(part.id) ?? []) : [];
    const networks = first ? (system.networksOf.get(part.id) ?? []) : [];
    const holds = children.length + networks.length;
    const open = first && depth < 64 && isOpen(system, looks, part);
    if (!open) return { part, ...LEAF, open: false, holds, inner: [], x: 0, y: 0 };
    const inner = [...networks, ...children].map((one) => box(one, depth + 1));
    const size = pack(inner, part.key, looks, HEAD);
    return { part, width: Math.max(LEAF.width + 2 * PAD, size.width), height: size.height, open, holds, inner, x: 0, y: 0 };
  };
  const known = new Set(system.components.map((one) => one.id));
  const top = [...(system.children.get(null) ?? []), ...system.networks.filter((one) => !known.has(one.of))].map((part) => box(part, 0));
  pack(top, null, looks, 0);
  const placed: Placed[] = [];
  const put = (boxes: Box[], inside: string | null) => {
    for (const { part, x, y, width, height, open, holds, inner } of boxes) {
      placed.push({ part, inside, x, y, width, height, open, holds });
      put(inner, part.key);
    }
  };
  put(top, null);
  return placed;
}

/** Gives every box its place in a container and answers the size of the container. */
function pack(boxes: Box[], inside: string | null, looks: Looks, head: number): { width: number; height: number } {
  const left: Box[] = [];
  let right = 0;
  let bottom = head;
  for (const one of boxes) {
    const at = looks.positions[placeOf(inside, one.part.key)];
    if (!Array.isArray(at) || !at.every(Number.isFinite)) {
      left.push(one);
      continue;
    }
    [one.x, one.y] = at;
    right = Math.max(right, one.x + one.width);
    bottom = Math.max(bottom, one.y + one.height);
  }
  const area = left.reduce((sum, one) => sum + (one.width + GAP) * (one.height + GAP), 0);
  const widest = left.reduce((most, one) => Math.max(most, one.width), 0);
  const limit = Math.max(widest, Math.sqrt(area * 3), 2 * LEAF.width + GAP);
  let y = bottom + (left.length < boxes.length ? GAP : PAD);
  for (const row of [left.filter((one) => one.part.what === 'network'), left.filter((one) => one.part.what === 'component')]) {
    let x = PAD;
    let height = 0;
    for (const one of row) {
      if (x > PAD && x + one.width > limit + PAD) {
        y += height + GAP;
        x = PAD;
        height = 0;
      }
      [one.x, one.y] = [x, y];
      x += one.width + GAP;
      height = Math.max(height, one.height);
      right = Math.max(right, one.x + one.width);
      bottom = Math.max(bottom, one.y + one.height);
    }
    if (row.length) y += height + GAP * 1.6;
  }
  return { width: right + PAD, height: bottom + PAD };
}

/** Keeps parts inside the frame of what is around them. */
export const clamp = (x: number, y: number, inside: string | null): [number, number] =>
  inside === null ? [Math.round(x), Math.round(y)] : [Math.max(8, Math.round(x)), Math.max(HEAD, Math.round(y))];
