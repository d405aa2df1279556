// The pictures of the guide, made from the demo: `npm run pictures`.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Browser, settled } from './support/browser.mjs';
import { run, serve } from './support/server.mjs';

const PICTURES = fileURLToPath(new URL('../../guide/pictures/', import.meta.url));

const VIEWS = {
  read: { path: '/demo/read/Jupiter?link=Fish', height: 700 },
  rank: { path: '/demo/rank/Jupiter', height: 760, open: 'Fish' },
  category: { path: '/demo/category/Planets', height: 900, scheme: 'dark' },
  trail: { path: '/demo/trail/Elvis%20Presley/Richard%20Nixon', height: 760 },
};

const folder = await mkdtemp(join(tmpdir(), 'llamafur-pictures-'));
const corpus = join(folder, 'demo.corpus');
await run('demo', '--out', corpus);
const server = await serve(corpus);
const browser = await Browser.launch();
for (const [name, { path, height, scheme, open }] of Object.entries(VIEWS)) {
  const page = await browser.visit(server.address + path, { scheme });
  await page.setViewportSize({ width: 1200, height });
  if (open) await page.getByRole('button', { name: open }).first().click();
  await settled(page);
  await page.screenshot({ path: join(PICTURES, `${name}.png`) });
}
await browser.close();
await server.stop();
await rm(folder, { recursive: true, force: true });
