// All browser tests, on one server and one browser. `LLAMAFUR` names the program, `CHROMIUM` the browser.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe } from 'node:test';
import { Browser } from './support/browser.mjs';
import { makeCorpora } from './support/corpora.mjs';
import { serve } from './support/server.mjs';
import { api } from './views/api.mjs';
import { category } from './views/category.mjs';
import { corpus } from './views/corpus.mjs';
import { demo } from './views/demo.mjs';
import { hostile } from './views/hostile.mjs';
import { judge } from './views/judge.mjs';
import { looks } from './views/looks.mjs';
import { rank } from './views/rank.mjs';
import { read } from './views/read.mjs';
import { search } from './views/search.mjs';
import { trail } from './views/trail.mjs';

describe('the page', () => {
  /** What the tests share; filled before the first of them. */
  const world = {};
  let folder;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'llamafur-web-'));
    world.folder = folder;
    world.corpora = await makeCorpora(folder);
    const { demo: first, large, hostile: last } = world.corpora;
    world.server = await serve(first, large, last, '--judge');
    world.address = world.server.address;
    world.browser = await Browser.launch();
  });
  afterEach(() => world.browser?.finish());
  after(async () => {
    await world.browser?.close();
    await world.server?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  for (const suite of [search, read, rank, trail, category, corpus, judge, api, hostile, demo, looks]) suite(world);
});
