//! The style of the document: on a phone, on a large screen, on a dark screen and on paper.

/// It has no character that is reserved in XML or HTML.
pub(super) const STYLE: &str = r"
:root {
  --paper: #ffffff; --ink: #1c2128; --soft: #5c6673; --line: #d9dde3; --link: #0b5cad; --bar: #dbe7f5; --code: #f1f3f6;
  --mark: #fde9b3;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --paper: #14181f; --ink: #e8ecf1; --soft: #9aa5b4; --line: #323a45; --link: #8ab8f0; --bar: #263b55; --code: #20262f;
    --mark: #5a4708;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0; background: var(--paper); color: var(--ink);
  font: 1.0625rem/1.6 system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', 'Noto Sans', Arial, sans-serif;
  overflow-wrap: break-word;
}
main { max-width: 58rem; margin: 0 auto; padding: 2.5rem 1.25rem 4rem; }
h1, h2, h3, header p, nav, section p, ul, ol, dl, figcaption { max-width: 36em; }
h1 { font-size: 2rem; line-height: 1.2; letter-spacing: -0.01em; margin: 0 0 1rem; max-width: 24em; }
h2 { font-size: 1.375rem; line-height: 1.3; margin: 3rem 0 0.75rem; }
h3 { font-size: 1.0625rem; line-height: 1.4; margin: 2rem 0 0.5rem; }
p, ul, ol { margin: 0 0 1rem; }
ul, ol { padding-left: 1.4em; }
li { margin: 0.2em 0; }
.lede { font-size: 1.1875rem; line-height: 1.5; color: var(--soft); }
a { color: var(--link); text-underline-offset: 0.15em; text-decoration-thickness: 1px; }
code {
  font: 0.875em/1.4 ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace;
  background: var(--code); border-radius: 3px; padding: 0.1em 0.3em; overflow-wrap: anywhere;
}
mark { background: var(--mark); color: inherit; font-weight: 600; border-radius: 3px; padding: 0.05em 0.15em; }
nav { margin: 2rem 0; padding: 1rem 0; border-top: 1px solid var(--line); border-bottom: 1px solid var(--line); }
nav h2 { font-size: 0.9375rem; color: var(--soft); font-weight: 600; margin: 0 0 0.4rem; }
nav ol { margin: 0; font-size: 0.9375rem; }
nav a { text-decoration: none; }
nav a:hover { text-decoration: underline; }
figure, .table { margin: 2rem 0; }
.drawing svg { display: block; width: 100%; height: auto; max-width: 900px; }
/* Drawings have a margin of their own, which overlaps that of the page. */
.drawing { margin: 0 -1.7%; }
.drawing.narrow { display: none; margin: 0 -3.4%; }
figcaption, caption { font-size: 0.9375rem; line-height: 1.5; color: var(--soft); }
figcaption { margin-top: 0.5rem; }
figcaption b, caption b { color: var(--ink); }
.scroll { overflow-x: auto; }
table {
  border-collapse: collapse; font-size: 0.9375rem; line-height: 1.4; min-width: min(100%, 36em);
  border-bottom: 1px solid var(--line);
}
td.long { min-width: 19em; }
caption { text-align: left; padding: 0 0 0.6rem; }
caption span { position: sticky; left: 0; display: inline-block; max-width: min(38em, calc(100vw - 2.5rem)); }
th, td { text-align: left; padding: 0.4rem 0.9rem 0.4rem 0.4rem; vertical-align: baseline; }
th:first-child, td:first-child { padding-left: 0; }
th:last-child, td:last-child { padding-right: 0.4rem; }
thead th { font-weight: 600; vertical-align: bottom; border-bottom: 1px solid var(--ink); }
thead small { display: block; font-weight: 400; font-size: 0.8125rem; color: var(--soft); }
tbody th { font-weight: 400; max-width: 22em; min-width: 10.5em; overflow-wrap: anywhere; }
tbody tr + tr th, tbody tr + tr td { border-top: 1px solid var(--line); }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; position: relative; }
th.number { white-space: normal; }
.bar { position: absolute; left: 0; top: 0.35rem; height: 1.5em; background: var(--bar); }
.over { position: relative; }
.files { font-size: 0.8125rem; margin: 0.4rem 0 0; }
dl { margin: 1rem 0; font-size: 0.9375rem; border-bottom: 1px solid var(--line); }
dl div { display: flex; gap: 1rem; padding: 0.35rem 0; border-top: 1px solid var(--line); }
dt { flex: 0 0 12em; color: var(--soft); }
dd { flex: 1 1 0; margin: 0; min-width: 0; overflow-wrap: anywhere; }
@media screen and (max-width: 35rem) {
  body { font-size: 1rem; }
  main { padding: 1.5rem 1rem 3rem; }
  h1 { font-size: 1.625rem; }
  h2 { font-size: 1.25rem; margin-top: 2.5rem; }
  .lede { font-size: 1.0625rem; }
  caption span { max-width: calc(100vw - 2rem); }
  .drawing.wide { display: none; }
  .drawing.narrow { display: block; }
  table { width: max-content; min-width: 100%; font-size: 0.875rem; }
  th, td { padding-right: 0.7rem; }
  /* Names stay in view while numbers scroll. */
  thead th:first-child, tbody th { position: sticky; left: 0; z-index: 1; background: var(--paper); }
  thead th:first-child, tbody th { width: 8.5em; min-width: 0; max-width: 9em; }
  td { max-width: 10em; }
  td.long { min-width: 16em; max-width: 16em; }
  dl div { display: block; }
}
@media print {
  @page { size: A4; margin: 20mm 18mm; @bottom-center { content: counter(page) ' / ' counter(pages); font: 9pt system-ui, sans-serif; } }
  body { font-size: 10.5pt; line-height: 1.45; }
  main { max-width: none; padding: 0; }
  h1 { font-size: 20pt; }
  h2 { font-size: 14pt; margin-top: 2em; }
  h3 { font-size: 11pt; }
  .lede { font-size: 12pt; }
  h1, h2, h3, caption { break-after: avoid; }
  p, li { orphans: 3; widows: 3; }
  figure, .table.short, tr, dl div, nav { break-inside: avoid; }
  thead { display: table-header-group; }
  .scroll { overflow: visible; }
  thead small { font-size: 8pt; }
  table, figcaption, caption, dl, nav ol { font-size: 9pt; }
  .drawing.wide { margin: 0 0 0 -1.7%; }
  .drawing svg { max-height: 225mm; }
  .files { display: none; }
  a { color: inherit; text-decoration: none; }
  .bar { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
";
