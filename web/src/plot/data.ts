/** Series of a plot, and how they become the aligned columns that uPlot draws. */
export interface Point {
  x: number;
  y: number | null;
  /** Interval around `y`. */
  low?: number | null;
  high?: number | null;
}

export interface Series<P extends Point = Point> {
  name: string;
  points: P[];
  /** Points are joined by a line (default), by steps, or not at all. */
  join?: 'line' | 'steps' | 'none';
  /** Drawn back: less important than the others. */
  quiet?: boolean;
  /** A guide for the eye: a line without marks, in no table. */
  bare?: boolean;
  /** Index of color, dash and mark; default: its place. */
  look?: number;
}

export interface Axis {
  label: string;
  log: boolean;
  /** Begins at 0 where it is not logarithmic; default: the vertical axis does. */
  zero?: boolean;
  /** How a value of this axis is written. */
  text: (value: number) => string;
}

export interface Aligned {
  x: number[];
  /** For each series its values at `x`. */
  y: (number | null)[][];
  low: (number | null)[][] | null;
  high: (number | null)[][] | null;
  /** For each series: place in `x` of its points that are drawn. */
  at: Int32Array[];
  /** Points that a logarithmic axis cannot show. */
  left: number;
}

const fits = (value: number | null | undefined, log: boolean): value is number =>
  value !== null && value !== undefined && Number.isFinite(value) && (!log || value > 0);

/** All x in ascending order; as often as the series that has it most often. */
export function align(series: Series[], logX: boolean, logY: boolean): Aligned {
  let left = 0;
  const kept = series.map((one) => {
    const points = one.points.map((point, index) => ({ point, index })).filter(({ point }) => {
      const good = fits(point.x, logX) && fits(point.y, logY);
      if (!good && point.y !== null) left += 1;
      return good;
    });
    return points.sort((a, b) => a.point.x - b.point.x);
  });
  const often = new Map<number, number>();
  for (const points of kept) {
    let run = 0;
    points.forEach(({ point }, index) => {
      run = index > 0 && points[index - 1]!.point.x === point.x ? run + 1 : 1;
      if (run > (often.get(point.x) ?? 0)) often.set(point.x, run);
    });
  }
  const x: number[] = [];
  const start = new Map<number, number>();
  for (const value of [...often.keys()].sort((a, b) => a - b)) {
    start.set(value, x.length);
    for (let count = often.get(value)!; count > 0; count -= 1) x.push(value);
  }
  const empty = () => new Array<number | null>(x.length).fill(null);
  const y = series.map(empty);
  const banded = kept.some((points) => points.some(({ point }) => fits(point.low, logY) && fits(point.high, logY)));
  const low = banded ? series.map(empty) : null;
  const high = banded ? series.map(empty) : null;
  const at = series.map((one) => new Int32Array(one.points.length).fill(-1));
  kept.forEach((points, number) => {
    let run = 0;
    points.forEach(({ point, index }, order) => {
      run = order > 0 && points[order - 1]!.point.x === point.x ? run + 1 : 0;
      const place = start.get(point.x)! + run;
      y[number]![place] = point.y;
      at[number]![index] = place;
      if (low && high && fits(point.low, logY) && fits(point.high, logY)) {
        low[number]![place] = point.low;
        high[number]![place] = point.high;
      }
    });
  });
  return { x, y, low, high, at, left };
}

export const DASHES: number[][] = [[], [8, 4], [2, 3], [10, 3, 2, 3], [5, 2], [12, 4], [1, 4], [6, 2, 2, 2, 2, 2]];
export const MARKS = ['circle', 'square', 'triangle', 'diamond', 'cross', 'down', 'plus', 'ring'] as const;
export type Mark = (typeof MARKS)[number];

/** Outline of a mark around (x, y), `r` half its size. Crosses are strokes, the others areas. */
export function trace(path: Path2D, mark: Mark, x: number, y: number, r: number) {
  switch (mark) {
    case 'square':
      path.rect(x - r * 0.9, y - r * 0.9, r * 1.8, r * 1.8);
      break;
    case 'triangle':
      path.moveTo(x, y - r * 1.15);
      path.lineTo(x + r * 1.1, y + r * 0.85);
      path.lineTo(x - r * 1.1, y + r * 0.85);
      path.closePath();
      break;
    case 'down':
      path.moveTo(x, y + r * 1.15);
      path.lineTo(x + r * 1.1, y - r * 0.85);
      path.lineTo(x - r * 1.1, y - r * 0.85);
      path.closePath();
      break;
    case 'diamond':
      path.moveTo(x, y - r * 1.25);
      path.lineTo(x + r * 1.25, y);
      path.lineTo(x, y + r * 1.25);
      path.lineTo(x - r * 1.25, y);
      path.closePath();
      break;
    case 'cross':
      path.moveTo(x - r, y - r);
      path.lineTo(x + r, y + r);
      path.moveTo(x + r, y - r);
      path.lineTo(x - r, y + r);
      break;
    case 'plus':
      path.moveTo(x - r * 1.2, y);
      path.lineTo(x + r * 1.2, y);
      path.moveTo(x, y - r * 1.2);
      path.lineTo(x, y + r * 1.2);
      break;
    default:
      path.moveTo(x + r, y);
      path.arc(x, y, r, 0, 2 * Math.PI);
  }
}

/** The same as the data of an SVG path, for the legend. */
export function outline(mark: Mark, x: number, y: number, r: number): string {
  const n = (value: number) => Math.round(value * 100) / 100;
  switch (mark) {
    case 'square':
      return `M${n(x - r * 0.9)} ${n(y - r * 0.9)}h${n(r * 1.8)}v${n(r * 1.8)}h${n(-r * 1.8)}Z`;
    case 'triangle':
      return `M${x} ${n(y - r * 1.15)}L${n(x + r * 1.1)} ${n(y + r * 0.85)}L${n(x - r * 1.1)} ${n(y + r * 0.85)}Z`;
    case 'down':
      return `M${x} ${n(y + r * 1.15)}L${n(x + r * 1.1)} ${n(y - r * 0.85)}L${n(x - r * 1.1)} ${n(y - r * 0.85)}Z`;
    case 'diamond':
      return `M${x} ${n(y - r * 1.25)}L${n(x + r * 1.25)} ${y}L${x} ${n(y + r * 1.25)}L${n(x - r * 1.25)} ${y}Z`;
    case 'cross':
      return `M${x - r} ${y - r}L${x + r} ${y + r}M${x + r} ${y - r}L${x - r} ${y + r}`;
    case 'plus':
      return `M${n(x - r * 1.2)} ${y}H${n(x + r * 1.2)}M${x} ${n(y - r * 1.2)}V${n(y + r * 1.2)}`;
    default:
      return `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`;
  }
}

export const hollow = (mark: Mark) => mark === 'ring' || mark === 'cross' || mark === 'plus';
