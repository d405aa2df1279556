import assert from 'node:assert/strict';
import { test } from 'node:test';

export function api(world) {
  test('every route of the document is shown with its parameters', async () => {
    const page = await world.browser.visit(`${world.address}/api`);
    const document = await (await page.request.get(`${world.address}/api/v1/openapi.json`)).json();
    const methods = ['get', 'post', 'put', 'delete'];
    for (const [path, item] of Object.entries(document.paths)) {
      for (const [method, { parameters = [], requestBody }] of Object.entries(item).filter(([key]) => methods.includes(key))) {
        const heading = page.getByRole('rowheader').filter({ hasText: new RegExp(`^\\s*${method} ${path}(\\s|$)`, 'iu') });
        const row = page.locator('tbody tr', { has: heading });
        assert.equal(await row.count(), 1, `${method} ${path}`);
        const shape = Object.values(requestBody?.content ?? {})[0]?.schema.$ref.split('/').at(-1);
        const fields = Object.keys(document.components.schemas[shape]?.properties ?? {});
        assert.deepEqual(await row.locator('dt').allTextContents(), [...parameters.map(({ name }) => name), ...fields], path);
        for (const { description } of parameters) {
          assert.ok((await row.textContent()).includes(description), `${path}: ${description}`);
        }
      }
    }
  });

  test('every link to try a GET has an answer', async () => {
    const page = await world.browser.visit(`${world.address}/api`);
    const document = await (await page.request.get(`${world.address}/api/v1/openapi.json`)).json();
    const links = page.getByRole('link', { name: /^Try / });
    const number = await links.count();
    assert.equal(number, Object.values(document.paths).filter((item) => 'get' in item).length);
    for (let at = 0; at < number; at += 1) {
      const [address, status] = await links.nth(at).evaluate(async ({ href }) => [href, (await fetch(href)).status]);
      assert.match(String(status), /^20[02]$/u, address);
    }
  });

  test('a link to try leads to the answer', async () => {
    const page = await world.browser.visit(`${world.address}/api`);
    await page.getByRole('link', { name: 'Try /api/v1/rank', exact: true }).click();
    await page.waitForURL(/\/api\/v1\/rank\?page=/u);
    assert.match(await page.locator('body').textContent(), /"num_links":/u);
  });

  test('a shared route is scrolled to', async () => {
    const page = await world.browser.visit(`${world.address}/api#get-api-v1-judge-next`);
    await page.waitForFunction(() => Math.abs(document.getElementById('get-api-v1-judge-next').getBoundingClientRect().top) < 200);
  });
}
