// The filters of the list of links, as the address has them.

/** What is asked for where the address says nothing. */
export const DEFAULTS = { min_links: 0, per_page: 0, top: 25 };

/** The most rows that are asked for at once. */
const MOST = 1000;

export interface Filters {
  scorer: string | undefined;
  from_category: string | undefined;
  to_category: string | undefined;
  min_links: number;
  per_page: number;
  top: number;
}

export function filtersOf(query: URLSearchParams): Filters {
  const text = (key: string): string | undefined => query.get(key) ?? undefined;
  const whole = (key: keyof typeof DEFAULTS): number => {
    const value = Math.trunc(Number(query.get(key) ?? DEFAULTS[key]));
    return Number.isFinite(value) && value >= 0 ? value : DEFAULTS[key];
  };
  return {
    scorer: text('scorer'),
    from_category: text('from_category'),
    to_category: text('to_category'),
    min_links: whole('min_links'),
    per_page: whole('per_page'),
    // No rows would be all of them.
    top: Math.min(Math.max(whole('top'), 1), MOST),
  };
}
