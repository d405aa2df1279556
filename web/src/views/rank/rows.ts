// The rows of a ranking as they are shown and copied.

import type { Schemas } from '../../api/client';

export type Row = Schemas['RankingRow'];

/** The rows that contain all words of a filter, in their order or reversed. */
export function select(rows: Row[], filter: string, reversed: boolean): Row[] {
  const words = fold(filter).split(/\s+/).filter(Boolean);
  const found = words.length ? rows.filter((row) => contains(row, words)) : rows;
  return reversed ? found.toReversed() : found;
}

function contains({ target, snippet, reasons }: Row, words: string[]): boolean {
  const text = fold([target, snippet ?? '', ...reasons.map(({ text }) => text)].join('\n'));
  return words.every((word) => text.includes(word));
}

/** Lower case without accents, so that “Zurich” finds “Zürich”. */
function fold(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}

/** The pair of categories or words that a reason speaks of. */
const pair = ({ reasons }: Row) => reasons.find(({ pair }) => pair)?.pair;

/** The columns of a ranking as the server and the command line write it. */
const COLUMNS: [string, (row: Row) => string | number | boolean | null | undefined][] = [
  ['rank', ({ rank }) => rank],
  ['target', ({ target }) => target],
  ['unexpectedness', ({ unexpectedness }) => unexpectedness],
  ['explained', ({ explained }) => explained],
  ['reason', ({ reasons }) => reasons.map(({ text }) => text).join('; ')],
  ['source_category', (row) => pair(row)?.source],
  ['target_category', (row) => pair(row)?.target],
  ['weight', (row) => pair(row)?.weight],
  ['snippet', ({ snippet }) => snippet],
];

/** The rows as tab-separated lines under a line of names. */
export function tsv(rows: Row[]): string {
  const cell = (value: unknown) => String(value ?? '').replace(/[\t\r\n]+/g, ' ');
  const lines = rows.map((row) => COLUMNS.map(([, value]) => cell(value(row))));
  return [COLUMNS.map(([name]) => name), ...lines].map((cells) => `${cells.join('\t')}\n`).join('');
}
