import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathOf, settled } from '../support/browser.mjs';

export function search(world) {
  const box = (page) => page.locator('main').getByRole('combobox');

  test('search completes titles, and the keyboard chooses one', async () => {
    const page = await world.browser.visit(`${world.address}/demo/read/Saturn`);
    await page.keyboard.press('/');
    const answered = page.waitForResponse(/q=jupi&/u);
    await page.keyboard.type('jupi');
    await answered;
    await page.getByRole('listbox').getByRole('option').first().waitFor();
    assert.equal((await page.getByRole('listbox').getByRole('option').first().textContent()).trim(), 'Jupiter');
    await page.keyboard.press('ArrowDown');
    const input = page.getByRole('combobox', { name: /Search a page/u });
    assert.equal(await input.getAttribute('aria-activedescendant'), await page.getByRole('listbox').getByRole('option').first().getAttribute('id'));
    await page.keyboard.press('Enter');
    await page.waitForURL('**/read/Jupiter');
    await settled(page);
    assert.equal(await page.locator('h1').textContent(), 'Jupiter');
  });

  test('search forgives a typo, case and accents', async () => {
    const page = await world.browser.visit(`${world.address}/demo/`);
    for (const typed of ['jupitr', 'JUPITER', 'júpiter']) {
      await box(page).fill('');
      await page.getByRole('listbox').waitFor({ state: 'hidden' });
      await box(page).fill(typed);
      await page.getByRole('listbox').getByRole('option', { name: 'Jupiter', exact: true }).waitFor();
    }
    await page.keyboard.press('Escape');
    await page.getByRole('listbox').getByRole('option').first().waitFor({ state: 'hidden' });
  });

  test('a redirect is found and leads to its page', async () => {
    const page = await world.browser.visit(`${world.address}/demo/`);
    const { title, redirect } = await someRedirect(world, page);
    await box(page).fill(redirect);
    await page.getByRole('listbox').getByRole('option').filter({ hasText: redirect }).first().click();
    await page.waitForURL('**/read/**');
    await settled(page);
    assert.equal(pathOf(page), `/demo/read/${title}`);
  });

  test('the address of a redirect becomes that of its page', async () => {
    const page = await world.browser.visit(`${world.address}/demo/`);
    const { title, redirect } = await someRedirect(world, page);
    await page.goto(`${world.address}/demo/read/${encodeURIComponent(redirect)}`);
    await settled(page);
    await page.waitForFunction((end) => decodeURIComponent(location.pathname).endsWith(end), `/read/${title}`);
  });

  test('nothing found says so, and a wrong title offers similar ones', async () => {
    const page = await world.browser.visit(`${world.address}/demo/`, { expected: [/404/u] });
    await box(page).fill('qqqqxxxxzzzz');
    await page.getByText('No page has such a title.').first().waitFor();
    await page.goto(`${world.address}/demo/read/Jupitr`);
    await page.getByRole('alert').getByRole('link', { name: 'Jupiter', exact: true }).click();
    await page.waitForURL('**/read/Jupiter');
  });

  test('surprise me opens a page with the reason of a link', async () => {
    const page = await world.browser.visit(`${world.address}/demo/`);
    await page.getByRole('button', { name: /surprise me/iu }).first().click();
    await page.waitForURL(/\/read\/.*link=/u);
    await settled(page);
  });

  test('Enter takes what is typed now, not what was suggested before', async () => {
    const page = await world.browser.visit(`${world.address}/demo/`, {
      // The answer to the second question comes late, so that the first one is still on the screen.
      prepare: (fresh) => fresh.route(/q=saturn/u, (route) => setTimeout(() => route.continue(), 500)),
    });
    await box(page).fill('jupiter');
    await page.getByRole('listbox').getByRole('option', { name: 'Jupiter', exact: true }).waitFor();
    await box(page).fill('saturn');
    await page.waitForRequest(/q=saturn/u);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/read/Saturn');
  });

  test('another view asks nothing with the address of the one before', async () => {
    const page = await world.browser.visit(`${world.address}/demo/read/Jupiter`);
    const asked = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await page.getByRole('link', { name: 'API', exact: true }).click();
    await page.getByRole('heading', { name: 'HTTP API' }).waitFor();
    await settled(page);
    assert.deepEqual(asked.filter((path) => /rank|distribution/u.test(path)), []);
  });

  test('a surprise that comes late does not take the reader away', async () => {
    let asked = 0;
    const page = await world.browser.visit(`${world.address}/demo/read/Jupiter`, {
      prepare: (fresh) =>
        fresh.route('**/api/v1/random*', (route) => {
          asked += 1;
          setTimeout(() => route.continue(), 500);
        }),
    });
    await page.getByRole('button', { name: 'Surprise me' }).dblclick();
    await page.getByRole('link', { name: 'Corpus', exact: true }).click();
    await page.waitForURL('**/corpus');
    await settled(page);
    assert.match(pathOf(page), /\/corpus$/u);
    assert.equal(asked, 1);
  });

  test('a corpus that was trained again is shown anew when the reader returns', async () => {
    let isTrained = false;
    const page = await world.browser.visit(`${world.address}/demo/rank/Jupiter`, {
      prepare: (fresh) =>
        fresh.route('**/api/v1/corpora', async (route) => {
          const response = await route.fetch();
          const list = await response.json();
          if (isTrained) list.corpora[0].num_links += 1;
          await route.fulfill({ response, json: list });
        }),
    });
    const asked = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    const comeBack = async () => {
      await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
      await page.waitForResponse('**/api/v1/corpora');
      await settled(page);
    };
    await comeBack();
    assert.deepEqual(asked.filter((path) => path.endsWith('/rank')), []);
    isTrained = true;
    await comeBack();
    assert.deepEqual(asked.filter((path) => path.endsWith('/rank')), ['/api/v1/rank']);
  });

  test('the first load has less than 100 kB of compressed script', async () => {
    const page = await world.browser.visit(`${world.address}/api`);
    await page.goto('about:blank');
    const session = await page.context().newCDPSession(page);
    await session.send('Network.enable');
    await session.send('Network.setCacheDisabled', { cacheDisabled: true });
    const scripts = new Map();
    session.on('Network.responseReceived', ({ requestId, type }) => type === 'Script' && scripts.set(requestId, 0));
    session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      if (scripts.has(requestId)) scripts.set(requestId, encodedDataLength);
    });
    await page.goto(`${world.address}/`);
    await settled(page);
    const bytes = [...scripts.values()].reduce((sum, size) => sum + size, 0);
    assert.ok(scripts.size > 0 && bytes > 0 && bytes < 100_000, `${bytes} bytes in ${scripts.size} scripts`);
  });
}

/** A redirect of the demo encyclopedia, and the page that it leads to. */
async function someRedirect(world, page) {
  for (const q of ['a', 'e', 's', 't', 'm', 'p']) {
    const answer = await page.request.get(`${world.address}/api/v1/search?num=50&corpus=demo&q=${q}`);
    const found = (await answer.json()).suggestions.find(({ redirect }) => redirect);
    if (found) return found;
  }
  throw new Error('the demo encyclopedia has no redirect');
}
