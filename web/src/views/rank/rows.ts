// The rows of a ranking as they are shown, copied and saved.

import { address, request, type Query, type Schemas } from '../../api/client';

export type Row = Schemas['RankingRow'];

/** The rows that contain all words of a filter, in their order or reversed; those without a score are last either way. */
export function select(rows: Row[], filter: string, reversed: boolean): Row[] {
  const words = fold(filter).split(/\s+/).filter(Boolean);
  const found = words.length ? rows.filter((row) => contains(row, words)) : rows;
  if (!reversed) return found;
  const isScored = ({ unexpectedness }: Row) => unexpectedness != null;
  return [...found.filter(isScored).reverse(), ...found.filter((row) => !isScored(row))];
}

function contains({ target, also, section, snippet, reasons }: Row, words: string[]): boolean {
  const text = fold([target, ...also, section ?? '', snippet ?? '', ...reasons.map(({ text }) => text)].join('\n'));
  return words.every((word) => text.includes(word));
}

/** Lower case without accents, so that “Zurich” finds “Zürich”. */
function fold(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}

/** A ranking with these rows only, as JSON. */
export function json(ranking: Schemas['Ranking'], rows: Row[]): string {
  return `${JSON.stringify({ ...ranking, links: rows }, null, 2)}\n`;
}

/** Some rows of a ranking as the server writes them: tab-separated lines under a line of names. */
export async function tsv(query: Query<'/api/v1/rank'>, all: Row[], rows: Row[]): Promise<string> {
  const response = await request(address('/api/v1/rank', { ...query, format: 'tsv' }));
  const lines = (await response.text()).split('\n');
  const places = new Map(all.map((row, at) => [row, at + 1]));
  return [0, ...rows.map((row) => places.get(row) ?? 0)].map((at) => `${lines[at]}\n`).join('');
}
