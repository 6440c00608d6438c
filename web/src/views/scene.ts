/** A picture as a list of shapes, which a canvas draws and an SVG file holds: both show the same. */
export type Ink = string;

export type Item =
  | { kind: 'rect'; x: number; y: number; w: number; h: number; fill: Ink; opacity?: number; hatch?: boolean }
  | { kind: 'line'; points: number[]; stroke: Ink; width: number; opacity?: number; dash?: number[]; fill?: Ink }
  | { kind: 'dot'; x: number; y: number; r: number; fill: Ink; opacity?: number }
  | { kind: 'text'; x: number; y: number; text: string; fill: Ink; size: number; anchor: 'start' | 'middle' | 'end'; turned?: boolean; bold?: boolean };

/** What a color token such as `--series-1` is; other colors are themselves. */
export type Paint = (ink: Ink) => string;

const FONT = "system-ui, 'Noto Sans', 'DejaVu Sans', sans-serif";

export function draw(context: CanvasRenderingContext2D, items: Item[], paint: Paint) {
  for (const item of items) {
    context.globalAlpha = 'opacity' in item ? (item.opacity ?? 1) : 1;
    if (item.kind === 'rect') {
      context.fillStyle = paint(item.fill);
      if (item.hatch) hatch(context, item.x, item.y, item.w, item.h, paint(item.fill));
      else context.fillRect(item.x, item.y, item.w, item.h);
    } else if (item.kind === 'dot') {
      context.fillStyle = paint(item.fill);
      context.beginPath();
      context.arc(item.x, item.y, item.r, 0, 2 * Math.PI);
      context.fill();
    } else if (item.kind === 'line') {
      context.strokeStyle = paint(item.stroke);
      context.lineWidth = item.width;
      context.setLineDash(item.dash ?? []);
      context.beginPath();
      const { points } = item;
      // A place that is no number begins a new line.
      let open = false;
      for (let index = 0; index + 1 < points.length; index += 2) {
        const [x, y] = [points[index]!, points[index + 1]!];
        if (Number.isNaN(x) || Number.isNaN(y)) open = false;
        else if (open) context.lineTo(x, y);
        else {
          context.moveTo(x, y);
          open = true;
        }
      }
      if (item.fill) {
        context.fillStyle = paint(item.fill);
        context.fill();
      }
      if (item.width > 0) context.stroke();
      context.setLineDash([]);
    } else {
      context.fillStyle = paint(item.fill);
      context.font = `${item.bold ? '600 ' : ''}${item.size}px ${FONT}`;
      context.textAlign = item.anchor === 'middle' ? 'center' : item.anchor;
      context.textBaseline = 'middle';
      if (item.turned) {
        context.save();
        context.translate(item.x, item.y);
        context.rotate(-Math.PI / 2);
        context.fillText(item.text, 0, 0);
        context.restore();
      } else context.fillText(item.text, item.x, item.y);
    }
  }
  context.globalAlpha = 1;
}

/** Lines across an empty cell: nothing was there, which is not the same as a color. */
function hatch(context: CanvasRenderingContext2D, x: number, y: number, w: number, h: number, stroke: string) {
  context.save();
  context.beginPath();
  context.rect(x, y, w, h);
  context.clip();
  context.strokeStyle = stroke;
  context.lineWidth = 1;
  context.beginPath();
  for (const [x0, y0, x1, y1] of strokes(x, y, w, h)) {
    context.moveTo(x0, y0);
    context.lineTo(x1, y1);
  }
  context.stroke();
  context.restore();
}

function strokes(x: number, y: number, w: number, h: number): [number, number, number, number][] {
  const found: [number, number, number, number][] = [];
  for (let shift = 6; shift < w + h; shift += 6) {
    const [x0, y0] = shift <= h ? [x, y + shift] : [x + shift - h, y + h];
    const [x1, y1] = shift <= w ? [x + shift, y] : [x + w, y + shift - w];
    found.push([x0, y0, x1, y1]);
  }
  return found;
}

const escaped = (text: string) => text.replace(/[&<>"]/g, (letter) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[letter]!);
const n = (value: number) => String(Math.round(value * 100) / 100);

/** The same as an SVG file. */
export function toSvg(items: Item[], width: number, height: number, title: string, paint: Paint): string {
  const shapes = items.map((item): string => {
    const opacity = 'opacity' in item && item.opacity !== undefined && item.opacity !== 1 ? ` opacity="${n(item.opacity)}"` : '';
    if (item.kind === 'rect' && item.hatch) {
      const path = strokes(item.x, item.y, item.w, item.h).map(([x0, y0, x1, y1]) => `M${n(x0)} ${n(y0)}L${n(x1)} ${n(y1)}`).join('');
      return path ? `<path d="${path}" stroke="${paint(item.fill)}"${opacity}/>` : '';
    }
    if (item.kind === 'rect') return `<rect x="${n(item.x)}" y="${n(item.y)}" width="${n(item.w)}" height="${n(item.h)}" fill="${paint(item.fill)}"${opacity}/>`;
    if (item.kind === 'dot') return `<circle cx="${n(item.x)}" cy="${n(item.y)}" r="${n(item.r)}" fill="${paint(item.fill)}"${opacity}/>`;
    if (item.kind === 'text') {
      const turn = item.turned ? ` transform="rotate(-90 ${n(item.x)} ${n(item.y)})"` : '';
      return `<text x="${n(item.x)}" y="${n(item.y)}" font-size="${item.size}" text-anchor="${item.anchor}" dominant-baseline="central" fill="${paint(item.fill)}"${item.bold ? ' font-weight="600"' : ''}${turn}>${escaped(item.text)}</text>`;
    }
    let path = '';
    let open = false;
    for (let index = 0; index + 1 < item.points.length; index += 2) {
      const [x, y] = [item.points[index]!, item.points[index + 1]!];
      if (Number.isNaN(x) || Number.isNaN(y)) open = false;
      else {
        path += `${open ? 'L' : 'M'}${n(x)} ${n(y)}`;
        open = true;
      }
    }
    const dash = item.dash?.length ? ` stroke-dasharray="${item.dash.join(' ')}"` : '';
    const stroke = item.width > 0 ? ` stroke="${paint(item.stroke)}" stroke-width="${n(item.width)}"` : '';
    return `<path d="${path}" fill="${item.fill ? paint(item.fill) : 'none'}"${stroke}${dash}${opacity}/>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${n(width)} ${n(height)}" width="${n(width)}" height="${n(height)}" font-family="${escaped(FONT)}" role="img"><title>${escaped(title)}</title><rect width="100%" height="100%" fill="${paint('--surface')}"/>${shapes.join('')}</svg>\n`;
}
