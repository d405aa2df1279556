// What the browser keeps. Storage may be forbidden: then nothing is kept, and nothing fails.

type Storage = 'localStorage' | 'sessionStorage';

/** What is kept under a key, empty where there is nothing. */
export function kept(key: string, where: Storage = 'localStorage'): string {
  try {
    return window[where].getItem(`llamafur.${key}`) ?? '';
  } catch {
    return '';
  }
}

/** Keeps a text under a key; an empty one removes it. */
export function keep(key: string, text: string, where: Storage = 'localStorage'): void {
  try {
    if (text) window[where].setItem(`llamafur.${key}`, text);
    else window[where].removeItem(`llamafur.${key}`);
  } catch {
    // Forbidden.
  }
}
