// The addresses of the page. Every view has one; titles are percent-encoded.

import type { Component } from 'svelte';
import type { Schemas } from './api/client';

export type View = 'home' | 'read' | 'rank' | 'trail' | 'categories' | 'category' | 'corpus' | 'judge' | 'api' | 'missing';

/** Where one is: a view, the corpus (null: the first one), the titles or the category in the path, and the query. */
export interface Route {
  view: View;
  corpus: string | null;
  names: string[];
  query: URLSearchParams;
}

/** What every view is given. */
export interface ViewProps {
  service: Schemas['CorpusList'];
  corpus: Schemas['CorpusFacts'];
  route: Route;
}

type Loader = () => Promise<{ default: Component<ViewProps> }>;

/** Each view is a script of its own, loaded when it is first shown. */
export const views: Record<Exclude<View, 'missing'>, Loader> = {
  home: () => import('./views/home/Home.svelte'),
  read: () => import('./views/read/Read.svelte'),
  rank: () => import('./views/rank/Rank.svelte'),
  trail: () => import('./views/trail/Trail.svelte'),
  categories: () => import('./views/category/Categories.svelte'),
  category: () => import('./views/category/Category.svelte'),
  corpus: () => import('./views/corpus/Corpus.svelte'),
  judge: () => import('./views/judge/Judge.svelte'),
  api: () => import('./views/api/Api.svelte'),
};

/** How many names a view has in its path: at least, at most. */
const NAMES: Partial<Record<string, [View, number, number]>> = {
  read: ['read', 1, 1],
  rank: ['rank', 1, 1],
  trail: ['trail', 1, Infinity],
  categories: ['categories', 0, 0],
  category: ['category', 1, 1],
  corpus: ['corpus', 0, 0],
  judge: ['judge', 0, 0],
};

/** Reads an address. */
export function parse(url: URL): Route {
  const query = url.searchParams;
  const missing: Route = { view: 'missing', corpus: null, names: [], query };
  let parts: string[];
  try {
    parts = url.pathname.split('/').filter(Boolean).map(decode);
  } catch {
    return missing;
  }
  const [corpus, view, ...names] = parts;
  if (corpus === undefined) return { view: 'home', corpus: null, names, query };
  if (corpus === 'api' && view === undefined) return { view: 'api', corpus: null, names, query };
  if (view === undefined) return { view: 'home', corpus, names, query };
  const [found, least, most] = NAMES[view] ?? ['missing', 0, 0];
  if (found === 'missing' || names.length < least || names.length > most) return { ...missing, corpus };
  return { view: found, corpus, names, query };
}

/** What makes two routes the same page, so that only its query or the steps of a trail differ. */
export function pageOf(route: Route): string {
  const names = route.view === 'trail' ? route.names.slice(0, 1) : route.names;
  return JSON.stringify([route.view, route.corpus, ...names]);
}

type Params = Record<string, string | number | boolean | null | undefined>;

function path(parts: string[], params: Params = {}): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    if (value !== undefined && value !== null && value !== '' && value !== false) query.set(name, String(value));
  }
  const text = query.toString();
  return `/${parts.map(encode).join('/')}${text ? `?${text}` : ''}`;
}

/**
 * A name as a part of a path. `.` and `..` mean folders there, even encoded, so they have a slash in front; names that
 * look like that have one more.
 */
function encode(part: string): string {
  return (/^\/*\.{1,2}$/.test(part) ? '%2F' : '') + encodeURIComponent(part);
}

function decode(part: string): string {
  return decodeURIComponent(part).replace(/^\/(\/*\.{1,2})$/, '$1');
}

/** The scorer in a query, where it is not the default of the corpus. */
export const scorerIn = (corpus: Schemas['CorpusFacts'], scorer: string) => ({
  scorer: scorer === corpus.default_scorer ? undefined : scorer,
});

/** Addresses, for links. */
export const href = {
  home: (corpus?: string | null) => (corpus ? `${path([corpus])}/` : '/'),
  read: (corpus: string, title: string, params?: Params) => path([corpus, 'read', title], params),
  rank: (corpus: string, title: string, params?: Params) => path([corpus, 'rank', title], params),
  trail: (corpus: string, titles: string[], params?: Params) => path([corpus, 'trail', ...titles], params),
  categories: (corpus: string) => path([corpus, 'categories']),
  category: (corpus: string, name: string, params?: Params) => path([corpus, 'category', name], params),
  corpus: (corpus: string, params?: Params) => path([corpus, 'corpus'], params),
  judge: (corpus: string) => path([corpus, 'judge']),
  api: () => '/api',
};
