// What the parts of an article need to know of its links.

import { createContext } from 'svelte';
import type { Level } from '../../scale';

export interface Reading {
  /** The address of the page that a link leads to. */
  address(target: string): string;
  /** The step of a link on the scale from expected to unexpected. */
  level(target: string): Level;
  /** How unexpected a link is, in words. */
  describe(target: string): string;
  /** Whether ordinary links are shown as plain text. */
  readonly onlyOdd: boolean;
  /** The link whose reason is shown. */
  readonly chosen: string | null;
  /** Shows the reason of a link. */
  choose(target: string, from: HTMLElement): void;
}

export const [getReading, setReading] = createContext<Reading>();
