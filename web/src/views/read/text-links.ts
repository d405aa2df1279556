// The links of an article as elements: finding them, and bringing one into sight.

/** The links in a text, in its order. */
export function linksIn(text: HTMLElement | undefined): HTMLElement[] {
  return [...(text?.querySelectorAll<HTMLElement>('a[data-target]') ?? [])];
}

/** The link after or before a place in the text, round the ends; without a place the first or the last. */
export function neighbour(links: HTMLElement[], from: Element | null | undefined, by: 1 | -1): HTMLElement | undefined {
  const is = (link: HTMLElement, where: number) => from?.isConnected && (from.compareDocumentPosition(link) & where) !== 0;
  if (by > 0) return links.find((link) => is(link, Node.DOCUMENT_POSITION_FOLLOWING)) ?? links[0];
  return links.findLast((link) => is(link, Node.DOCUMENT_POSITION_PRECEDING)) ?? links.at(-1);
}

/** Scrolls to a link unless it is in sight: on small screens above the panel, which covers the lower part. */
export function reveal(link: HTMLElement | undefined): void {
  if (!link) return;
  const bottom = window.innerHeight * (matchMedia('(max-width: 62rem)').matches ? 0.36 : 1);
  const { top } = link.getBoundingClientRect();
  if (top < 20 || top > bottom - 40) window.scrollBy(0, top - bottom / 2);
}
