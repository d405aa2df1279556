import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { NUM_LINKS } from '../support/corpora.mjs';
import { pathOf, settled } from '../support/browser.mjs';

export function rank(world) {
  const visit = (query = '', corpus = 'demo', title = 'Jupiter', options = {}) =>
    world.browser.visit(`${world.address}/${corpus}/rank/${title}${query}`, options);
  const titles = (page) => page.locator('main ol > li h2').allTextContents();

  const ranked = async (page, query) =>
    (await page.request.get(`${world.address}/api/v1/rank?corpus=demo&page=Jupiter${query}`)).json();
  /** Changes every ranking before the page gets it; `more` is asked for besides. */
  const changing = (change, more = '') => ({
    prepare: (fresh) =>
      fresh.route('**/api/v1/rank?*', async (route) => {
        const response = await route.fetch({ url: route.request().url() + more });
        const ranking = await response.json();
        change(ranking);
        await route.fulfill({ response, json: ranking });
      }),
  });

  test('the row most worth reading comes first, and reversed the most unexpected link last', async () => {
    const page = await visit('?all=1');
    const all = await ranked(page, '&top=0');
    assert.deepEqual((await titles(page)).map((title) => title.trim()), all.links.map(({ target }) => target));
    await page.getByRole('button', { name: 'Most expected first' }).click();
    await settled(page);
    const { links } = await ranked(page, '&top=0&order=oddity');
    assert.equal((await titles(page))[0].trim(), links.at(-1).target);
    assert.match(pathOf(page), /order=expected/u);
  });

  test('only surprising rows are listed, marked as such, until all links are asked for', async () => {
    const page = await visit('', 'demo', 'Jupiter', changing((ranking) => {
      ranking.num_surprising = 2;
      ranking.links.forEach((row, at) => Object.assign(row, { surprising: at < 2, odder_than: 99.27 }));
    }, '&top=3'));
    const rows = page.locator('main ol > li');
    assert.match(await rows.first().textContent(), /surprising\s+odder than\s+99\.2% of this/u);
    assert.doesNotMatch(await rows.nth(2).textContent(), /surprising/u);
    assert.equal(await page.getByRole('heading', { name: 'Nothing surprising on this page' }).count(), 0);
    const whole = await visit();
    const { links } = await ranked(page, '');
    assert.equal((await titles(whole)).length, links.length);
    await whole.getByRole('button', { name: 'All links' }).click();
    await settled(whole);
    assert.ok((await titles(whole)).length > links.length);
    assert.match(pathOf(whole), /all=1/u);
  });

  test('a page with nothing surprising says so, and shows what comes closest', async () => {
    const page = await visit('', 'demo', 'Jupiter', changing((ranking) => {
      ranking.num_surprising = 0;
      ranking.links.forEach((row) => Object.assign(row, { surprising: false }));
    }, '&top=3'));
    await page.getByRole('heading', { name: 'Nothing surprising on this page' }).waitFor();
    await page.getByText('What comes closest:').waitFor();
    assert.equal((await titles(page)).length, 3);
  });

  test('a row has its reasons, its place, its section and the other links of its sentence', async () => {
    const evidence = { kind: 'kin', text: 'None of the 9 other pages in “Planets” links to Fish.', from: 'Planets', links: 0, of: 9 };
    const page = await visit('', 'demo', 'Jupiter', changing((ranking) => {
      Object.assign(ranking.links[0], { where: 'caption', section: 'Pictures', also: ['Saturn'], reasons: [evidence] });
    }));
    const row = page.locator('main ol > li').first();
    const text = (await row.textContent()).replace(/\s+/gu, ' ');
    assert.ok(text.includes(evidence.text), text);
    assert.match(text, /section Pictures.*in a caption.*in the same sentence: Saturn/u);
    assert.match(await row.getByRole('link', { name: 'Saturn' }).getAttribute('href'), /\/read\/Saturn/u);
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
    const page = await visit('?all=1');
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

  test('what is shown is saved and copied as TSV and JSON, filtered and in its order', async () => {
    const page = await visit('?order=expected&filter=space');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const shown = (await titles(page)).map((title) => title.trim());
    assert.ok(shown.length > 1 && shown.length < 20);
    const targets = {
      TSV: (text) => text.trim().split('\n').map((line) => line.split('\t')[1]),
      JSON: (text) => ['target', ...JSON.parse(text).links.map(({ target }) => target)],
    };
    for (const [name, read] of Object.entries(targets)) {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: `Save ${name}` }).click(),
      ]);
      assert.equal(download.suggestedFilename(), `Jupiter.${name.toLowerCase()}`);
      assert.deepEqual(read(await readFile(await download.path(), 'utf8')), ['target', ...shown]);
      await page.getByRole('button', { name: `Copy ${name}` }).click();
      await page.getByRole('status').getByText('Copied').waitFor({ state: 'attached' });
      assert.deepEqual(read(await page.evaluate(() => navigator.clipboard.readText())), ['target', ...shown]);
      await page.getByRole('status').getByText('Copied').waitFor({ state: 'detached' });
    }
  });

  test('the signals of a link add up to its score', async () => {
    const page = await visit('?open=Fish');
    const table = page.locator('li.open table', { hasText: 'The signals of the score' });
    const numbers = (await table.locator('.value').allTextContents()).map((text) => Number(text.replace('−', '-')));
    const total = numbers.pop();
    const query = new URLSearchParams({ corpus: 'demo', source: 'Jupiter', target: 'Fish' });
    const link = await (await page.request.get(`${world.address}/api/v1/explain?${query}`)).json();
    assert.equal(numbers.length, Object.keys(link.signals).length);
    assert.ok(Math.abs(total - link.unexpectedness) <= 0.05, `${total} is not ${link.unexpectedness}`);
    // Each is rounded to a hundredth, the sum to a tenth.
    const sum = numbers.reduce((all, number) => all + number, 0);
    assert.ok(Math.abs(sum - total) <= 0.005 * numbers.length + 0.05, `${sum} is not ${total}`);
  });

  test('typical links of a pair and what would make the link expected are shown', async () => {
    const page = await visit('?open=Fish');
    const account = page.locator('li.open');
    await account.getByText(/With the category .* would be expected to link to/u).waitFor();
    await account.getByRole('tab', { name: /First words/u }).click();
    await account.getByText('typical:').first().waitFor();
    await account.locator('.typical a').first().click();
    await page.waitForURL(/\/read\/.*link=/u);
  });

  test('the live article is one click away', async () => {
    const url = 'https://en.wikipedia.org/wiki/Jupiter';
    const prepare = (fresh) =>
      fresh.route('**/api/v1/page?*', async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, json: { ...(await response.json()), url } });
      });
    for (const view of ['rank', 'read']) {
      const page = await world.browser.visit(`${world.address}/demo/${view}/Jupiter`, { prepare });
      const link = page.getByRole('link', { name: /Live article/u });
      assert.equal(await link.getAttribute('href'), url);
      assert.match(await link.getAttribute('rel'), /noreferrer/u);
    }
  });

  test('links without a score are last in both orders', async () => {
    const page = await visit('?order=expected', 'demo', 'Jupiter', changing(({ links }) => {
      Object.assign(links.at(-1), { unexpectedness: null, odder_than: null, reasons: [] });
    }));
    const ranks = (await page.locator('main ol > li .rank').allTextContents()).map(Number);
    assert.deepEqual(ranks, [...ranks.slice(0, -1).toSorted((a, b) => b - a), ranks.length]);
  });

  test('a shared row far down the list is scrolled to', async () => {
    const page = await visit('?open=Page%202000', 'large', 'Hub');
    const row = page.locator('li.open');
    await row.waitFor();
    await page.waitForFunction(() => window.scrollY > 0);
    assert.ok(await row.isVisible());
  });

  test('the chosen scorer is kept on the way to the article and to a trail', async () => {
    const page = await visit('?scorer=llamafur&open=Fish');
    const ways = page.locator('main').getByRole('link', { name: /^(Read the article|Start a trail|See it in the text|Walk on from here|Fish)$/u });
    const addresses = await ways.evaluateAll((links) => links.map((link) => link.getAttribute('href')));
    assert.equal(addresses.length, 5);
    for (const address of addresses) assert.match(address, /scorer=llamafur/u);
    await page.getByRole('link', { name: 'Start a trail' }).click();
    await page.waitForURL(/\/trail\/Jupiter\?scorer=llamafur/u);
    await settled(page);
    assert.match(await page.locator('main a.primary').getAttribute('href'), /\/trail\/Jupiter\/.*scorer=llamafur/u);
  });

  test('a page with 3,000 links is shown soon and scrolls to its end', async () => {
    const page = await visit('?all=1', 'large', 'Hub');
    await page.getByText(`${NUM_LINKS.toLocaleString('en-US')} links`).first().waitFor();
    const times = await page.evaluate(async () => {
      const found = [];
      let before = performance.now();
      const frame = () => new Promise(requestAnimationFrame);
      for (let step = 0; step < 200; step += 1) {
        window.scrollBy(0, 1500);
        await frame();
        const now = performance.now();
        found.push(now - before);
        before = now;
      }
      return found.sort((a, b) => a - b);
    });
    await page.waitForFunction((all) => document.querySelectorAll('main ol > li').length === all, NUM_LINKS);
    const last = page.locator('main ol > li').last();
    await last.scrollIntoViewIfNeeded();
    assert.ok(await last.isVisible());
    // Nine of ten frames; the bound leaves room for a loaded machine.
    const usual = times[Math.floor(0.9 * times.length)];
    assert.ok(usual < 250, `a frame took ${Math.round(usual)} ms`);
  });
}
