import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { HOSTILE } from '../support/corpora.mjs';
import { settled, SIZES } from '../support/browser.mjs';

export function hostile(world) {
  const part = (name) => (/^\/*\.{1,2}$/u.test(name) ? '%2F' : '') + encodeURIComponent(name);

  /** Fails if anything of a title became an element. */
  async function assertPlain(page, where) {
    const found = await page.evaluate(() => ({
      elements: document.querySelectorAll('img[src=x], [onerror], [onload], body script').length,
      links: [...document.querySelectorAll('a')].filter((link) => /^javascript:/iu.test(link.getAttribute('href') ?? '')).length,
      isTooWide: document.documentElement.scrollWidth > window.innerWidth + 1,
    }));
    assert.deepEqual(found, { elements: 0, links: 0, isTooWide: false }, where);
  }

  for (const [kind, title] of Object.entries(HOSTILE)) {
    test(`a title that is markup is text in every view: ${kind}`, async () => {
      const other = HOSTILE.script === title ? HOSTILE.image : HOSTILE.script;
      const views = [`read/${part(title)}`, `rank/${part(title)}`, `trail/${part(title)}/${part(other)}`];
      const page = await world.browser.visit(`${world.address}/hostile/`);
      for (const view of views) {
        const where = `${kind} ${view.slice(0, 60)}`;
        await page.goto(`${world.address}/hostile/${view}`);
        await settled(page);
        assert.equal(await page.getByRole('alert').count(), 0, where);
        assert.ok((await page.locator('h1').textContent()).endsWith(title), where);
        for (const [size, pixels] of Object.entries(SIZES)) {
          await page.setViewportSize(pixels);
          await assertPlain(page, `${size} ${where}`);
        }
      }
    });
  }

  test('names of categories are text', async () => {
    for (const size of ['wide', 'phone']) {
      const page = await world.browser.visit(`${world.address}/hostile/category/${part(`C ${HOSTILE.script}`)}?min_weight=-100`, { size });
      assert.ok((await page.locator('figure .node').count()) > 1);
      await assertPlain(page, `category ${size}`);
      await page.locator('table tbody a').first().click();
      await settled(page);
      await assertPlain(page, `second category ${size}`);
    }
  });

  test('search, the corpus and judging show markup as text', async () => {
    const page = await world.browser.visit(`${world.address}/hostile/`);
    await page.locator('main').getByRole('combobox').fill('<script>');
    await page.getByRole('listbox').getByRole('option').first().waitFor();
    await assertPlain(page, 'search');
    await page.goto(`${world.address}/hostile/corpus`);
    await settled(page);
    await assertPlain(page, 'corpus');
    await page.goto(`${world.address}/hostile/judge`);
    await page.getByLabel('Your name').fill('<b>Eve</b>');
    await page.getByRole('button', { name: 'Begin' }).click();
    await page.getByRole('article', { name: 'Link to be judged' }).waitFor();
    await page.keyboard.press('1');
    await page.getByRole('row', { name: /<b>Eve<\/b>/u }).waitFor();
    await assertPlain(page, 'judge');
  });

  test('a saved picture has names as text', async () => {
    const page = await world.browser.visit(`${world.address}/hostile/category/${part(`C ${HOSTILE.image}`)}?min_weight=-100`);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save as SVG' }).click(),
    ]);
    assert.match(download.suggestedFilename(), /^[\p{L}\p{N}.-]+$/u);
    assert.doesNotMatch(await readFile(await download.path(), 'utf8'), /<(img|script)|onerror="/u);
  });
}
