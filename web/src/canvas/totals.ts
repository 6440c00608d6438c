/** What a system has in all, as `sim system show` counts it. */
import { attributesOf, computes, type Catalogue, type Component, type System } from './model';
import { parseQuantity } from '../formulas/units';
import type { Plain } from '../toml';

export interface Totals {
  machines: number;
  cores: number;
  accelerators: number;
  flopsDouble: number;
  flopsSingle: number;
  memory: number | null;
  /** Null where a computing device has no figure of power. */
  powerIdle: number | null;
  powerLoad: number | null;
  price: number | null;
}

type Numbers = (key: string) => number | null;

/** Numbers of parts, each catalogue entry looked at once. */
function reader(catalogue: Catalogue): (one: Component) => Numbers {
  const entries = new Map<string, Map<string, { value: unknown }>>();
  return (one) => (key) => {
    const own = one.set[key];
    if (own !== undefined) return number(own);
    if (one.hardware === null) return null;
    let entry = entries.get(one.hardware);
    if (!entry) entries.set(one.hardware, (entry = attributesOf(catalogue.get(one.hardware))));
    const value = entry.get(key)?.value;
    return typeof value === 'number' ? value : null;
  };
}

function number(value: Plain): number | null {
  if (typeof value === 'number') return value;
  if (typeof value === 'string') return parseQuantity(value)?.value ?? null;
  return typeof value === 'object' && !Array.isArray(value) && value.value !== undefined ? number(value.value) : null;
}

const hasCores = (one: Component) => one.kind === 'cpu' || one.kind === 'volunteer';

function curve(one: Component): [number, number][] | null {
  const points = one.set.power_threads;
  return Array.isArray(points) && points.length > 0 ? (points as [number, number][]) : null;
}

function power(one: Component, get: Numbers, loaded: boolean): number | null {
  const points = curve(one);
  if (points) {
    const point = loaded ? points[points.length - 1]! : points[0]!;
    return Array.isArray(point) ? number(point[1]) : null;
  }
  const idle = get('power_idle');
  const load = get('power_load');
  if (loaded && load !== null) return load;
  if (!loaded && idle === null && load !== null) return 0.4 * load;
  if (!computes(one.kind)) return idle;
  return !loaded && idle !== null && load !== null ? idle : null;
}

export function totals(system: System, catalogue: Catalogue): Totals {
  const of = reader(catalogue);
  const sum = (value: (one: Component, get: Numbers) => number | null): number | null => {
    let all: number | null = null;
    for (const one of system.components) {
      const part = value(one, of(one));
      if (part !== null) all = (all ?? 0) + part * one.total;
    }
    return all;
  };
  const knowsPower = system.components.every((one) => {
    if (!computes(one.kind)) return true;
    const machine = one.parent === null ? undefined : system.byId.get(one.parent);
    return power(one, of(one), false) !== null || (machine !== undefined && curve(machine) !== null);
  });
  return {
    machines: system.components.reduce((all, one) => all + (one.kind === 'machine' || one.kind === 'volunteer' ? one.total : 0), 0),
    cores: sum((one, get) => (hasCores(one) ? get('cores') : null)) ?? 0,
    accelerators: system.components.reduce((all, one) => all + (one.kind === 'gpu' || one.kind === 'accelerator' ? one.total : 0), 0),
    flopsDouble: sum((one, get) => (computes(one.kind) ? get('flops_double') : null)) ?? 0,
    flopsSingle: sum((one, get) => (computes(one.kind) ? get('flops_single') : null)) ?? 0,
    memory: sum((one, get) => (!computes(one.kind) || hasCores(one) ? get('memory') : null)),
    powerIdle: knowsPower ? sum((one, get) => power(one, get, false)) : null,
    powerLoad: knowsPower ? sum((one, get) => power(one, get, true)) : null,
    price: sum((_, get) => get('price')),
  };
}
