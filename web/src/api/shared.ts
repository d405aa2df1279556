// Questions that several views ask. The browser keeps the answers, and the server says whether they still hold.

import { get, type Query, type Schemas } from './client';

/** Which ranking is asked for. */
export type Asked = Pick<Query<'/api/v1/rank'>, 'scorer' | 'where' | 'order'>;

type Corpus = Schemas['CorpusFacts'];

/** The scorers, and which of them the corpus has the data for. */
export async function scorers({ name }: Corpus, signal: AbortSignal): Promise<Schemas['ScorerFacts'][]> {
  return (await get('/api/v1/scorers', { corpus: name }, { signal })).scorers;
}

/** The quantiles of a scorer's scores over the corpus. */
export function distribution({ name }: Corpus, scorer: string, signal: AbortSignal): Promise<Schemas['Distribution']> {
  return get('/api/v1/distribution', { corpus: name, scorer }, { signal });
}

/** The account of a link, with all the numbers that add up to its score. */
export function explanation(
  { name }: Corpus,
  source: string,
  target: string,
  asked: Asked,
  signal: AbortSignal,
): Promise<Schemas['LinkExplanation']> {
  return get('/api/v1/explain', { corpus: name, source, target, ...asked, pairs: 5, grid: true }, { signal });
}
