import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathOf, settled } from '../support/browser.mjs';

export function read(world) {
  const visit = (title, query = '', options = {}) => world.browser.visit(`${world.address}/demo/read/${title}${query}`, options);
  const heading = (page) => page.locator('#reason-heading');

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
    await heading(page).getByText('Fish').waitFor();
    assert.match(pathOf(page), /^\/demo\/read\/Jupiter\?link=Fish$/u);
    await page.keyboard.press('Escape');
    await page.waitForURL('**/read/Jupiter');
  });

  test('the way back closes the reason and leaves the text where it is', async () => {
    const page = await visit('Jupiter', '', { size: 'phone', touch: true });
    const link = page.locator('article a[data-target="Fish"]').first();
    await link.click();
    await heading(page).getByText('Fish').waitFor();
    await page.evaluate(() => window.scrollTo(0, 120));
    await page.goBack();
    await heading(page).waitFor({ state: 'detached' });
    assert.equal(pathOf(page), '/demo/read/Jupiter');
    assert.equal(await page.evaluate(() => window.scrollY), 120);
    await page.goForward();
    await heading(page).getByText('Fish').waitFor();
    // Closed by its button it leaves no step behind.
    await page.getByRole('button', { name: 'Close the reason' }).click();
    await heading(page).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Corpus', exact: true }).click();
    await page.waitForURL('**/corpus');
    await page.goBack();
    await settled(page);
    assert.equal(pathOf(page), '/demo/read/Jupiter');
    assert.equal(await heading(page).count(), 0);
  });

  test('a closed reason gives the focus back to its link', async () => {
    const page = await visit('Jupiter');
    await page.locator('article a[data-target="Fish"]').first().focus();
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.activeElement?.id === 'reason-heading');
    await page.keyboard.press('Escape');
    await page.waitForFunction(() => document.activeElement?.getAttribute('data-target') === 'Fish');
  });

  test('the list beside the text says whether anything is surprising', async () => {
    const page = await visit('Jupiter');
    const answer = await page.request.get(`${world.address}/api/v1/rank?corpus=demo&page=Jupiter`);
    const { links, num_surprising } = await answer.json();
    const name = num_surprising ? 'Surprising here' : 'Nothing surprising on this page';
    await page.getByRole('heading', { name }).waitFor();
    assert.equal(await page.locator('aside ol > li').count(), Math.min(links.length, 7));
    const marked = await page.locator('article a.level3').evaluateAll((marks) => marks.map(({ dataset }) => dataset.target));
    const surprising = links.filter(({ surprising }) => surprising).map(({ target }) => target);
    assert.ok(marked.every((target) => surprising.includes(target)), `${marked} but ${surprising}`);
  });

  test('a link that is not in the text is coloured as odd only where that is asked for', async () => {
    const prepare = (fresh) =>
      fresh.route('**/api/v1/rank?*', async (route) => {
        const response = await route.fetch();
        const ranking = await response.json();
        for (const row of ranking.links) Object.assign(row, { where: 'table', odder_than: 99, surprising: false });
        await route.fulfill({ response, json: ranking });
      });
    const page = await visit('Jupiter', '', { prepare });
    const odd = page.locator('article :is(a.level1, a.level2, a.level3)');
    assert.equal(await odd.count(), 0);
    await page.getByLabel('also in tables, lists and references').check();
    await odd.first().waitFor();
    assert.match(await odd.first().getAttribute('title'), /odder than 99% of this wiki’s links, in a table/u);
    assert.match(pathOf(page), /where=all/u);
  });

  test('a click in the list of odd links scrolls to the link in the text', async () => {
    const page = await visit('Jupiter');
    const target = await page.locator('aside ol a').first().getAttribute('data-target');
    await page.locator(`aside ol a[data-target="${target}"]`).click();
    await heading(page).waitFor();
    const box = await page.locator(`article a[data-target="${target}"]`).first().boundingBox();
    assert.ok(box.y > 0 && box.y < 900, `at ${box.y}`);
  });

  test('j and k go from link to link, n and p along the odd ones', async () => {
    const page = await visit('Jupiter');
    const targets = await page.locator('article a[data-target]').evaluateAll((links) => links.map((link) => link.dataset.target));
    const focused = () => page.evaluate(() => [...document.querySelectorAll('article a[data-target]')].indexOf(document.activeElement));
    await page.keyboard.press('j');
    assert.equal(await focused(), 0);
    await page.keyboard.press('j');
    assert.equal(await focused(), 1);
    await page.keyboard.press('k');
    assert.equal(await focused(), 0);
    // From an ordinary link the next odd one is the one after it, not the first of all.
    await page.locator('article a[data-target]').nth(targets.indexOf('Fish') - 1).focus();
    await page.keyboard.press('n');
    assert.equal(targets[await focused()], 'Fish');
    await page.keyboard.press('p');
    assert.notEqual(targets[await focused()], 'Fish');
    await page.keyboard.press('Enter');
    await page.waitForURL(/link=/u);
  });

  test('the address of an opened reason can be shared', async () => {
    const page = await visit('Jupiter', '?link=Fish');
    await heading(page).getByText('Fish').waitFor();
  });

  test('back and forward go between articles, to where one had read', async () => {
    const page = await visit('Jupiter', '', { size: 'phone' });
    await page.locator('article a[data-target="Saturn"]').first().click();
    await page.getByRole('link', { name: 'Open page' }).click();
    await page.waitForURL('**/read/Saturn');
    await settled(page);
    assert.equal(await page.evaluate(() => window.scrollY), 0);
    await page.goBack();
    await settled(page);
    assert.equal(await page.locator('h1').textContent(), 'Jupiter');
    await page.waitForFunction(() => window.scrollY > 0);
    await page.goForward();
    await settled(page);
    assert.equal(await page.locator('h1').textContent(), 'Saturn');
  });
}
