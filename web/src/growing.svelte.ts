// A long list that is rendered in pieces, so that its first rows are there at once.

const FIRST = 60;
const PIECE = 150;

/** The first items now, and more of them whenever the browser is idle. */
export function growing<T>(items: () => T[]): { readonly items: T[] } {
  let most = $state(FIRST);
  let all: T[] | undefined;

  $effect(() => {
    const list = items();
    if (all !== list) {
      all = list;
      most = FIRST;
    }
    if (most >= list.length) return;
    const grow = () => (most += PIECE);
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
