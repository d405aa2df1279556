// The links of an article as elements: finding them, and bringing one into sight.

/** The links in a text, in its order. */
export function linksIn(text: HTMLElement | undefined): HTMLElement[] {
  return [...(text?.querySelectorAll<HTMLElement>('a[data-target]') ?? [])];
}

/** The link after or before one, round the ends; without one the first or the last. */
export function neighbour(links: HTMLElement[], from: Element | null | undefined, by: 1 | -1): HTMLElement | undefined {
  const at = links.findIndex((link) => link === from);
  if (at < 0) return by > 0 ? links[0] : links.at(-1);
  return links[(at + by + links.length) % links.length];
}

/** Scrolls to a link unless it is in sight: on small screens above the panel, which covers the lower part. */
export function reveal(link: HTMLElement | undefined): void {
  if (!link) return;
  const bottom = window.innerHeight * (matchMedia('(max-width: 62rem)').matches ? 0.36 : 1);
  const { top } = link.getBoundingClientRect();
  if (top < 20 || top > bottom - 40) window.scrollBy(0, top - bottom / 2);
}
