// The blocks of an article as a tree: items of lists are put into their lists, headings into an order without gaps.

import type { Schemas } from '../../api/client';

export type Span = Schemas['Span'];

export interface Item {
  spans: Span[];
  children: Node[];
}

export type Node =
  | { kind: 'heading'; level: number; spans: Span[] }
  | { kind: 'paragraph'; spans: Span[] }
  | { kind: 'quote'; spans: Span[] }
  | { kind: 'code'; spans: Span[] }
  | { kind: 'list'; ordered: boolean; items: Item[] }
  | { kind: 'definitions'; entries: { term: boolean; spans: Span[] }[] };

type Block = Schemas['Block'];
type ItemBlock = Extract<Block, { kind: 'item' }>;

const isItem = (block: Block | undefined): block is ItemBlock => block?.kind === 'item';
const isDefinition = ({ marker }: ItemBlock) => marker === 'term' || marker === 'definition';

/** The tree of an article's blocks. */
export function tree(blocks: Block[]): Node[] {
  const nodes: Node[] = [];
  let level = 1;
  for (let at = 0; at < blocks.length; ) {
    const block = blocks[at];
    if (!block) break;
    if (isItem(block)) {
      const items: ItemBlock[] = [];
      for (let next = block as Block | undefined; isItem(next); next = blocks[++at]) items.push(next);
      nodes.push(...lists(items, 1));
      continue;
    }
    if (block.kind === 'heading') {
      level = Math.min(block.level, level + 1, 6);
      nodes.push({ kind: 'heading', level, spans: block.spans });
    } else {
      nodes.push({ kind: block.kind, spans: block.spans });
    }
    at += 1;
  }
  return nodes;
}

/** Lists of items that follow one another; deeper items become lists within the item before. */
function lists(items: ItemBlock[], depth: number): Node[] {
  const nodes: Node[] = [];
  for (let at = 0; at < items.length; ) {
    const item = items[at];
    if (!item) break;
    const last = nodes.at(-1);
    if (item.depth > depth && last?.kind === 'list') {
      let end = at;
      while ((items[end]?.depth ?? 0) > depth) end += 1;
      last.items.at(-1)?.children.push(...lists(items.slice(at, end), depth + 1));
      at = end;
      continue;
    }
    if (isDefinition(item)) {
      const entry = { term: item.marker === 'term', spans: item.spans };
      if (last?.kind === 'definitions') last.entries.push(entry);
      else nodes.push({ kind: 'definitions', entries: [entry] });
    } else {
      const ordered = item.marker === 'number';
      if (last?.kind === 'list' && last.ordered === ordered) last.items.push({ spans: item.spans, children: [] });
      else nodes.push({ kind: 'list', ordered, items: [{ spans: item.spans, children: [] }] });
    }
    at += 1;
  }
  return nodes;
}
