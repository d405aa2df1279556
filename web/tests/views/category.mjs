import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { pathOf, settled } from '../support/browser.mjs';

export function category(world) {
  const visit = (query = '', options = {}) => world.browser.visit(`${world.address}/demo/category/Planets${query}`, options);
  const transform = (page) => page.locator('figure svg > g').getAttribute('transform');
  const scale = async (page) => Number(/scale\(([\d.]+)\)/u.exec(await transform(page))[1]);

  /** Waits until the categories have their places. */
  async function still(page) {
    const places = () => page.locator('figure .node').evaluateAll((nodes) => nodes.map((node) => node.getAttribute('transform')).join());
    for (let before = ''; ; ) {
      const now = await places();
      if (now === before) return;
      before = now;
      await page.waitForTimeout(150);
    }
  }

  test('the picture has the neighbours and arcs of the API, and arrows for both directions', async () => {
    const page = await visit();
    const around = await (await page.request.get(`${world.address}/api/v1/category?corpus=demo&name=Planets`)).json();
    assert.equal(await page.locator('figure .node').count(), around.neighbours.length + 1);
    const drawn = around.arcs.filter(({ source, target }) => source !== target);
    assert.equal(await page.locator('figure .arc').count(), drawn.length);
    assert.equal(await page.locator('figure .arc.out').count(), drawn.filter(({ source }) => source === 'Planets').length);
    assert.equal(await page.locator('figure .arc.in').count(), drawn.filter(({ target }) => target === 'Planets').length);
    assert.equal(await page.locator('figure .arc .head').count(), drawn.length);
  });

  test('Enter and a click walk to a category, and back returns', async () => {
    const page = await visit();
    await page.locator('figure .node a[aria-label="Moons"]').focus();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/category/Moons');
    await settled(page);
    assert.equal(await page.locator('h1').textContent(), 'Moons');
    await page.locator('figure .node a[aria-label="Planets"]').click();
    await page.waitForURL('**/category/Planets');
    await page.goBack();
    await settled(page);
    assert.equal(await page.locator('h1').textContent(), 'Moons');
  });

  test('buttons, keys and the wheel with Ctrl zoom; arrow keys move; the wheel alone scrolls the page', async () => {
    const page = await visit();
    const start = await scale(page);
    await page.getByRole('button', { name: 'Zoom in' }).click();
    assert.ok((await scale(page)) > start);
    await page.locator('figure .node a[aria-label="Moons"]').focus();
    await page.keyboard.press('0');
    assert.ok(Math.abs((await scale(page)) - start) < 1e-6);
    await page.keyboard.press('-');
    assert.ok((await scale(page)) < start);
    const before = await transform(page);
    await page.keyboard.press('ArrowLeft');
    assert.notEqual(await transform(page), before);
    await page.getByRole('button', { name: 'Fit' }).click();
    await page.locator('figure svg').hover({ position: { x: 30, y: 30 } });
    await page.mouse.wheel(0, 300);
    await page.waitForFunction(() => window.scrollY > 0);
    await page.evaluate(() => window.scrollTo(0, 0));
    assert.ok(Math.abs((await scale(page)) - start) < 1e-6);
    await page.locator('figure svg').hover({ position: { x: 30, y: 30 } });
    await page.keyboard.down('Control');
    await page.mouse.wheel(0, -300);
    await page.keyboard.up('Control');
    await page.waitForFunction((least) => Number(/scale\(([\d.]+)\)/u.exec(document.querySelector('figure svg > g').getAttribute('transform'))[1]) > least, start);
  });

  test('two fingers zoom, and one scrolls the page', async () => {
    const page = await visit('', { size: 'phone', touch: true });
    await page.locator('figure svg').scrollIntoViewIfNeeded();
    const box = await page.locator('figure svg').boundingBox();
    const session = await page.context().newCDPSession(page);
    const send = (type, apart) => {
      const [x, y] = [box.x + box.width / 2, Math.min(box.y + box.height / 2, 600)];
      const touchPoints = type === 'touchEnd' ? [] : [-1, 1].map((side, id) => ({ x: x + side * apart, y: y + side * apart, id }));
      return session.send('Input.dispatchTouchEvent', { type, touchPoints });
    };
    const start = await scale(page);
    await send('touchStart', 40);
    for (let apart = 45; apart <= 110; apart += 5) await send('touchMove', apart);
    await send('touchEnd');
    await page.waitForFunction(
      (least) => Number(/scale\(([\d.]+)\)/u.exec(document.querySelector('figure svg > g').getAttribute('transform'))[1]) > least,
      start * 1.5,
    );
    assert.match(pathOf(page), /\/category\/Planets$/u);
    assert.equal(await page.locator('figure svg').evaluate((svg) => getComputedStyle(svg).touchAction), 'pan-y');
  });

  test('a category can be dragged, which does not walk', async () => {
    for (const motion of ['reduce', 'no-preference']) {
      const page = await visit('', { motion });
      await still(page);
      const dot = page.locator('figure .node', { has: page.locator('a[aria-label="Moons"]') });
      const from = await dot.locator('.dot').boundingBox();
      const [x, y] = [from.x + from.width / 2, from.y + from.height / 2];
      await page.mouse.move(x, y);
      await page.mouse.down();
      await page.mouse.move(x + 30, y + 20, { steps: 4 });
      await page.mouse.move(x + 60, y - 40, { steps: 4 });
      await page.mouse.up();
      const to = await dot.locator('.dot').boundingBox();
      assert.ok(Math.abs(to.x - from.x - 60) < 12 && Math.abs(to.y - from.y + 40) < 12, JSON.stringify({ from, to }));
      assert.match(pathOf(page), /\/category\/Planets$/u);
    }
  });

  test('pointing at a category highlights its arcs', async () => {
    const page = await visit();
    await page.locator('figure .node a[aria-label="Moons"] .dot').hover();
    await page.locator('figure .arc.dim').first().waitFor({ state: 'attached' });
    const lit = await page.locator('figure .arc:not(.dim) title').allTextContents();
    assert.ok(lit.length > 0 && lit.every((title) => title.includes('Moons')), lit.join('\n'));
  });

  test('pointing at a category does not move the picture', async () => {
    for (const size of ['wide', 'phone']) {
      const page = await visit('', { size });
      await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
      const height = () => page.evaluate(() => document.documentElement.scrollHeight);
      const before = await height();
      for (const name of ['Moons', 'Planets', 'Bodies of the Solar System']) {
        await page.locator(`figure .node a[aria-label="${name}"]`).focus();
        assert.equal(await height(), before, `${size} ${name}`);
      }
    }
  });

  test('the same category has the same picture', async () => {
    const pictures = [];
    for (let round = 0; round < 2; round += 1) {
      const page = await visit();
      pictures.push(await page.locator('figure .node').evaluateAll((nodes) => nodes.map((node) => node.getAttribute('transform'))));
    }
    assert.deepEqual(pictures[0], pictures[1]);
  });

  test('the picture is saved as an SVG file of its own', async () => {
    for (const scheme of ['light', 'dark']) {
      const page = await visit('', { scheme });
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Save as SVG' }).click(),
      ]);
      assert.equal(download.suggestedFilename(), 'Planets.svg');
      const file = await readFile(await download.path(), 'utf8');
      assert.doesNotMatch(file, /var\(|light-dark|<a |href=|class=|<script/u);
      assert.match(file, /^<\?xml[^>]*>\s*<svg xmlns="http:\/\/www.w3.org\/2000\/svg"/u);
      assert.match(file, />Moons<\/text>/u);
      assert.match(/<rect [^>]*fill="([^"]+)"/u.exec(file)[1], /^rgb\(/u, 'the background is a colour');
      const parsed = await page.evaluate((text) => {
        const root = new DOMParser().parseFromString(text, 'image/svg+xml');
        return [root.querySelector('parsererror')?.textContent ?? '', root.querySelectorAll('path').length];
      }, file);
      assert.equal(parsed[0], '');
      assert.ok(parsed[1] > 50);
    }
  });

  test('the number of neighbours and the minimum weight are in the address', async () => {
    const page = await visit();
    await page.getByLabel(/Neighbours/u).fill('5');
    await page.waitForFunction(() => document.querySelectorAll('figure .node').length === 6);
    assert.match(pathOf(page), /neighbours=5/u);
    await page.getByLabel('Minimum weight').fill('1.5');
    await page.keyboard.press('Tab');
    await page.waitForURL(/min_weight=1\.5/u);
    // The picture before stays until the next one is there.
    await page.waitForFunction(() => {
      const weights = [...document.querySelectorAll('figure .arc title')].map((title) => Number(title.textContent.split(': ').at(-1)));
      return weights.length > 0 && weights.every((weight) => weight >= 1.5);
    });
  });

  test('the table can be sorted and leads to categories', async () => {
    const page = await visit();
    const links = () => page.locator('table tbody tr td:nth-child(4)').allTextContents();
    await page.getByRole('button', { name: /How many links lead to the neighbour/u }).click();
    const numbers = (await links()).map((text) => Number(text.replaceAll(',', '')));
    assert.deepEqual(numbers, numbers.toSorted((a, b) => b - a));
    await page.locator('table').getByRole('link', { name: 'Moons', exact: true }).click();
    await page.waitForURL('**/category/Moons');
  });

  test('a category is found by its name, also with the keyboard', async () => {
    const page = await visit();
    await page.getByRole('combobox', { name: 'Category', exact: true }).fill('moons of');
    await page.getByRole('listbox').getByRole('option').first().waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.pathname.includes('/category/') && !url.pathname.endsWith('/Planets'));
  });

  test('a wrong name offers similar ones', async () => {
    const page = await world.browser.visit(`${world.address}/demo/category/Planetz`, { expected: [/404/u] });
    await page.getByRole('alert').getByRole('link', { name: 'Planets', exact: true }).click();
    await page.waitForURL('**/category/Planets');
  });

  test('another size of the window keeps what was moved', async () => {
    const page = await visit();
    await page.getByRole('button', { name: 'Zoom in' }).click();
    const before = await transform(page);
    await page.setViewportSize({ width: 1180, height: 860 });
    await page.waitForTimeout(200);
    assert.equal(await transform(page), before);
  });

  test('arranged again, the category is in the middle again', async () => {
    const page = await visit();
    const centre = page.locator('figure .node.centre');
    const before = await centre.getAttribute('transform');
    const { x, y, width, height } = await centre.locator('.dot').boundingBox();
    await page.mouse.move(x + width / 2, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + width / 2 + 80, y + height / 2 + 50, { steps: 4 });
    await page.mouse.up();
    assert.notEqual(await centre.getAttribute('transform'), before);
    await page.getByRole('button', { name: 'Arrange again' }).click();
    assert.equal(await centre.getAttribute('transform'), before);
  });

  test('categories are found from the header', async () => {
    const page = await world.browser.visit(`${world.address}/demo/`);
    await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Categories' }).click();
    await page.waitForURL('**/categories');
    await settled(page);
    assert.ok((await page.locator('main dd a').count()) > 3);
    await page.getByRole('combobox', { name: /Search a category/u }).fill('planets');
    await page.getByRole('listbox').getByRole('option', { name: 'Planets', exact: true }).click();
    await page.waitForURL('**/category/Planets');
  });
}
