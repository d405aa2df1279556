// The corpora of the tests: the demo encyclopedia, a page with 3,000 links, and one whose titles are markup.

import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from './server.mjs';

export const NUM_LINKS = 3000;

/** Titles that would do harm where a title is taken for markup, or for the direction of the text around it. */
export const HOSTILE = {
  script: '<script>alert(1)</script>',
  image: '"><img src=x onerror=alert(2)>',
  svg: "'/><svg onload=alert(3)>",
  template: '{@html "<b>bold</b>"} ${alert(4)} {{alert(5)}}',
  link: 'javascript:alert(6)',
  path: '../../../etc/passwd',
  dots: '..',
  slashedDots: '/..',
  query: 'a?b=c&d#e%2F%00/f\\g',
  rightToLeft: '\u202Egnp.exe\u202C \u2067שלום\u2069',
  long: `Long ${'title '.repeat(160)}`.trim(),
};

/** Makes all corpora in a folder and returns their paths. */
export async function makeCorpora(folder) {
  const demo = join(folder, 'demo.corpus');
  await run('demo', '--out', demo);
  await writeReport(join(demo, 'report'));
  return { demo, large: await makeLarge(folder), hostile: await makeHostile(folder) };
}

/** A copy of a corpus, to write into. */
export async function copyOf(corpus, to) {
  await cp(corpus, to, { recursive: true });
  return to;
}

async function makeLarge(folder) {
  const titles = Array.from({ length: NUM_LINKS }, (_, at) => `Page ${at + 1}`);
  const links = titles.flatMap((title, at) => [
    ['Hub', title],
    [title, titles[(at + 1) % NUM_LINKS]],
    [title, titles[(at + 7) % NUM_LINKS]],
  ]);
  const categories = [['Hub', 'Hubs'], ...titles.map((title, at) => [title, `Group ${at % 40}`])];
  return fromTables(folder, 'large', { links, categories });
}

async function makeHostile(folder) {
  const titles = Object.values(HOSTILE);
  const links = titles.flatMap((from, at) => titles.filter((_, to) => to !== at).map((to) => [from, to]));
  // Categories have the same names with a word before them: names of categories are not trusted either.
  const categories = titles.flatMap((title, at) => [
    [title, `C ${titles[at % 3]}`],
    [title, `C ${titles[(at + 1) % titles.length]}`],
  ]);
  const text = titles.map((title) => [title, `${title} is a page. It links to ${titles.join(', ')}.`]);
  return fromTables(folder, 'hostile', { links, categories, text });
}

async function fromTables(folder, name, tables) {
  const place = join(folder, `${name}-tables`);
  await mkdir(place);
  const options = [];
  for (const [table, rows] of Object.entries(tables)) {
    const file = join(place, `${table}.jsonl`);
    const [one, other] = { links: ['source', 'target'], categories: ['page', 'category'], text: ['page', 'text'] }[table];
    await writeFile(file, rows.map(([a, b]) => `${JSON.stringify({ [one]: a, [other]: b })}\n`).join(''));
    options.push(`--${table}`, file);
  }
  const corpus = join(folder, `${name}.corpus`);
  await run('import', 'table', ...options, '--out', corpus);
  await run('train', corpus, '--held-out', '0');
  return corpus;
}

/** A report in the form that `llamafur evaluate --report` writes: a list of files, a document and a figure. */
async function writeReport(folder) {
  await mkdir(join(folder, 'figures'), { recursive: true });
  const heading = 'Files of a LlamaFur report, format 1. They are removed when the report is written again.';
  await writeFile(join(folder, 'files.txt'), `${heading}\nfigures/bpref.svg\nindex.html\n`);
  const figure = '<svg xmlns="http://www.w3.org/2000/svg" width="720" height="300"><rect width="360" height="300" fill="#c2410c"/></svg>';
  await writeFile(join(folder, 'figures', 'bpref.svg'), figure);
  const caption = '<figcaption><b>Figure 1.</b> Average bpref</figcaption><p><a href="figures/bpref.svg">SVG</a></p>';
  const html = `<!doctype html><title>Report</title><style>p { color: red }</style><figure>${figure}${caption}</figure>`;
  await writeFile(join(folder, 'index.html'), html);
}
