// Numbers as the reader's language writes them.

const plain = new Intl.NumberFormat();
const tenths = new Intl.NumberFormat(undefined, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const tiny = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 2 });
const digits = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 6 });
const fixed = new Intl.NumberFormat(undefined, { minimumFractionDigits: 2, maximumFractionDigits: 2, signDisplay: 'negative' });
const signs = new Intl.NumberFormat(undefined, { minimumFractionDigits: 2, maximumFractionDigits: 2, signDisplay: 'exceptZero' });
const fine = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 2 });
const percents = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 0 });

/** A count: 12,345. */
export const count = (value: number): string => plain.format(value);

/** A round number, as on an axis: 20, 0.0005. */
export const round = (value: number): string => digits.format(value);

/** A score, as short as it can be compared: 23.4, 0.54, 0.0012. */
export function number(value: number): string {
  const size = Math.abs(value);
  if (size >= 10) return tenths.format(value);
  return size >= 0.01 || size === 0 ? fixed.format(value) : tiny.format(value);
}

/** Two digits after the point, so that columns align. */
export const decimal = (value: number): string => fixed.format(value);

/** The same, with a plus where it is positive. */
export const signed = (value: number): string => signs.format(value);

/** A share of one as a percentage. */
export const percent = (share: number): string => percents.format(share);

/** A percentage with as many digits as say something, never rounded up: 99.98%, 99.2%, 63%. */
export function percentile(value: number): string {
  const parts = value > 99.9 ? 100 : value > 99 ? 10 : 1;
  return fine.format(Math.floor(value * parts) / parts / 100);
}

/** A noun with its count: 1 link, 2 links. */
export const plural = (value: number, one: string, many = `${one}s`): string => `${count(value)} ${value === 1 ? one : many}`;
