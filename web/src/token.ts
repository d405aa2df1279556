// The token that judging needs where the server is not on this machine. The address that the server prints has it in its
// fragment, which browsers do not send.

import { keep, kept } from './storage';

/** Moves the token from the address to the storage of this session. */
export function takeToken(): void {
  const given = new URLSearchParams(location.hash.slice(1)).get('token');
  if (given === null) return;
  storeToken(given);
  history.replaceState(history.state, '', location.pathname + location.search);
}

export const storedToken = (): string => kept('token', 'sessionStorage');

export const storeToken = (token: string): void => keep('token', token, 'sessionStorage');
