// Points, outlines of nodes, and the curved arrows between them.

export interface Point {
  x: number;
  y: number;
}

/** A rectangle with round corners; with corners as round as can be, a disc. */
export interface Outline {
  halfWidth: number;
  halfHeight: number;
  corner: number;
}

/** A curve that begins on the edge of one node, and an arrowhead whose tip is on the edge of another. */
export interface Arrow {
  shaft: string;
  head: string;
}

const STEPS = 48;

export function disc(radius: number): Outline {
  return { halfWidth: radius, halfHeight: radius, corner: radius };
}

/** The same outline with its edge moved outwards. */
export function grown(outline: Outline, by: number): Outline {
  return {
    halfWidth: outline.halfWidth + by,
    halfHeight: outline.halfHeight + by,
    corner: outline.corner + by,
  };
}

/** The distance of a point from the edge of an outline around `centre`, negative inside. */
export function distance(outline: Outline, centre: Point, point: Point): number {
  const x = Math.abs(point.x - centre.x) - (outline.halfWidth - outline.corner);
  const y = Math.abs(point.y - centre.y) - (outline.halfHeight - outline.corner);
  return Math.hypot(Math.max(x, 0), Math.max(y, 0)) + Math.min(Math.max(x, y), 0) - outline.corner;
}

/**
 * The arrow from one node to another. It bends to its own right, so that the arrows of the two directions are two curves.
 */
export function arrow(source: Point, from: Outline, target: Point, to: Outline, width: number): Arrow {
  const way = { x: target.x - source.x, y: target.y - source.y };
  const length = Math.hypot(way.x, way.y) || 1;
  const bend = Math.min(0.16 * length, 28);
  const control = {
    x: (source.x + target.x) / 2 - (way.y / length) * bend,
    y: (source.y + target.y) / 2 + (way.x / length) * bend,
  };
  const at = (t: number): Point => ({
    x: (1 - t) * (1 - t) * source.x + 2 * t * (1 - t) * control.x + t * t * target.x,
    y: (1 - t) * (1 - t) * source.y + 2 * t * (1 - t) * control.y + t * t * target.y,
  });
  const leaves = crossing(0, 1, (t) => distance(from, source, at(t)) - 1);
  const arrives = crossing(1, leaves, (t) => distance(to, target, at(t)) - 1);
  const tip = at(arrives);
  const start = at(leaves);
  const room = Math.hypot(tip.x - start.x, tip.y - start.y);
  const long = Math.min(4.5 + 1.5 * width, room * 0.6);
  const half = Math.min(2.1 + 0.85 * width, long);
  const apart = (t: number): number => Math.hypot(at(t).x - tip.x, at(t).y - tip.y);
  const base = at(crossing(arrives, leaves, (t) => apart(t) - long));
  const joint = crossing(arrives, leaves, (t) => apart(t) - long * 0.75);
  const back = unit({ x: base.x - tip.x, y: base.y - tip.y });
  const barb = (side: number): Point => ({
    x: tip.x + back.x * long - back.y * half * side,
    y: tip.y + back.y * long + back.x * half * side,
  });
  const notch = { x: tip.x + back.x * long * 0.8, y: tip.y + back.y * long * 0.8 };
  // The part of the curve between two of its points is a curve of the same kind.
  const turn = {
    x: start.x + ((control.x - source.x) * (1 - leaves) + (target.x - control.x) * leaves) * (joint - leaves),
    y: start.y + ((control.y - source.y) * (1 - leaves) + (target.y - control.y) * leaves) * (joint - leaves),
  };
  return {
    shaft: `M${pair(start)}Q${pair(turn)} ${pair(at(joint))}`,
    head: `M${pair(tip)}L${pair(barb(1))} ${pair(notch)} ${pair(barb(-1))}Z`,
  };
}

/** Where `height`, followed from `inside` to `outside`, first becomes positive. */
function crossing(inside: number, outside: number, height: (t: number) => number): number {
  const step = (outside - inside) / STEPS;
  let first = 1;
  while (first <= STEPS && height(inside + step * first) < 0) first += 1;
  if (first > STEPS) return outside;
  let within = inside + step * (first - 1);
  let without = inside + step * first;
  for (let round = 0; round < 12; round += 1) {
    const middle = (within + without) / 2;
    if (height(middle) < 0) within = middle;
    else without = middle;
  }
  return (within + without) / 2;
}

function unit(way: Point): Point {
  const length = Math.hypot(way.x, way.y);
  return length > 0 ? { x: way.x / length, y: way.y / length } : { x: 1, y: 0 };
}

function pair(point: Point): string {
  return `${point.x.toFixed(1)},${point.y.toFixed(1)}`;
}
