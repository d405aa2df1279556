// Keys that work everywhere: `/` searches, `r` surprises.

import { surprise } from './surprise';

/** Whether a key goes to something that takes text. */
export function isTyping(event: KeyboardEvent): boolean {
  const { target } = event;
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName));
}

/** Whether an event is a plain key outside of fields. */
export function isShortcut(event: KeyboardEvent): boolean {
  return !(event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey || isTyping(event));
}

export function shortcuts(event: KeyboardEvent, corpus: string | undefined): void {
  if (!isShortcut(event)) return;
  if (event.key === '/') {
    const search = document.querySelector<HTMLInputElement>('main [data-search], [data-search]');
    if (!search) return;
    event.preventDefault();
    search.focus();
    search.select();
  } else if (event.key === 'r' && corpus !== undefined) {
    // A button shows what fails; a key that finds nothing does nothing.
    surprise(corpus).catch(() => undefined);
  }
}
