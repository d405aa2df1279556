// Pages in a real Chromium, watched: a page of ours asks its own host only, writes no error, opens no dialog, and obeys
// its content-security policy.

import assert from 'node:assert/strict';
import { AxeBuilder } from '@axe-core/playwright';
import { chromium } from 'playwright-core';

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];

export const SIZES = { wide: { width: 1280, height: 900 }, phone: { width: 375, height: 812 } };

export class Browser {
  #chromium;
  #open = [];

  static async launch() {
    const browser = new Browser();
    browser.#chromium = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: FLAGS });
    return browser;
  }

  /**
   * A page of a fresh visitor. `expected` are errors that the test provokes. `prepare` is given the page before it loads:
   * requests that are intercepted later may get past.
   */
  async visit(address, { size = 'wide', scheme = 'light', motion = 'reduce', expected = [], touch = false, prepare } = {}) {
    const context = await this.#chromium.newContext({
      viewport: SIZES[size],
      colorScheme: scheme,
      reducedMotion: motion,
      hasTouch: touch,
      locale: 'en-US',
    });
    const problems = [];
    const host = new URL(address).host;
    context.setDefaultTimeout(60_000);
    context.on('request', (request) => {
      const url = new URL(request.url());
      if (/^https?:$/u.test(url.protocol) && url.host !== host) problems.push(`a request to ${url.host}`);
    });
    const page = await context.newPage();
    const pending = new Set();
    UNANSWERED.set(page, pending);
    page.on('request', (request) => pending.add(request));
    for (const end of ['requestfinished', 'requestfailed']) page.on(end, (request) => pending.delete(request));
    page.on('console', (message) => {
      if (message.type() === 'error') problems.push(message.text());
    });
    page.on('pageerror', (error) => problems.push(`${error.message}\n${error.stack}`));
    page.on('dialog', (dialog) => {
      // A page that warns of what is not saved yet is left all the same.
      if (dialog.type() === 'beforeunload') return void dialog.accept();
      problems.push(`a dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    await page.addInitScript(() => {
      window.violations = [];
      document.addEventListener('securitypolicyviolation', (event) => {
        window.violations.push(`${event.violatedDirective} ${event.blockedURI}`);
      });
    });
    this.#open.push({ context, page, problems, expected });
    await prepare?.(page);
    await page.goto(address);
    await settled(page);
    return page;
  }

  /** Closes all pages, and fails if one of them misbehaved. */
  async finish() {
    const found = [];
    for (const { context, page, problems, expected } of this.#open.splice(0)) {
      const violations = page.isClosed() ? [] : await page.evaluate(() => window.violations ?? []).catch(() => []);
      found.push(...[...problems, ...violations].filter((text) => !expected.some((pattern) => pattern.test(text))));
      await context.close();
    }
    assert.deepEqual(found, []);
  }

  async close() {
    await this.#chromium.close();
  }
}

/** The requests of each page that have no answer yet. */
const UNANSWERED = new WeakMap();

/** Waits until a view has what it shows: it has a heading, nothing is loading, and that stays so for a moment. */
export async function settled(page) {
  await page.locator('main h1').first().waitFor();
  const isLoading = async () => UNANSWERED.get(page).size > 0 || (await page.locator('main .loading').count()) > 0;
  for (let quiet = 0, until = Date.now() + 60_000; quiet < 3; quiet += 1) {
    assert.ok(Date.now() < until, `still loading: ${[...UNANSWERED.get(page)].map((request) => request.url())}`);
    if (await isLoading()) quiet = -1;
    await page.waitForTimeout(40);
  }
}

/** What axe finds that is serious or critical. */
export async function seriousProblems(page) {
  const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).analyze();
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  return serious.map(({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.html.slice(0, 160)} ${node.any[0]?.message ?? ''}`).join(' | ')}`);
}

/** The path and the query of a page's address. */
export function pathOf(page) {
  const { pathname, search } = new URL(page.url());
  return decodeURIComponent(pathname) + search;
}
