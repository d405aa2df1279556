import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathOf, settled } from '../support/browser.mjs';

export function trail(world) {
  const steps = (page) => new URL(page.url()).pathname.split('/').filter(Boolean).length - 2;

  test('a trail goes on along an unexpected link, in the address', async () => {
    const page = await world.browser.visit(`${world.address}/demo/trail/Jupiter`);
    assert.equal(steps(page), 1);
    await page.locator('main a[href*="/trail/Jupiter/"]').first().click();
    await page.waitForFunction(() => location.pathname.split('/').filter(Boolean).length === 4);
    await settled(page);
    await page.locator('main a[href*="/trail/Jupiter/"]').last().waitFor();
    const two = pathOf(page);
    assert.equal(steps(page), 2);
    await page.goBack();
    await page.waitForFunction(() => location.pathname.split('/').filter(Boolean).length === 3);
    await page.goForward();
    await settled(page);
    assert.equal(pathOf(page), two);
  });

  test('a shared trail has all its steps, each with its sentence', async () => {
    const page = await world.browser.visit(`${world.address}/demo/trail/Jupiter/Fish`);
    const main = page.locator('main');
    await main.getByText('Jupiter').first().waitFor();
    await main.locator('mark').first().waitFor();
    assert.match(await main.textContent(), /Fish/u);
  });

  test('a step that is named by a redirect gets the title of its page', async () => {
    const page = await world.browser.visit(`${world.address}/demo/trail/jupiter/fish`);
    await page.waitForURL('**/trail/Jupiter/Fish');
    await settled(page);
    assert.equal(await page.locator('ol h2').last().textContent(), 'Fish');
  });
}
