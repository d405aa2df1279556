// Keys that work everywhere: `/` searches, `r` surprises.

import type { View } from './router';
import { surprise } from './surprise';

/** What takes text, so that keys are not ours. */
const FIELDS = 'input:not([type=checkbox], [type=range]), select, textarea';

/** Whether an event is a plain key outside of fields. */
export function isShortcut(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return false;
  return !(event.target instanceof Element && event.target.matches(FIELDS));
}

export function shortcuts(event: KeyboardEvent, view: View, corpus: string | undefined): void {
  if (!isShortcut(event) || event.repeat) return;
  if (event.key === '/') {
    const search = document.querySelector<HTMLInputElement>('[data-search]');
    if (!search) return;
    event.preventDefault();
    search.focus();
    search.select();
    // A judge must not come upon scores by a slip of the finger.
  } else if (event.key === 'r' && corpus !== undefined && view !== 'judge') {
    // A button shows what fails; a key that finds nothing does nothing.
    surprise(corpus).catch(() => undefined);
  }
}
