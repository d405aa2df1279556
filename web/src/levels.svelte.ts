// The colour of each link of a page: its percentile among the links of the corpus, and its place on the page.

import type { Schemas } from './api/client';
import { resource } from './api/resource.svelte';
import { distribution } from './api/shared';
import { count, percent } from './format';
import { level, levelName, mostOnPage, percentile, type Level } from './scale';

type Row = Pick<Schemas['RankingRow'], 'rank' | 'unexpectedness'>;

export interface Levels {
  /** The step on the scale of a link of a page with so many links. */
  of(row: Row | undefined, links: number): Level;
  /** The same in words. */
  describe(row: Row, links: number): string;
}

/** Loads the distribution of a scorer. Without one, links are compared with those of their own page. */
export function levels(corpus: () => Schemas['CorpusFacts'], scorer: () => string): Levels {
  const loaded = resource((signal) => distribution(corpus(), scorer(), signal));

  const share = (row: Row, links: number): number | null => {
    if (row.unexpectedness == null) return null;
    if (loaded.value) return percentile(loaded.value, row.unexpectedness);
    return loaded.error ? 1 - row.rank / (links + 1) : null;
  };
  const of = (row: Row | undefined, links: number): Level =>
    row ? (Math.min(level(share(row, links)), mostOnPage(row.rank, links)) as Level) : 0;

  return {
    of,
    describe: (row, links) => {
      if (row.unexpectedness == null) return 'no score';
      const place = `rank ${count(row.rank)} of ${count(links)} on this page`;
      const found = share(row, links);
      if (found === null) return place;
      const odder = `more unexpected than ${percent(Math.floor(100 * Math.min(found, 0.99)) / 100)} of the links of the corpus`;
      return `${levelName(of(row, links))}: ${place}${loaded.value ? `, ${odder}` : ''}`;
    },
  };
}
