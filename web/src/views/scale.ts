/** From values to places and back; ticks. */
export interface Scale {
  log: boolean;
  from: number;
  to: number;
}

/** The place of a value, from 0 to 1 within the scale; NaN where a logarithmic one has none. */
export function at(scale: Scale, value: number): number {
  if (scale.log) return value > 0 ? Math.log(value / scale.from) / Math.log(scale.to / scale.from) : NaN;
  return (value - scale.from) / (scale.to - scale.from);
}

/** The value of a place. */
export function back(scale: Scale, place: number): number {
  return scale.log ? scale.from * (scale.to / scale.from) ** place : scale.from + place * (scale.to - scale.from);
}

/** A scale that holds these values with some room; never empty. */
export function around(values: Iterable<number>, log: boolean, pad = 0.04): Scale {
  let [from, to] = [Infinity, -Infinity];
  for (const value of values) {
    if (!Number.isFinite(value) || (log && value <= 0)) continue;
    if (value < from) from = value;
    if (value > to) to = value;
  }
  if (from > to) return { log, from: log ? 1 : 0, to: log ? 10 : 1 };
  if (log) {
    if (from === to) return { log, from: from / 2, to: to * 2 };
    const room = (to / from) ** pad;
    return { log, from: from / room, to: to * room };
  }
  if (from === to) return from === 0 ? { log, from: -1, to: 1 } : { log, from: from - Math.abs(from) * 0.1, to: to + Math.abs(to) * 0.1 };
  const room = (to - from) * pad;
  // What is never negative gets no room below zero.
  return { log, from: from >= 0 ? Math.max(0, from - room) : from - room, to: to + room };
}

/** Round values within a scale, about so many. */
export function ticks(scale: Scale, most: number): number[] {
  const { log, from, to } = scale;
  if (log) {
    const decades = Math.log10(to / from);
    if (decades >= 1) {
      const every = Math.max(1, Math.ceil(decades / Math.max(1, most)));
      const factors = decades * 3 <= most ? [1, 2, 5] : [1];
      const found: number[] = [];
      for (let power = Math.floor(Math.log10(from)); power <= Math.ceil(Math.log10(to)); power += every) {
        for (const factor of factors) found.push(Number(`${factor}e${power}`));
      }
      const inside = found.filter((value) => value >= from && value <= to);
      if (inside.length >= 3 || decades > 3) return inside;
      return [1, 2, 5].flatMap((factor) => Array.from({ length: 24 }, (_, at) => Number(`${factor}e${Math.floor(Math.log10(from)) + at}`)))
        .filter((value) => value >= from && value <= to).sort((a, b) => a - b);
    }
  }
  const raw = (to - from) / Math.max(1, most);
  if (!(raw > 0) || !Number.isFinite(raw)) return [from];
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= raw * 0.999999) ?? raw;
  const found: number[] = [];
  for (let count = Math.ceil(from / step - 1e-9); count * step <= to + step * 1e-9 && found.length < 100; count += 1) {
    found.push(Number((count * step).toPrecision(12)));
  }
  return found;
}

/** The scale about a place (0 to 1) of another one, `factor` times as wide. */
export function zoomed(scale: Scale, place: number, factor: number): Scale {
  return { log: scale.log, from: back(scale, place - place * factor), to: back(scale, place + (1 - place) * factor) };
}
