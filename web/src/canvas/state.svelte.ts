/** What the parts of the system editor share: the system, what is selected, and everything that can be done to it. */
import { catalogue as fetchCatalogue, type CatalogueEntry, type Problem } from '$lib/api';
import type { OpenFile } from '$lib/file.svelte';
import { session } from '$lib/session.svelte';
import { toast } from '$lib/toast.svelte';
import { View } from '$lib/view.svelte';
import type { Toml, TomlError } from '../toml';
import * as edits from './edits';
import { clamp, layout, noLooks, placeOf, type Looks, type Placed } from './layout';
import { HARDWARE, isAggregator, readSystem, type Catalogue, type Component, type Kind, type Part, type System } from './model';
import { totals } from './totals';

/** A move on the canvas, which is no change of the text. */
interface Moved {
  text: string;
  before: Looks['positions'];
  after: Looks['positions'];
}

const CLIPBOARD = 'runcast:parts';

export class Editor {
  readonly file: OpenFile = undefined!;
  readonly view: View<Looks> = undefined!;
  entries = $state.raw<CatalogueEntry[]>([]);
  catalogueFailure = $state('');
  selected = $state.raw<string[]>([]);
  /** Raised to ask the properties to take the focus. */
  wantsProperties = $state(0);
  /** Raised to ask the canvas to show all. */
  wantsFit = $state(0);
  /** Raised to ask the canvas to show a part. */
  wantsSight = $state.raw<{ key: string } | null>(null);
  /** Asks for a network that joins these. */
  connecting = $state.raw<string[] | null>(null);
  swapping = $state<string | null>(null);
  #moves = $state.raw<Moved[]>([]);
  #undone = $state.raw<Moved[]>([]);
  #last: System | null = null;
  /** Said to screen readers. */
  said = $state('');

  readonly #parsed = $derived.by(() => readSystem(this.file.text));
  readonly error = $derived<TomlError | null>(this.#parsed.error);
  /** The last one that could be read. */
  readonly system = $derived.by((): System => {
    if (this.#parsed.system) this.#last = this.#parsed.system;
    return this.#last ?? readSystem('').system!;
  });
  readonly frozen = $derived(this.error !== null || this.file.state !== 'ready');
  readonly readonly = $derived(this.frozen || !session.author);
  readonly catalogue = $derived<Catalogue>(new Map(this.entries.map((entry) => [entry.name, entry])));
  readonly totals = $derived(totals(this.system, this.catalogue));
  readonly placed = $derived<Placed[]>(layout(this.system, this.view.value));
  readonly parts = $derived(this.selected.flatMap((key) => this.system.byKey.get(key) ?? []));
  readonly one = $derived<Part | null>(this.parts.length === 1 ? this.parts[0]! : null);
  readonly problems = $derived.by(() => sorted(this.system, this.file.problems));
  readonly canUndo = $derived(this.file.canUndo || this.#moves.length > 0);
  readonly canRedo = $derived(this.file.canRedo || this.#undone.length > 0);

  constructor(file: OpenFile) {
    this.file = file;
    this.view = new View<Looks>(file.project, file.path, noLooks());
    void this.loadCatalogue();
  }

  async loadCatalogue() {
    try {
      this.entries = await fetchCatalogue({ project: this.file.project });
      this.catalogueFailure = '';
    } catch (error) {
      this.catalogueFailure = error instanceof Error ? error.message : String(error);
    }
  }

  get defaults(): edits.Defaults {
    const first = (kind: string, ...wanted: string[]) =>
      wanted.find((name) => this.catalogue.has(name)) ?? this.entries.find((entry) => entry.kind === kind)?.name;
    return {
      cpu: first('cpu', 'amd-epyc-9654'),
      gpu: first('gpu', 'nvidia-h100-sxm'),
      network: first('network', 'infiniband-hdr-4x', 'ethernet-100g'),
      bus: first('bus', 'pcie-x16-4.0'),
    };
  }

  /** Catalogue entries that a part may be. */
  choices(part: Part): CatalogueEntry[] {
    const kinds = HARDWARE[part.what === 'network' ? 'network' : part.kind];
    return this.entries.filter((entry) => kinds.includes(entry.kind));
  }

  select(keys: string[]) {
    if (keys.length === this.selected.length && keys.every((key, index) => key === this.selected[index])) return;
    this.selected = keys;
  }

  #apply(edited: edits.Edited, by = '') {
    if (this.readonly) return;
    this.file.edit(edited.text, by);
    this.select(edited.select);
    this.#undone = [];
  }

  /** The component in which something new goes: the selected one, or what is around it. */
  get here(): Component | null {
    const part = this.parts[0];
    if (!part) return null;
    return part.what === 'component' ? part : (this.system.byId.get(part.of) ?? null);
  }

  add(offer: edits.Offer, at: Component | null = this.here, where?: { x: number; y: number }) {
    if (this.readonly) return;
    const edited = edits.add(this.file.text, offer, at, this.defaults);
    const opened = new Set(this.placed.filter((one) => one.open).map((one) => one.part.key));
    const first = this.system.components.length < 2;
    this.#apply(edited);
    const key = edited.select[0];
    const part = key === undefined ? undefined : this.system.byKey.get(key);
    if (!part) return;
    this.#openAround(part);
    const inside = part.what === 'network' ? part.of : part.parent;
    if (where && inside !== null && at?.id === inside && opened.has(inside)) {
      const origin = this.absolute(inside);
      if (origin) this.#put({ [placeOf(inside, part.key)]: this.#free(inside, part.key, where.x - origin.x - 80, where.y - origin.y - 20) }, inside);
    } else if (first) {
      this.wantsFit += 1;
    } else {
      this.wantsSight = { key: part.key };
    }
    this.said = `${part.id} is added${inside ? ` to ${inside}` : ''}`;
  }

  /** Many parts at once, as one step. */
  generated(edited: edits.Edited, words: string) {
    if (this.readonly) return;
    this.#apply(edited);
    const part = this.system.byKey.get(edited.select[0] ?? '');
    if (!part) return;
    this.#openAround(part);
    this.wantsSight = { key: part.key };
    this.said = `${part.id} is added: ${words}`;
  }

  /** Opens what is around a part, so that it is in sight. */
  #openAround(part: Part) {
    let at: string | null = part.what === 'network' ? part.of : part.parent;
    for (let steps = 0; at !== null && steps < 64; steps += 1) {
      if (this.view.value.open[at] === false || !this.placed.find((one) => one.part.key === at)?.open) this.view.value.open[at] = true;
      at = this.system.byId.get(at)?.parent ?? null;
    }
    this.view.changed();
  }

  toggle(id: string, open: boolean) {
    this.view.value.open[id] = open;
    this.view.changed();
    if (open) this.wantsSight = { key: id };
  }

  reveal(key: string) {
    const part = this.system.byKey.get(key);
    if (!part) return;
    this.#openAround(part);
    this.select([key]);
    this.wantsSight = { key };
  }

  absolute(key: string | null): { x: number; y: number } | null {
    if (key === null) return { x: 0, y: 0 };
    const byKey = new Map(this.placed.map((one) => [one.part.key, one]));
    let x = 0;
    let y = 0;
    for (let at: string | null = key, steps = 0; at !== null; steps += 1) {
      const one = byKey.get(at);
      if (!one || steps > 64) return null;
      x += one.x;
      y += one.y;
      at = one.inside;
    }
    return { x, y };
  }

  /** The innermost open part at a place of the canvas, leaving out some and what stands in them. */
  at(x: number, y: number, without: Set<string> = new Set()): Component | null {
    const origin = new Map<string | null, { x: number; y: number } | null>([[null, { x: 0, y: 0 }]]);
    let found: Component | null = null;
    for (const one of this.placed) {
      const around = origin.get(one.inside) ?? null;
      const here = around && !without.has(one.part.key) ? { x: around.x + one.x, y: around.y + one.y } : null;
      origin.set(one.part.key, here);
      if (!here || one.part.what === 'network' || !isAggregator(one.part.kind)) continue;
      if (x >= here.x && y >= here.y && x < here.x + one.width && y < here.y + one.height) found = one.part;
    }
    return found;
  }

  /** Where parts would go that are let go at a place: the innermost that takes one of them. */
  landing(parts: Component[], x: number, y: number, without: Set<string>): Component | null {
    let target = this.at(x, y, without);
    for (let steps = 0; target && steps < 64; steps += 1) {
      const here = target;
      if (parts.some((one) => edits.mayStand(this.system, one, here))) return here;
      target = here.parent === null ? null : (this.system.byId.get(here.parent) ?? null);
    }
    return null;
  }

  /** The nearest place at or below one where a part covers none of the others. */
  #free(inside: string, key: string, x: number, y: number): [number, number] {
    const own = this.placed.find((one) => one.part.key === key);
    const others = this.placed.filter((one) => one.inside === inside && one.part.key !== key);
    const [left, top] = clamp(x, y, inside);
    let at = top;
    for (let tries = 0; own && tries < others.length + 1; tries += 1) {
      const hit = others.find((one) => left < one.x + one.width + 8 && one.x < left + own.width + 8 && at < one.y + one.height + 8 && one.y < at + own.height + 8);
      if (!hit) break;
      at = Math.round(hit.y + hit.height + 18);
    }
    return [left, at];
  }

  /** Notes places; the others of the container stay where they are. */
  #put(places: Looks['positions'], inside?: string | null) {
    const next: Looks['positions'] = {};
    if (inside !== undefined) {
      for (const one of this.placed) {
        const key = placeOf(one.inside, one.part.key);
        if (one.inside === inside && !(key in this.view.value.positions)) next[key] = [one.x, one.y];
      }
    }
    Object.assign(this.view.value.positions, next, places);
    this.view.changed();
  }

  /** Parts were dragged to places (relative to what is around them now), perhaps out of it. */
  dragged(places: { key: string; x: number; y: number }[], pointer: { x: number; y: number } | null) {
    if (this.readonly) return;
    const keys = new Set(places.map((one) => one.key));
    const moved = places.flatMap(({ key }) => this.system.byKey.get(key) ?? []).filter((one): one is Component => one.what === 'component');
    const target = pointer ? this.landing(moved, pointer.x, pointer.y, keys) : null;
    const goes = target ? moved.filter((one) => one.parent !== target.id && edits.mayStand(this.system, one, target)) : [];
    const origins = new Map(places.map(({ key }) => [key, this.absolute(this.placed.find((one) => one.part.key === key)?.inside ?? null)]));
    const before = { ...this.view.value.positions };
    const stay: Looks['positions'] = {};
    const containers = new Set<string | null>();
    for (const { key, x, y } of places) {
      if (goes.some((one) => one.key === key)) continue;
      const inside = this.placed.find((one) => one.part.key === key)?.inside ?? null;
      containers.add(inside);
      stay[placeOf(inside, key)] = clamp(x, y, inside);
    }
    for (const inside of containers) this.#put({}, inside);
    this.#put(stay);
    if (goes.length && target) {
      const to = this.absolute(target.key);
      this.#apply(edits.move(this.file.text, this.system, goes, target));
      const there: Looks['positions'] = {};
      for (const { key, x, y } of places) {
        const from = origins.get(key);
        if (to && from && goes.some((one) => one.key === key)) there[placeOf(target.key, key)] = clamp(from.x + x - to.x, from.y + y - to.y, target.key);
      }
      this.view.value.open[target.id] = true;
      this.#put(there, target.key);
      this.said = `${goes.map((one) => one.id).join(', ')} moved into ${target.id}`;
    } else {
      this.#moves = [...this.#moves, { text: this.file.text, before, after: { ...this.view.value.positions } }];
      this.#undone = [];
    }
  }

  undo() {
    if (this.file.state !== 'ready') return;
    const last = this.#moves[this.#moves.length - 1];
    if (last && (last.text === this.file.text || !this.file.canUndo)) {
      this.#moves = this.#moves.slice(0, -1);
      this.#undone = [...this.#undone, last];
      this.view.value.positions = { ...last.before };
      this.view.changed();
    } else {
      this.file.undo();
    }
  }

  redo() {
    const last = this.#undone[this.#undone.length - 1];
    if (last && (last.text === this.file.text || !this.file.canRedo)) {
      this.#undone = this.#undone.slice(0, -1);
      this.#moves = [...this.#moves, last];
      this.view.value.positions = { ...last.after };
      this.view.changed();
    } else {
      this.file.redo();
    }
  }

  arrange() {
    const before = { ...this.view.value.positions };
    this.view.value.positions = {};
    this.view.changed();
    this.#moves = [...this.#moves, { text: this.file.text, before, after: {} }];
    this.#undone = [];
    this.wantsFit += 1;
    this.said = 'Arranged';
  }

  change(part: Part, path: string[], value: Toml | null) {
    const by = `${part.key}.${path.join('.')}`;
    this.#apply({ text: edits.change(this.file.text, part, path, value), select: [part.key] }, by);
  }

  rename(part: Part, id: string) {
    if (id === part.id) return;
    if (part.what === 'component' && this.system.byId.has(id)) {
      toast.error(new Error(`There is a part called ${id} already`));
      return;
    }
    const edited = edits.rename(this.file.text, this.system, part, id);
    const looks = this.view.value;
    const to = edited.select[0]!;
    for (const [key, place] of Object.entries(looks.positions)) {
      const cut = key.indexOf('/');
      const [inside, inner] = [key.slice(0, cut), key.slice(cut + 1)];
      const next = `${inside === part.key ? to : inside}/${inner === part.key ? to : inner.startsWith(`network:${part.id}/`) && part.what === 'component' ? `network:${to}/${inner.slice(`network:${part.id}/`.length) === part.id ? to : inner.slice(`network:${part.id}/`.length)}` : inner}`;
      if (next !== key) looks.positions[next] = place;
    }
    if (part.what === 'component' && part.id in looks.open) looks.open[to] = looks.open[part.id]!;
    this.view.changed();
    this.#apply(edited);
  }

  remove(parts: Part[] = this.parts) {
    if (this.readonly || parts.length === 0) return;
    this.said = `${parts.map((part) => part.id).join(', ')} removed`;
    this.#apply(edits.drop(this.file.text, this.system, parts));
  }

  group() {
    const components = this.parts.filter((part): part is Component => part.what === 'component');
    const edited = edits.group(this.file.text, this.system, components);
    if (edited.text !== this.file.text) this.view.value.open[edited.select[0]!] = true;
    else toast.error(new Error('Groups are made of machines and groups that stand in one place'));
    this.#apply(edited);
  }

  /** The place whose network would join the selected parts. */
  get joint(): Component | null {
    const parts = this.parts.filter((part): part is Component => part.what === 'component');
    if (parts.length === 1 && isAggregator(parts[0]!.kind)) return parts[0]!;
    return parts.length > 1 ? edits.common(this.system, parts) : null;
  }

  connect(keys: string[], offer: edits.Offer) {
    const parts = keys.flatMap((key) => this.system.byKey.get(key) ?? []).filter((part): part is Component => part.what === 'component');
    const around = parts.length > 1 ? edits.common(this.system, parts) : (parts[0] ?? null);
    if (around) this.add(offer, around);
    this.connecting = null;
  }

  copied(): string | null {
    if (this.parts.length === 0 || this.error) return null;
    const piece = edits.copy(this.system, this.parts);
    try {
      localStorage.setItem(CLIPBOARD, piece);
    } catch {
      // Storage may be full or closed; the clipboard has it.
    }
    this.said = `${this.parts.length} copied`;
    return piece;
  }

  paste(piece: string): boolean {
    if (this.readonly) return false;
    const edited = edits.paste(this.file.text, piece, this.here);
    if (!edited) return false;
    this.#apply(edited);
    const part = this.system.byKey.get(edited.select[0] ?? '');
    if (part) this.#openAround(part);
    this.said = `${edited.select.join(', ')} pasted`;
    return true;
  }

  async copyByButton() {
    const piece = this.copied();
    if (piece === null) return;
    try {
      await navigator.clipboard.writeText(piece);
    } catch {
      // Kept in this browser, which is enough for other systems.
    }
    toast.ok('Copied; paste it here, in another system, or in a text');
  }

  async pasteByButton() {
    let piece = '';
    try {
      piece = await navigator.clipboard.readText();
    } catch {
      // Not allowed: what was copied last in this browser.
    }
    if (!this.paste(piece) && !this.paste(localStorage.getItem(CLIPBOARD) ?? '')) toast.error(new Error('The clipboard holds no parts of a system'));
  }
}

/** Problems by the part at which they stand; the rest under ''. */
function sorted(system: System, problems: Problem[]): Map<string, Problem[]> {
  const found = new Map<string, Problem[]>();
  const byPlace = new Map<string, Part>();
  for (const part of [...system.components, ...system.networks]) byPlace.set(`${part.what}/${part.index}`, part);
  for (const problem of problems) {
    const pointer = /^\/?(component|network)[/.[](\d+)/.exec(problem.pointer ?? '');
    let part = pointer ? byPlace.get(`${pointer[1]}/${pointer[2]}`) : undefined;
    if (!part && !pointer && problem.line) {
      part = [...byPlace.values()].find((one) => one.line <= problem.line! && problem.line! <= one.endLine);
    }
    const key = part?.key ?? '';
    found.set(key, [...(found.get(key) ?? []), problem]);
  }
  return found;
}

export type { Kind };
