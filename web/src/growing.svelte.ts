// A long list that is rendered in pieces, so that its first rows are there at once.

const FIRST = 60;
const PIECE = 150;

/** The first items now, and more of them whenever the browser is idle. */
export function growing<T>(items: () => T[]): { readonly items: T[] } {
  /** How many of which list: another list begins anew. */
  let grown = $state.raw<{ list?: T[]; most: number }>({ most: FIRST });
  const most = $derived(grown.list === items() ? grown.most : FIRST);

  $effect(() => {
    const list = items();
    const more = most + PIECE;
    if (most >= list.length) return;
    const grow = () => (grown = { list, most: more });
    // Safari has no idle callback.
    if (!('requestIdleCallback' in window)) {
      const timer = setTimeout(grow, 16);
      return () => clearTimeout(timer);
    }
    const handle = requestIdleCallback(grow, { timeout: 200 });
    return () => cancelIdleCallback(handle);
  });

  const shown = $derived(items().slice(0, most));
  return {
    get items() {
      return shown;
    },
  };
}
