// Every view in light and dark, wide and on a phone: what axe finds, what is too wide, and a picture to look at.

import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { seriousProblems, settled, SIZES } from '../support/browser.mjs';

const SHOTS = fileURLToPath(new URL('../shots/', import.meta.url));

const VIEWS = {
  home: '/demo/',
  search: '/demo/',
  read: '/demo/read/Jupiter',
  reason: '/demo/read/Jupiter?link=Fish',
  rank: '/demo/rank/Jupiter',
  account: '/demo/rank/Jupiter?open=Fish',
  trail: '/demo/trail/Jupiter/Fish',
  categories: '/demo/categories',
  category: '/demo/category/Planets',
  corpus: '/demo/corpus',
  'judge-start': '/demo/judge',
  judge: '/demo/judge',
  api: '/api',
  missing: '/demo/nothing/here',
  error: '/demo/read/Jupitr',
};

/** What is done before a view is looked at. */
const STEPS = {
  async search(page) {
    await page.locator('main').getByRole('combobox').fill('mo');
    await page.getByRole('listbox').getByRole('option').nth(3).waitFor();
    await page.keyboard.press('ArrowDown');
  },
  async judge(page) {
    await page.getByLabel('Your name').fill('Looker');
    await page.getByRole('button', { name: 'Begin' }).click();
    await page.getByRole('article', { name: 'Link to be judged' }).waitFor();
  },
};

export function looks(world) {
  for (const [name, path] of Object.entries(VIEWS)) {
    test(`${name} is accessible and fits, wide and on a phone, light and dark`, async () => {
      await mkdir(SHOTS, { recursive: true });
      const problems = [];
      for (const size of Object.keys(SIZES)) {
        const page = await world.browser.visit(world.address + path, { size, expected: [/404/u] });
        await STEPS[name]?.(page);
        await settled(page);
        // Rows out of sight are not drawn, and would be blank in a picture of the whole page.
        await page.locator('main li').evaluateAll((rows) => rows.forEach((row) => (row.style.contentVisibility = 'visible')));
        for (const colorScheme of ['light', 'dark']) {
          await page.emulateMedia({ colorScheme });
          await page.screenshot({ path: `${SHOTS}${name}-${size}-${colorScheme}.png`, fullPage: name !== 'api' });
          const isTooWide = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth + 1);
          if (isTooWide) problems.push(`${size} ${colorScheme}: too wide`);
          // Each size and each scheme once.
          if ((size === 'wide') !== (colorScheme === 'light')) continue;
          problems.push(...(await seriousProblems(page)).map((problem) => `${size} ${colorScheme}: ${problem}`));
        }
      }
      assert.deepEqual(problems, []);
    });
  }

  test('no request leaves the host', async () => {
    const page = await world.browser.visit(world.address, { expected: [/404/u] });
    const hosts = new Set();
    page.on('request', (request) => hosts.add(new URL(request.url()).host));
    for (const path of Object.values(VIEWS)) {
      await page.goto(world.address + path);
      await settled(page);
    }
    assert.deepEqual([...hosts], [new URL(world.address).host]);
  });
}
