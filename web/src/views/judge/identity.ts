// Who judges: a name that the browser keeps.

const KEY = 'llamafur.judge';

export function storedName(): string {
  try {
    return localStorage.getItem(KEY) ?? '';
  } catch {
    return '';
  }
}

export function storeName(name: string): void {
  try {
    localStorage.setItem(KEY, name);
  } catch {
    // Storage may be forbidden: then the name lasts as long as the view.
  }
}
