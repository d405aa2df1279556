// From the quantiles of a distribution to a histogram.

/** A bin: where it begins and ends, and the share of all values in it. */
export interface Bin {
  from: number;
  to: number;
  share: number;
}

/**
 * A histogram with bins of equal width. Between two neighbouring quantiles lies the same share of the values; within, they
 * are taken to be spread evenly.
 */
export function histogram(quantiles: number[], bins: number): Bin[] {
  const [low, high] = [quantiles[0], quantiles.at(-1)];
  if (low === undefined || high === undefined || !(high > low)) return [];
  const width = (high - low) / bins;
  const shares = new Array<number>(bins).fill(0);
  const each = 1 / (quantiles.length - 1);
  const place = (value: number): number => Math.min(Math.max(Math.floor((value - low) / width), 0), bins - 1);
  const add = (bin: number, share: number): void => {
    shares[bin] = (shares[bin] ?? 0) + share;
  };
  for (const [at, from] of quantiles.entries()) {
    const to = quantiles[at + 1];
    if (to === undefined) break;
    const [first, last] = [place(from), place(to)];
    if (first === last) {
      add(first, each);
      continue;
    }
    for (let bin = first; bin <= last; bin += 1) {
      const overlap = Math.min(to, low + (bin + 1) * width) - Math.max(from, low + bin * width);
      add(bin, (each * Math.max(overlap, 0)) / (to - from));
    }
  }
  return shares.map((share, bin) => ({ from: low + bin * width, to: low + (bin + 1) * width, share }));
}

/** Round numbers between two bounds, at most `most` of them. */
export function ticks(low: number, high: number, most: number): number[] {
  const rough = (high - low) / Math.max(most, 1);
  if (!(rough > 0) || !Number.isFinite(rough)) return [];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power;
  const found: number[] = [];
  for (let at = Math.ceil(low / step); at * step <= high; at += 1) found.push(at * step || 0); // not −0
  return found;
}
