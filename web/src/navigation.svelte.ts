// Moving between addresses with the history API: links are followed without loading the page again, back and forward
// return to where one had scrolled.

import { parse, type Route } from './router';

class Navigation {
  /** Where one is. */
  route: Route = $state.raw(parse(new URL(location.href)));
  /** Whether one has moved since the page was loaded: then the heading of a view takes the focus. */
  moved = $state(false);
}

export const navigation = new Navigation();

/** Goes to an address. With `replace`, the one before leaves the history. With `stay`, scrolling and focus are kept. */
export function navigate(to: string, { replace = false, stay = replace }: { replace?: boolean; stay?: boolean } = {}): void {
  rememberScroll();
  if (replace || new URL(to, location.href).href === location.href) history.replaceState(history.state, '', to);
  else history.pushState(null, '', to);
  navigation.moved ||= !stay;
  navigation.route = parse(new URL(location.href));
  if (!stay) window.scrollTo(0, 0);
}

/** Changes some of the query, without a step in the history. An empty value removes its name. */
export function setQuery(changes: Record<string, string | null | undefined>, { push = false } = {}): void {
  const url = new URL(location.href);
  for (const [name, value] of Object.entries(changes)) {
    if (value) url.searchParams.set(name, value);
    else url.searchParams.delete(name);
  }
  navigate(url.pathname + url.search, { replace: !push, stay: true });
}

/** Takes over clicks on links of this page, and the back and forward buttons. Returns what undoes that. */
export function listen(): () => void {
  history.scrollRestoration = 'manual';
  const controller = new AbortController();
  const { signal } = controller;
  document.addEventListener('click', follow, { signal });
  window.addEventListener('popstate', back, { signal });
  window.addEventListener('pagehide', rememberScroll, { signal });
  let timer: ReturnType<typeof setTimeout> | undefined;
  window.addEventListener(
    'scroll',
    () => {
      clearTimeout(timer);
      timer = setTimeout(rememberScroll, 150);
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
  navigation.moved = true;
  navigation.route = parse(new URL(location.href));
  restoreScroll();
}

function rememberScroll(): void {
  history.replaceState({ ...(history.state as object | null), scroll: window.scrollY }, '');
}

/** Scrolls to where one was, as soon as enough of the view is there; any move of the reader ends the wait. */
function restoreScroll(): void {
  const to = (history.state as { scroll?: number } | null)?.scroll ?? 0;
  if (to === 0) return window.scrollTo(0, 0);
  const controller = new AbortController();
  const { signal } = controller;
  for (const event of ['wheel', 'touchstart', 'keydown', 'pointerdown']) {
    window.addEventListener(event, () => controller.abort(), { signal, passive: true });
  }
  const observer = new ResizeObserver(() => {
    if (document.documentElement.scrollHeight < to + window.innerHeight) return;
    window.scrollTo(0, to);
    controller.abort();
  });
  signal.addEventListener('abort', () => observer.disconnect());
  observer.observe(document.body);
  setTimeout(() => controller.abort(), 4000);
}
