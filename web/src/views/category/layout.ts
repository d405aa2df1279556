// Where the categories of the latent graph are drawn. The start is a ring and the forces are deterministic, so the same
// categories give the same picture.

import { forceLink, forceManyBody, forceSimulation, forceX, forceY } from 'd3-force';
import type { Force, Simulation, SimulationLinkDatum, SimulationNodeDatum } from 'd3-force';
import type { Schemas } from '../../api/client';
import { disc } from './geometry';
import type { Outline, Point } from './geometry';
import { widthOf, wrap } from './label';

export const FONT = 12.5;
export const CENTRE_FONT = 15;
export const LINE = 15;
const RADIUS = 7;
/** The widest and the thinnest stroke of an arc. */
const THICKEST = 7;
const THINNEST = 0.8;

/** A category in the picture. */
export interface Node extends SimulationNodeDatum {
  name: string;
  isCentre: boolean;
  lines: string[];
  outline: Outline;
  /** Half the width and the height of what is drawn, the label included. */
  halfWidth: number;
  top: number;
  bottom: number;
  /** w(c, c), zero where no such arc is shown. */
  loop: number;
  x: number;
  y: number;
  /** Its place on the ring. */
  start: Point;
}

/** An arc in the picture, from one category to another. */
export interface Arc extends SimulationLinkDatum<Node> {
  source: Node;
  target: Node;
  weight: number;
  width: number;
  /** Whether it leaves or reaches the category in the middle, or neither. */
  kind: 'out' | 'in' | 'among';
}

export interface Graph {
  nodes: Node[];
  arcs: Arc[];
  /** The width of a stroke of this weight. */
  strokeOf: (weight: number) => number;
  heaviest: number;
}

/** The categories on a ring around the one asked for, and the arcs among them. */
export function graphOf(around: Schemas['CategoryNeighbourhood'], isNarrow: boolean): Graph {
  const names = [around.category, ...around.neighbours.map((neighbour) => neighbour.category)];
  const nodes = names.map((name, place) => node(name, place, names.length - 1, isNarrow));
  const byName = new Map(nodes.map((each) => [each.name, each]));
  const heaviest = around.arcs.reduce((most, arc) => Math.max(most, arc.weight), 0);
  // A hundred arcs at full width would fill the picture, so many arcs are thinner.
  const crowding = Math.min(Math.max((around.arcs.length - 40) / 80, 0), 1);
  const factor = heaviest > 0 ? (THICKEST - 2 * crowding) / heaviest : 0;
  const strokeOf = (weight: number): number => Math.min(Math.max(weight * factor, THINNEST), THICKEST);
  const arcs: Arc[] = [];
  for (const { source, target, weight } of around.arcs) {
    const [from, to] = [byName.get(source), byName.get(target)];
    if (from === undefined || to === undefined) continue;
    if (from === to) {
      from.loop = weight;
      continue;
    }
    const kind = from.isCentre ? 'out' : to.isCentre ? 'in' : 'among';
    arcs.push({ source: from, target: to, weight, width: strokeOf(weight), kind });
  }
  // Light arcs are drawn first, and those of the category in the middle last.
  const own = (arc: Arc): number => (arc.kind === 'among' ? 0 : 1);
  arcs.sort((a, b) => own(a) - own(b) || a.weight - b.weight);
  return { nodes, arcs, strokeOf, heaviest };
}

function node(name: string, place: number, onRing: number, isNarrow: boolean): Node {
  const isCentre = place === 0;
  const font = isCentre ? CENTRE_FONT : FONT;
  const lines = wrap(name, isCentre ? 12 : isNarrow ? 7 : 8.5);
  const wide = Math.max(...lines.map(widthOf)) * font;
  const high = lines.length * LINE;
  const angle = (2 * Math.PI * (place - 1)) / Math.max(onRing, 1) - Math.PI / 2;
  // On a phone the ring is higher than wide.
  const ring = isNarrow ? { x: 150, y: 260 } : { x: 280, y: 220 };
  const start = isCentre ? { x: 0, y: 0 } : { x: ring.x * Math.cos(angle), y: ring.y * Math.sin(angle) };
  return {
    name,
    isCentre,
    lines,
    loop: 0,
    ...start,
    start,
    ...(isCentre ? { fx: 0, fy: 0 } : {}),
    outline: isCentre
      ? { halfWidth: wide / 2 + 20, halfHeight: high / 2 + 13, corner: high / 2 + 13 }
      : disc(RADIUS),
    halfWidth: isCentre ? wide / 2 + 26 : Math.max(wide / 2, 14) + 2,
    top: isCentre ? high / 2 + 19 : 14,
    bottom: isCentre ? high / 2 + 19 : RADIUS + 6 + high,
  };
}

/** The forces that arrange a graph; it does not move until it is asked to run. */
export function simulationOf(graph: Graph, isNarrow: boolean): Simulation<Node, Arc> {
  const heaviest = Math.max(graph.heaviest, 1e-9);
  const near = (arc: Arc): number => (isNarrow ? 170 : 220) - 100 * (arc.weight / heaviest);
  const links = forceLink<Node, Arc>(graph.arcs)
    .distance(near)
    .strength((arc) => (arc.kind === 'among' ? 0.02 : 0.12) * (arc.weight / heaviest));
  return forceSimulation<Node, Arc>(graph.nodes)
    .force('links', links)
    .force('apart', forceManyBody<Node>().strength(isNarrow ? -400 : -700).distanceMax(600))
    .force('x', forceX<Node>(0).strength(isNarrow ? 0.2 : 0.12))
    .force('y', forceY<Node>(0).strength(isNarrow ? 0.08 : 0.12))
    .force('labels', labelsApart())
    .alphaDecay(0.04)
    .stop();
}

/** A force that pushes nodes apart whose boxes, labels included, overlap. */
function labelsApart(): Force<Node, Arc> {
  let nodes: Node[] = [];
  const force = (): void => {
    for (const [place, one] of nodes.entries()) {
      for (const other of nodes.slice(place + 1)) push(one, other);
    }
  };
  force.initialize = (given: Node[]): void => {
    nodes = given;
  };
  return force;
}

/** Room between the boxes of two nodes. */
const GAP = 8;

function push(one: Node, other: Node): void {
  const across = one.halfWidth + other.halfWidth + GAP - Math.abs(other.x - one.x);
  const isBelow = other.y >= one.y;
  const [upper, lower] = isBelow ? [one, other] : [other, one];
  const along = upper.bottom + lower.top + GAP - (lower.y - upper.y);
  if (across <= 0 || along <= 0) return;
  const movable = [one, other].filter((each) => each.fx === undefined || each.fx === null);
  const share = movable.length === 0 ? 0 : 0.6 / movable.length;
  for (const each of movable) {
    if (along < across) each.y += (each === lower ? 1 : -1) * along * share;
    else each.x += ((each === other) === other.x >= one.x ? 1 : -1) * across * share;
  }
}

/** The rectangle that holds all nodes with their labels. */
export function bounds(nodes: Node[]): { x: number; y: number; width: number; height: number } {
  const left = Math.min(...nodes.map((each) => each.x - each.halfWidth));
  const right = Math.max(...nodes.map((each) => each.x + each.halfWidth));
  const top = Math.min(...nodes.map((each) => each.y - each.top));
  const bottom = Math.max(...nodes.map((each) => each.y + each.bottom));
  return { x: left, y: top, width: right - left, height: bottom - top };
}
