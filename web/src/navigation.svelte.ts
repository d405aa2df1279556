// Moving between addresses with the history API: links are followed without loading the page again, back and forward
// return to where one had scrolled.

import { pageOf, parse, type Route } from './router';

class Navigation {
  /** Where one is. */
  route: Route = $state.raw(parse(new URL(location.href)));
  /** Whether one has moved since the page was loaded: then the heading of a view takes the focus. */
  moved = $state(false);
}

export const navigation = new Navigation();

/** A scroll that is not remembered yet, and one that waits until enough of the view is there. */
let scrolled: ReturnType<typeof setTimeout> | undefined;
let restoring: AbortController | undefined;

/** What the history keeps of an entry: how far one had scrolled, and whether it is a step within the page before. */
interface Entry {
  scroll?: number;
  isStep?: boolean;
}

const entry = (): Entry => (history.state as Entry | null) ?? {};

interface How {
  /** The address before leaves the history. */
  replace?: boolean;
  /** Scrolling and focus are kept. */
  stay?: boolean;
  isStep?: boolean;
}

/** Goes to an address. */
export function navigate(to: string, { replace = false, stay = replace, isStep = false }: How = {}): void {
  restoring?.abort();
  if (replace || new URL(to, location.href).href === location.href) {
    rememberScroll(to);
  } else {
    rememberScroll();
    history.pushState({ isStep } satisfies Entry, '', to);
  }
  navigation.moved ||= !stay;
  navigation.route = parse(new URL(location.href));
  if (!stay) window.scrollTo(0, 0);
}

type Changes = Record<string, string | null | undefined>;

function changed(changes: Changes): string {
  const url = new URL(location.href);
  for (const [name, value] of Object.entries(changes)) {
    if (value) url.searchParams.set(name, value);
    else url.searchParams.delete(name);
  }
  return url.pathname + url.search;
}

/** Changes some of the query; with `push` that is a step in the history. An empty value removes its name. */
export function setQuery(changes: Changes, { push = false } = {}): void {
  navigate(changed(changes), { replace: !push, stay: true, isStep: push });
}

/** Changes the query back: where a step had changed it, that step leaves the history. */
export function endStep(changes: Changes): void {
  if (!entry().isStep) return setQuery(changes);
  const to = changed(changes);
  window.addEventListener('popstate', () => navigate(to, { replace: true }), { once: true });
  history.back();
}

/** Takes over clicks on links of this page, and the back and forward buttons. Returns what undoes that. */
export function listen(): () => void {
  history.scrollRestoration = 'manual';
  const controller = new AbortController();
  const { signal } = controller;
  document.addEventListener('click', follow, { signal });
  window.addEventListener('popstate', back, { signal });
  window.addEventListener('pagehide', () => rememberScroll(), { signal });
  window.addEventListener(
    'scroll',
    () => {
      clearTimeout(scrolled);
      scrolled = setTimeout(rememberScroll, 150);
    },
    { signal, passive: true },
  );
  restoreScroll();
  return () => controller.abort();
}

function follow(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0 || isModified(event)) return;
  const link = event.target instanceof Element ? event.target.closest('a[href]') : null;
  if (!(link instanceof HTMLAnchorElement) || link.target || link.hasAttribute('download')) return;
  const url = new URL(link.href);
  if (url.origin !== location.origin || /^\/(api\/|report\/|assets\/)/.test(url.pathname)) return;
  if (url.hash && url.pathname === location.pathname) return;
  event.preventDefault();
  navigate(url.pathname + url.search);
}

/** Whether a click asks for a new tab or window. */
export function isModified(event: MouseEvent): boolean {
  return event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
}

function back(): void {
  clearTimeout(scrolled);
  restoring?.abort();
  const before = pageOf(navigation.route);
  navigation.moved = true;
  navigation.route = parse(new URL(location.href));
  // A step within a page moves nothing under the reader's eyes.
  if (location.hash || pageOf(navigation.route) !== before) restoreScroll();
}

/** Keeps how far one has scrolled, and maybe another address, in the entry of the history. */
function rememberScroll(to?: string): void {
  clearTimeout(scrolled);
  history.replaceState({ ...entry(), scroll: window.scrollY } satisfies Entry, '', to);
}

/** Scrolls to where one was, or to what the fragment names, as soon as it is there; any move of the reader ends the wait. */
function restoreScroll(): void {
  const { scroll } = entry();
  const id = location.hash.slice(1);
  if (scroll === 0 || (scroll === undefined && !id)) return window.scrollTo(0, 0);
  const controller = (restoring = new AbortController());
  const { signal } = controller;
  for (const event of ['wheel', 'touchstart', 'keydown', 'pointerdown']) {
    window.addEventListener(event, () => controller.abort(), { signal, passive: true });
  }
  const observer = new ResizeObserver(() => {
    const part = document.getElementById(id);
    if (scroll === undefined ? !part : document.documentElement.scrollHeight < scroll + window.innerHeight) return;
    if (scroll === undefined) part?.scrollIntoView();
    else window.scrollTo(0, scroll);
    controller.abort();
  });
  signal.addEventListener('abort', () => observer.disconnect());
  observer.observe(document.body);
  setTimeout(() => controller.abort(), 4000);
}
