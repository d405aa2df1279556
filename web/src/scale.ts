// From expected to unexpected in seven steps, by the percentile of a score among the links of the corpus.

import type { Schemas } from './api/client';

/** −3 is most expected, 3 most unexpected; 0 is the middle, or no score. */
export type Level = -3 | -2 | -1 | 0 | 1 | 2 | 3;

const NAMES: Record<Level, string> = {
  [-3]: 'very expected',
  [-2]: 'expected',
  [-1]: 'rather expected',
  0: 'ordinary',
  1: 'a little odd',
  2: 'odd',
  3: 'very odd',
};

export const LEVELS: readonly Level[] = [-3, -2, -1, 0, 1, 2, 3];

export const levelName = (level: Level): string => NAMES[level];

/** The share of the corpus's links that are less unexpected, from 0 to 1; null where that is unknown. */
export function percentile(distribution: Schemas['Distribution'] | undefined, score: number | null | undefined): number | null {
  const quantiles = distribution?.quantiles;
  if (!quantiles?.length || score == null) return null;
  let [low, high] = [0, quantiles.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((quantiles[middle] ?? Infinity) < score) low = middle + 1;
    else high = middle;
  }
  return Math.min(1, low / (quantiles.length - 1));
}

/**
 * The most that the link in a place among so many of a page can be. Every link of a page about everything is odd in the
 * corpus; if all of them stood out, none would.
 */
export function mostOnPage(rank: number, links: number): Level {
  if (rank <= Math.max(3, 0.05 * links)) return 3;
  if (rank <= Math.max(6, 0.12 * links)) return 2;
  return rank <= Math.max(10, 0.25 * links) ? 1 : 0;
}

/** The step of a percentile: few links are odd, and most nearly vanish. */
export function level(share: number | null): Level {
  if (share === null) return 0;
  if (share >= 0.98) return 3;
  if (share >= 0.93) return 2;
  if (share >= 0.85) return 1;
  if (share >= 0.5) return 0;
  if (share >= 0.25) return -1;
  if (share >= 0.1) return -2;
  return -3;
}
