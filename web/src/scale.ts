// From expected to surprising in seven steps, by how many links of the corpus are less unexpected.

import type { Schemas } from './api/client';

/** −3 is most expected, 2 most unexpected, and 3 surprising; 0 is the middle, or no score. */
export type Level = -3 | -2 | -1 | 0 | 1 | 2 | 3;

const NAMES: Record<Level, string> = {
  [-3]: 'very expected',
  [-2]: 'expected',
  [-1]: 'rather expected',
  0: 'hardly odd',
  1: 'odd',
  2: 'very odd',
  3: 'surprising',
};

export const LEVELS: readonly Level[] = [-3, -2, -1, 0, 1, 2, 3];

export const levelName = (level: Level): string => NAMES[level];

/** The percentage of the corpus's links that are less unexpected than a score; null where that is unknown. */
export function percentile(distribution: Schemas['Distribution'], score: number): number | null {
  const { quantiles } = distribution;
  if (!quantiles.length) return null;
  let [low, high] = [0, quantiles.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((quantiles[middle] ?? Infinity) < score) low = middle + 1;
    else high = middle;
  }
  return 100 * Math.min(1, low / (quantiles.length - 1));
}

/** The step of a link that is odder than so many percent of the corpus's: few links are odd, and most nearly vanish. */
export function level(percent: number | null | undefined): Level {
  if (percent == null) return 0;
  if (percent >= 98) return 2;
  if (percent >= 90) return 1;
  if (percent >= 50) return 0;
  if (percent >= 25) return -1;
  if (percent >= 10) return -2;
  return -3;
}

/** The step of a link of a ranking. */
export const levelOf = ({ surprising, odder_than }: Pick<Schemas['RankingRow'], 'surprising' | 'odder_than'>): Level =>
  surprising ? 3 : level(odder_than);
