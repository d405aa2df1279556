import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { pathOf, settled } from '../support/browser.mjs';

export function corpus(world) {
  const visit = (query = '', options = {}) => world.browser.visit(`${world.address}/demo/corpus${query}`, options);
  const rows = (page) => page.locator('ol.links > li');

  test('the most unexpected links of the corpus are listed with their sentences', async () => {
    const page = await visit();
    assert.equal(await rows(page).count(), 25);
    assert.ok((await page.locator('ol.links mark').count()) > 10);
    await rows(page).first().getByRole('link').first().click();
    await page.waitForURL(/\/read\/.*link=/u);
    await page.goBack();
    await settled(page);
    await rows(page).first().getByRole('link').nth(1).click();
    await page.waitForURL(/\/rank\/.*open=/u);
    await settled(page);
    await page.locator('li.open').waitFor();
  });

  test('filters narrow the list and are in the address', async () => {
    const page = await visit();
    await page.getByRole('combobox', { name: 'Source in the category' }).fill('planet');
    await page.getByRole('listbox').getByRole('option', { name: 'Planets', exact: true }).click();
    await page.waitForURL(/from_category=Planets/u);
    await settled(page);
    const answer = await page.request.get(`${world.address}/api/v1/category?corpus=demo&name=Planets`);
    assert.equal(answer.status(), 200);
    const sources = await rows(page).locator('.ends a:first-child').allTextContents();
    assert.ok(sources.length > 0);
    for (const source of sources.slice(0, 5)) {
      const article = await page.request.get(`${world.address}/api/v1/page?corpus=demo&title=${encodeURIComponent(source.trim())}`);
      assert.ok((await article.json()).categories.includes('Planets'), source);
    }
    await page.getByLabel('At most … a page').fill('1');
    await page.keyboard.press('Tab');
    await page.waitForURL(/per_page=1/u);
    await settled(page);
    const once = await rows(page).locator('.ends a:first-child').allTextContents();
    assert.equal(new Set(once).size, once.length);
    await page.reload();
    await settled(page);
    assert.equal(await page.getByRole('combobox', { name: 'Source in the category' }).inputValue(), 'Planets');
    await page.goBack();
    await page.waitForURL((url) => !url.search.includes('per_page'));
  });

  test('another scorer is in the address', async () => {
    const page = await visit();
    await page.getByLabel('Scorer').selectOption('llamafur');
    await page.waitForURL(/scorer=llamafur/u);
    await settled(page);
    await page.getByText('by llamafur').first().waitFor();
  });

  test('the distribution of scores has an axis and shows where the listed links are', async () => {
    const page = await visit();
    const chart = page.getByRole('img', { name: /Distribution of the scores/u });
    await chart.waitFor();
    assert.ok((await chart.locator('.bin').count()) >= 20);
    assert.ok((await chart.locator('text').count()) > 3);
    assert.equal(await chart.locator('.shown').count(), 25);
  });

  test('the figures of the evaluation are shown where there is a report', async () => {
    const page = await visit();
    const figure = page.getByRole('img', { name: /Average bpref/u });
    await figure.scrollIntoViewIfNeeded();
    await page.waitForFunction((image) => image.complete && image.naturalWidth > 0, await figure.elementHandle());
    const whole = await page.getByRole('link', { name: 'the whole report' }).getAttribute('href');
    assert.equal((await page.request.get(world.address + whole)).status(), 200);
  });

  test('the list can be downloaded', async () => {
    const page = await visit('?top=5');
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'TSV' }).click()]);
    const lines = (await readFile(await download.path(), 'utf8')).trim().split('\n');
    assert.ok(lines.length >= 5 && lines.at(-1).includes('\t'));
  });

  test('a number that is none is ignored', async () => {
    const page = await visit('?top=abc&min_links=-3&per_page=1e999');
    assert.equal(await rows(page).count(), 25);
    assert.match(pathOf(page), /top=abc/u);
  });

  test('a wrong category offers similar ones, and the other filters stay', async () => {
    const page = await visit('?to_category=Planetz&per_page=1', { expected: [/404/u] });
    await page.getByRole('alert').getByRole('link', { name: 'Planets', exact: true }).click();
    await page.waitForURL(/to_category=Planets/u);
    await rows(page).first().getByRole('link').first().waitFor();
    assert.match(pathOf(page), /per_page=1/u);
  });

  test('the box of a filter shows the filter, not what was typed and left', async () => {
    const page = await visit('?from_category=Planets');
    const box = page.getByRole('combobox', { name: 'Source in the category' });
    await box.fill('Moo');
    await page.getByLabel('Rows').focus();
    assert.equal(await box.inputValue(), 'Planets');
    await box.fill('');
    await page.waitForURL((url) => !url.search.includes('from_category'));
  });
}
