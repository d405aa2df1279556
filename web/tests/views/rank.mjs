import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { NUM_LINKS } from '../support/corpora.mjs';
import { pathOf, settled } from '../support/browser.mjs';

export function rank(world) {
  const visit = (query = '', corpus = 'demo', title = 'Jupiter') =>
    world.browser.visit(`${world.address}/${corpus}/rank/${title}${query}`);
  const titles = (page) => page.locator('main ol > li h2').allTextContents();

  test('the most unexpected link comes first, and reversed last', async () => {
    const page = await visit();
    const ranking = await (await page.request.get(`${world.address}/api/v1/rank?corpus=demo&page=Jupiter`)).json();
    assert.equal((await titles(page))[0].trim(), ranking.links[0].target);
    await page.getByRole('button', { name: 'Most expected first' }).click();
    assert.equal((await titles(page))[0].trim(), ranking.links.at(-1).target);
    assert.match(pathOf(page), /order=expected/u);
  });

  test('a link unfolds to a heat map whose numbers add up to the score', async () => {
    const page = await visit();
    await page.getByRole('button', { name: /^.*Why/u }).first().click();
    const box = page.getByRole('region', { name: /Weights of pairs/u }).first();
    await box.waitFor();
    const cells = await box.locator('tbody td:not(.sum)').allTextContents();
    const shown = (text) => Number(text.replace('−', '-').replaceAll(',', ''));
    const total = shown(await box.locator('.total').textContent());
    const sum = cells.reduce((all, cell) => all + shown(cell), 0);
    // Each cell is rounded to a hundredth.
    assert.ok(Math.abs(sum - total) <= 0.005 * (cells.length + 1), `${sum} is not ${total}`);
    const target = new URL(page.url()).searchParams.get('open');
    const query = new URLSearchParams({ corpus: 'demo', source: 'Jupiter', target, grid: 'true' });
    const link = await (await page.request.get(`${world.address}/api/v1/explain?${query}`)).json();
    const [first] = link.matrices;
    const exact = first.grid.weights.flat().reduce((all, weight) => all + weight, 0);
    assert.ok(Math.abs(exact - first.expectedness) < 1e-3 * Math.max(1, Math.abs(exact)), `${exact} is not ${first.expectedness}`);
    assert.ok(Math.abs(total - first.expectedness) < 0.006);
  });

  test('another scorer gives another ranking, in the address', async () => {
    const page = await visit();
    const before = await titles(page);
    await page.getByLabel('Scorer').selectOption('llamafur');
    await settled(page);
    await page.waitForFunction((was) => {
      const now = [...document.querySelectorAll('main ol > li h2')].map((title) => title.textContent);
      return now.length > 0 && now.join() !== was;
    }, before.join());
    assert.match(pathOf(page), /scorer=llamafur/u);
    await page.reload();
    await settled(page);
    assert.notDeepEqual(await titles(page), before);
  });

  test('a filter leaves the links that contain it', async () => {
    const page = await visit();
    await page.getByLabel('Filter').fill('fish');
    await page.waitForFunction(() => document.querySelectorAll('main ol > li').length < 10);
    assert.ok((await page.locator('main ol > li').allTextContents()).every((text) => /fish/iu.test(text)));
  });

  test('the ranking can be downloaded as TSV and JSON', async () => {
    const page = await visit();
    for (const [name, holds] of [['TSV', /Fish/u], ['JSON', /"target":\s*"Fish"/u]]) {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name, exact: true }).click(),
      ]);
      assert.match(await readFile(await download.path(), 'utf8'), holds);
      assert.match(download.suggestedFilename(), /Jupiter/u);
    }
  });

  test('a page with 3,000 links is shown soon and scrolls to its end', async () => {
    const page = await visit('', 'large', 'Hub');
    await page.getByText(`${NUM_LINKS.toLocaleString('en-US')} links`).first().waitFor();
    const longest = await page.evaluate(async () => {
      let worst = 0;
      let before = performance.now();
      const frame = () => new Promise(requestAnimationFrame);
      for (let step = 0; step < 400; step += 1) {
        window.scrollBy(0, 1500);
        await frame();
        const now = performance.now();
        worst = Math.max(worst, now - before);
        before = now;
      }
      return worst;
    });
    await page.waitForFunction((all) => document.querySelectorAll('main ol > li').length === all, NUM_LINKS);
    const last = page.locator('main ol > li').last();
    await last.scrollIntoViewIfNeeded();
    assert.ok(await last.isVisible());
    // A hang would be seconds; the bound leaves room for a loaded machine.
    assert.ok(longest < 1000, `a frame took ${Math.round(longest)} ms`);
  });
}
