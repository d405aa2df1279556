// A random page with a strikingly unexpected link.

import { get } from './api/client';
import { navigate } from './navigation.svelte';
import { href } from './router';

export const randomSeed = (): number => Math.floor(Math.random() * 2 ** 31);

/** Opens one, the reason of its link beside the text, unless the reader has gone elsewhere meanwhile. */
export async function surprise(corpus: string): Promise<void> {
  const from = location.pathname;
  const { source, target } = await get('/api/v1/random', { corpus, seed: randomSeed() });
  if (location.pathname === from) navigate(href.read(corpus, source, { link: target }));
}
