import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathOf, settled } from '../support/browser.mjs';

export function read(world) {
  const visit = (title, query = '') => world.browser.visit(`${world.address}/demo/read/${title}${query}`);

  test('links of an article are coloured by how unexpected they are', async () => {
    const page = await visit('Jupiter');
    const levels = await page.locator('article a[data-target]').evaluateAll((links) => links.map((link) => /level(-?\d)/u.exec(link.className)?.[1]));
    assert.ok(levels.length > 5 && levels.every((level) => level !== undefined));
    assert.ok(new Set(levels).size > 2, `only the levels ${[...new Set(levels)]}`);
    const fish = page.locator('article a[data-target="Fish"]').first();
    const other = page.locator('article a.level-3, article a.level-2, article a.level-1, article a.level0').first();
    const colour = (link) => link.evaluate((element) => getComputedStyle(element).backgroundColor);
    assert.notEqual(await colour(fish), await colour(other));
  });

  test('a click on a link opens its reason beside the text, and Escape closes it', async () => {
    const page = await visit('Jupiter');
    await page.locator('article a[data-target="Fish"]').first().click();
    await page.locator('aside').getByText('Fish').first().waitFor();
    assert.match(pathOf(page), /^\/demo\/read\/Jupiter\?link=Fish$/u);
    await page.keyboard.press('Escape');
    await page.waitForURL('**/read/Jupiter');
  });

  test('keys go from one odd link to the next', async () => {
    const page = await visit('Jupiter');
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute('data-target'));
    await page.keyboard.press('j');
    const first = await focused();
    await page.keyboard.press('j');
    const second = await focused();
    assert.ok(first && second && first !== second, `${first}, ${second}`);
    await page.keyboard.press('k');
    assert.equal(await focused(), first);
    await page.keyboard.press('Enter');
    await page.waitForURL(/link=/u);
  });

  test('the address of an opened reason can be shared', async () => {
    const page = await visit('Jupiter', '?link=Fish');
    await page.locator('aside').getByText('Fish').first().waitFor();
  });

  test('back and forward go between articles', async () => {
    const page = await visit('Jupiter');
    await page.goto(`${world.address}/demo/read/Saturn`);
    await settled(page);
    await page.goBack();
    await settled(page);
    assert.equal(await page.locator('h1').textContent(), 'Jupiter');
    await page.goForward();
    await settled(page);
    assert.equal(await page.locator('h1').textContent(), 'Saturn');
  });
}
