// The pictures of the guide, made from the demo: `npm run pictures`. Needs pngquant, which makes them a third as large.

import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Browser, settled } from './support/browser.mjs';
import { run, serve } from './support/server.mjs';

const PICTURES = fileURLToPath(new URL('../../guide/pictures/', import.meta.url));
const WIDTH = 1080;

/** Each view, the height of its picture, and what is done before it is taken. */
const VIEWS = {
  search: {
    path: '/demo/',
    height: 700,
    async act(page) {
      await page.locator('main').getByRole('combobox').fill('gali');
      await page.getByRole('listbox').getByRole('option').first().waitFor();
      await page.keyboard.press('ArrowDown');
    },
  },
  read: { path: '/demo/read/Jupiter?link=Fish', height: 700 },
  rank: { path: '/demo/rank/Jupiter?open=Fish', height: 1420 },
  trail: { path: '/demo/trail/Elvis%20Presley/Richard%20Nixon', height: 620 },
  category: { path: '/demo/category/Planets?neighbours=12', height: 900, scheme: 'dark' },
  corpus: { path: '/demo/corpus', height: 960 },
  judge: {
    path: '/demo/judge',
    height: 680,
    async act(page) {
      await page.getByLabel('Your name').fill('Ada');
      await page.getByRole('button', { name: 'Begin' }).click();
      await page.getByRole('article', { name: 'Link to be judged' }).waitFor();
    },
  },
};

const folder = await mkdtemp(join(tmpdir(), 'llamafur-pictures-'));
const corpus = join(folder, 'demo.corpus');
await run('demo', '--out', corpus);
const server = await serve(corpus, '--judge');
const browser = await Browser.launch();
for (const [name, { path, height, scheme, act }] of Object.entries(VIEWS)) {
  const page = await browser.visit(server.address + path, { scheme });
  await page.setViewportSize({ width: WIDTH, height });
  await act?.(page);
  await settled(page);
  const file = join(PICTURES, `${name}.png`);
  await page.screenshot({ path: file });
  execFileSync('pngquant', ['--force', '--output', file, file]);
}
await browser.close();
await server.stop();
await rm(folder, { recursive: true, force: true });
