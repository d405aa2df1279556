// Answers that several views ask for: kept for as long as the corpus stays the same.

import { get, type Schemas } from './client';

const kept = new Map<string, Promise<unknown>>();
const MOST = 200;

function keep<T>(key: unknown[], load: () => Promise<T>): Promise<T> {
  const name = JSON.stringify(key);
  let promise = kept.get(name) as Promise<T> | undefined;
  if (!promise) {
    promise = load();
    kept.set(name, promise);
    // A map keeps its order: the first is the oldest.
    for (const oldest of kept.keys()) {
      if (kept.size <= MOST) break;
      kept.delete(oldest);
    }
    promise.catch(() => kept.delete(name));
  }
  return promise;
}

type Corpus = Schemas['CorpusFacts'];

/** The scorers, and which of them the corpus has the data for. */
export function scorers({ name, version }: Corpus): Promise<Schemas['ScorerFacts'][]> {
  return keep(['scorers', name, version], async () => (await get('/api/v1/scorers', { corpus: name })).scorers);
}

/** The quantiles of a scorer's scores over the corpus. */
export function distribution({ name, version }: Corpus, scorer: string): Promise<Schemas['Distribution']> {
  return keep(['distribution', name, version, scorer], () => get('/api/v1/distribution', { corpus: name, scorer }));
}

/** The account of a link, with all the numbers that add up to its score. */
export function explanation(
  { name, version }: Corpus,
  source: string,
  target: string,
  scorer: string,
): Promise<Schemas['LinkExplanation']> {
  const query = { corpus: name, source, target, scorer, pairs: 5, grid: true };
  return keep(['explain', version, ...Object.values(query)], () => get('/api/v1/explain', query));
}
