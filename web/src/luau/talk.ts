/** Where the labels and arrows of the diagram "who sends to whom" go. Geometry only: the numbers are the server's. */
export interface Node { name: string; count: number }
export interface Edge { from: string; to: string; messages: number; bytes: number }

export interface Placed extends Node { x: number; y: number; width: number }
export interface Arrow extends Edge { path: string; head: string; weight: number; x: number; y: number }

export const HEIGHT = 44;

export function layout(nodes: Node[], edges: Edge[]): { nodes: Placed[]; arrows: Arrow[]; width: number; height: number } {
  const wide = (node: Node) => Math.max(92, Math.min(220, 8 * Math.max(node.name.length, String(node.count).length + 8) + 26));
  const n = nodes.length;
  const placed: Placed[] = [];
  const widest = Math.max(92, ...nodes.map(wide));
  if (n <= 1) {
    nodes.forEach((node) => placed.push({ ...node, x: widest / 2 + 50, y: 84, width: wide(node) }));
  } else if (n === 2) {
    nodes.forEach((node, index) => placed.push({ ...node, x: 12 + widest / 2 + index * (widest + 130), y: 84, width: wide(node) }));
  } else {
    const radius = Math.max(120, (n * (widest + 40)) / (2 * Math.PI));
    nodes.forEach((node, index) => {
      const turn = (2 * Math.PI * index) / n - Math.PI / 2;
      placed.push({ ...node, x: radius * 1.25 + widest / 2 + 12 + radius * 1.25 * Math.cos(turn), y: radius + 90 + radius * Math.sin(turn), width: wide(node) });
    });
  }
  const at = new Map(placed.map((node) => [node.name, node]));
  const most = Math.max(1, ...edges.map((edge) => edge.bytes));
  const arrows: Arrow[] = [];
  for (const edge of edges) {
    const [a, b] = [at.get(edge.from), at.get(edge.to)];
    if (!a || !b) continue;
    const weight = 1.25 + 2.75 * (Math.log1p(edge.bytes) / Math.log1p(most));
    if (a === b) {
      // A loop above the label.
      const [x, y] = [a.x, a.y - HEIGHT / 2];
      const end = { x: x + 20, y: y - 1 };
      arrows.push({
        ...edge, weight, x, y: y - 44,
        path: `M${x - 20} ${y} C${x - 44} ${y - 44} ${x + 44} ${y - 44} ${end.x} ${end.y}`,
        head: point(end.x, end.y, Math.PI * 0.68, weight),
      });
      continue;
    }
    const both = edges.some((other) => other.from === edge.to && other.to === edge.from);
    const [dx, dy] = [b.x - a.x, b.y - a.y];
    const long = Math.hypot(dx, dy);
    const bend = both ? 40 : 0;
    const middle = { x: (a.x + b.x) / 2 - (dy / long) * bend * -1, y: (a.y + b.y) / 2 + (dx / long) * bend * -1 };
    const start = border(a, middle.x - a.x, middle.y - a.y);
    const end = border(b, middle.x - b.x, middle.y - b.y);
    arrows.push({
      ...edge, weight,
      path: `M${start.x} ${start.y} Q${middle.x} ${middle.y} ${end.x} ${end.y}`,
      head: point(end.x, end.y, Math.atan2(end.y - middle.y, end.x - middle.x), weight),
      // Beside the middle of the arrow, on its outer side.
      x: round(0.25 * start.x + 0.5 * middle.x + 0.25 * end.x + (dy / long) * 12),
      y: round(0.25 * start.y + 0.5 * middle.y + 0.25 * end.y - (dx / long) * 12 + 4),
    });
  }
  return {
    nodes: placed, arrows,
    width: Math.max(...placed.map((node) => node.x + node.width / 2), 0) + 12,
    height: Math.max(...placed.map((node) => node.y), 0) + 60,
  };
}

/** Where the ray from the middle of a box leaves it. */
function border(node: Placed, dx: number, dy: number): { x: number; y: number } {
  const half = { x: node.width / 2 + 3, y: HEIGHT / 2 + 3 };
  const scale = 1 / Math.max(Math.abs(dx) / half.x, Math.abs(dy) / half.y, 1e-9);
  return { x: round(node.x + dx * scale), y: round(node.y + dy * scale) };
}

/** An arrow head as a path. */
function point(x: number, y: number, turn: number, weight: number): string {
  const long = 7 + weight * 1.6;
  const corner = (angle: number) => `${round(x - long * Math.cos(turn + angle))} ${round(y - long * Math.sin(turn + angle))}`;
  return `M${round(x)} ${round(y)} L${corner(0.42)} L${corner(-0.42)} Z`;
}

const round = (value: number) => Math.round(value * 10) / 10;
