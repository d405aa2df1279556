import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { settled } from '../support/browser.mjs';

export function judge(world) {
  const address = () => `${world.address}/demo/judge`;

  async function begin(name, options) {
    const page = await world.browser.visit(address(), options);
    await page.getByLabel('Your name').fill(name);
    await page.getByRole('button', { name: 'Begin' }).click();
    await article(page).waitFor();
    return page;
  }
  const article = (page) => page.getByRole('article', { name: 'Link to be judged' });
  const heading = (page) => article(page).getByRole('heading', { level: 2 }).textContent();
  const done = async (page) => Number(await page.getByRole('progressbar', { name: 'Judged' }).getAttribute('value'));

  async function press(page, key) {
    const before = await done(page);
    await page.keyboard.press(key);
    await page.waitForFunction((was) => Number(document.querySelector('progress')?.getAttribute('value')) !== was, before);
  }

  test('keys 1 to 4 judge, u takes back, and a reload keeps the place', async () => {
    const page = await begin('Ada');
    const first = await heading(page);
    await press(page, '3');
    assert.equal(await done(page), 1);
    assert.notEqual(await heading(page), first);
    assert.match(await page.locator('main [aria-live=polite]').first().textContent(), /^Saved: .* unexpected\. 1 of/u);
    for (const key of ['1', '2', '4']) await press(page, key);
    assert.equal(await done(page), 4);
    const fifth = await heading(page);
    await page.reload();
    await article(page).waitFor();
    assert.equal(await done(page), 4);
    assert.equal(await heading(page), fifth);
    await press(page, 'u');
    assert.equal(await done(page), 3);
    await press(page, '4');
    assert.equal(await heading(page), fifth);
  });

  test('both first paragraphs and the sentence are shown, scores never', async () => {
    const page = await begin('Reader');
    assert.ok((await article(page).locator('mark').count()) >= 1);
    assert.equal(await article(page).locator('.pages section p:not(.muted)').count(), 2);
    const task = await (await page.request.get(`${world.address}/api/v1/judge/next?corpus=demo&judge=Reader`)).text();
    assert.doesNotMatch(task, /unexpectedness|score/u);
  });

  test('a second judge sees the same links, and both are in the summary', async () => {
    const one = await begin('Grace');
    const first = await heading(one);
    await one.locator('.answers .TU').click();
    await one.waitForFunction(() => document.querySelector('progress')?.getAttribute('value') === '1');
    const two = await begin('Barbara');
    assert.equal(await heading(two), first);
    await press(two, '4');
    for (const name of [/Grace/u, /Barbara/u]) await two.getByRole('row', { name }).waitFor();
  });

  test('judgments are exported as TSV and qrels', async () => {
    const page = await begin('Exporter');
    await press(page, '4');
    for (const [name, holds] of [['TSV', /\tTU\tExporter/u], ['qrels', /\S+ 0 \S+ \d/u]]) {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name, exact: true }).click(),
      ]);
      assert.match(await readFile(await download.path(), 'utf8'), holds);
    }
  });

  test('a judgment that cannot be saved stays, and is saved later', async () => {
    let isCut = true;
    const page = await begin('Careful', {
      expected: [/Failed to load resource|ERR_/u],
      prepare: (fresh) => fresh.route('**/judge/judgments*', (route) => (isCut ? route.abort() : route.continue())),
    });
    const first = await heading(page);
    await page.keyboard.press('2');
    await page.getByText('Not saved:').waitFor();
    assert.equal(await heading(page), first);
    assert.equal(await done(page), 0);
    // Not even a reload loses it.
    isCut = false;
    await page.reload();
    await settled(page);
    await article(page).waitFor();
    await page.waitForFunction(() => document.querySelector('progress')?.getAttribute('value') === '1');
    assert.notEqual(await heading(page), first);
  });

  test('the button to save again saves what failed', async () => {
    let isFull = true;
    const body = '{"status":503,"title":"full","detail":"the disk is full"}';
    const page = await begin('Patient', {
      expected: [/Failed to load resource|ERR_|503/u],
      prepare: (fresh) => fresh.route('**/judge/judgments*', (route) => (isFull ? route.fulfill({ status: 503, body }) : route.continue())),
    });
    await page.keyboard.press('1');
    await page.getByText(/the disk is full/iu).waitFor();
    isFull = false;
    await page.getByRole('button', { name: 'Save again' }).click();
    await page.waitForFunction(() => document.querySelector('progress')?.getAttribute('value') === '1');
    assert.equal(await page.getByText('Not saved:').count(), 0);
  });

  test('the whole first paragraph can be read', async () => {
    const lead = 'word '.repeat(400);
    const page = await begin('Thorough', {
      size: 'phone',
      prepare: (fresh) =>
        fresh.route('**/judge/next?*', async (route) => {
          const response = await route.fetch();
          const task = await response.json();
          await route.fulfill({ response, json: { ...task, link: { ...task.link, source_lead: lead } } });
        }),
    });
    const box = article(page).locator('.lead').first();
    await box.focus();
    await page.keyboard.press('End');
    await page.waitForFunction((element) => element.scrollTop + element.clientHeight > element.scrollHeight - 2, await box.elementHandle());
  });

  test('keys in a field do not judge, and a judge is not led to scores by a key', async () => {
    const page = await begin('Typist');
    await page.getByRole('combobox').first().fill('');
    await page.getByRole('combobox').first().pressSequentially('1234u');
    assert.equal(await done(page), 0);
    await page.locator('h1').click();
    await page.keyboard.press('r');
    await settled(page);
    assert.ok(await article(page).isVisible());
  });
}
