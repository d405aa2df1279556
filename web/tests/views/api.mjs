import assert from 'node:assert/strict';
import { test } from 'node:test';

export function api(world) {
  test('every route of the document is shown with its parameters', async () => {
    const page = await world.browser.visit(`${world.address}/api`);
    const document = await (await page.request.get(`${world.address}/api/v1/openapi.json`)).json();
    const shown = await page.locator('section h2').allTextContents();
    for (const [path, item] of Object.entries(document.paths)) {
      const methods = Object.keys(item).filter((key) => ['get', 'post', 'put', 'delete'].includes(key));
      for (const method of methods) assert.ok(shown.includes(`${method.toUpperCase()} ${path}`), `${method} ${path}`);
    }
    for (const name of Object.keys(document.components.schemas)) assert.equal(await page.locator(`[id="${name}"]`).count(), 1, name);
  });

  test('every example of a GET has an answer', async () => {
    const page = await world.browser.visit(`${world.address}/api`);
    const sections = page.locator('section', { has: page.locator('summary') });
    const number = await sections.count();
    assert.ok(number >= 9);
    for (let at = 0; at < number; at += 1) {
      const section = sections.nth(at);
      await section.locator('summary').click();
      await section.getByRole('button', { name: 'Try', exact: true }).click();
      const status = section.locator('.answer strong', { hasText: /\d/u });
      await status.waitFor();
      assert.match(await status.textContent(), /^20[02]/u, await section.locator('h2').textContent());
    }
  });

  test('a wrong value is answered with a problem', async () => {
    const page = await world.browser.visit(`${world.address}/api`, { expected: [/404/u] });
    const section = page.locator('section', { has: page.getByRole('heading', { name: 'GET /api/v1/rank' }) });
    await section.locator('summary').click();
    await section.getByLabel('page', { exact: true }).fill('No such page at all');
    await section.getByRole('button', { name: 'Try', exact: true }).click();
    await section.getByText(/^404/u).waitFor();
    await section.getByRole('region', { name: 'Answer' }).getByText('"detail"').waitFor();
  });

  test('a shared route is scrolled to', async () => {
    const page = await world.browser.visit(`${world.address}/api#get-api-v1-top`);
    await page.waitForFunction(() => Math.abs(document.getElementById('get-api-v1-top').getBoundingClientRect().top) < 200);
  });
}
