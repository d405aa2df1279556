// Light, dark, or as the system has it.

import { keep, kept } from './storage';

export const THEMES = ['auto', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

export const storedTheme = (): Theme => THEMES.find((theme) => theme === kept('theme')) ?? 'auto';

export function applyTheme(theme: Theme): void {
  if (theme === 'auto') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  keep('theme', theme);
}
