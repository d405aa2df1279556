// The token that judging needs where the server is not on this machine. The address that the server prints has it in its
// fragment, which browsers do not send.

const KEY = 'llamafur.token';

/** Moves the token from the address to the storage of this session. */
export function takeToken(): void {
  const given = new URLSearchParams(location.hash.slice(1)).get('token');
  if (given === null) return;
  storeToken(given);
  history.replaceState(history.state, '', location.pathname + location.search);
}

export function storedToken(): string {
  try {
    return sessionStorage.getItem(KEY) ?? '';
  } catch {
    return '';
  }
}

export function storeToken(token: string): void {
  try {
    sessionStorage.setItem(KEY, token);
  } catch {
    // Storage may be forbidden: then the token lasts as long as the view.
  }
}
