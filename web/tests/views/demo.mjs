import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { copyOf } from '../support/corpora.mjs';
import { serve } from '../support/server.mjs';

export function demo(world) {
  test('without a corpus the demo encyclopedia is served, and judging says how to start it', async () => {
    const server = await serve();
    try {
      const page = await world.browser.visit(`${server.address}/`);
      await page.locator('main').getByRole('combobox').waitFor();
      const { corpora, judging } = await (await page.request.get(`${server.address}/api/v1/corpora`)).json();
      assert.equal(judging, false);
      assert.equal(await page.getByRole('link', { name: 'Judge' }).count(), 0);
      await page.goto(`${server.address}/${corpora[0].name}/judge`);
      await page.getByText('--judge').waitFor();
      await world.browser.finish();
    } finally {
      await server.stop();
    }
  });

  test('a token is taken from the address, kept out of it, and asked for where it is wrong', async () => {
    const corpus = await copyOf(world.corpora.demo, join(world.folder, 'token.corpus'));
    const server = await serve(corpus, '--judge', '--token', 'a-long-secret-token');
    try {
      const expected = [/401|403/u];
      const page = await world.browser.visit(`${server.address}/#token=a-long-secret-token`, { expected });
      assert.equal(new URL(page.url()).hash, '');
      await page.getByRole('link', { name: 'Judge' }).click();
      await page.getByLabel('Your name').fill('Ada');
      await page.getByRole('button', { name: 'Begin' }).click();
      await page.getByRole('article', { name: 'Link to be judged' }).waitFor();
      const other = await world.browser.visit(`${server.address}/token/judge`, { expected });
      await other.getByLabel('Your name').fill('Eve');
      await other.getByLabel(/Token/u).fill('wrong');
      await other.getByRole('button', { name: 'Begin' }).click();
      await other.getByText('The server does not accept this token.').waitFor();
      await world.browser.finish();
    } finally {
      await server.stop();
    }
  });
}
