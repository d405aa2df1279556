//! Writes the HTML document.

use super::names::Names;
use super::text::Escaped;
use super::{Block, Cell, Column, Figure, HtmlReport, Table, Text};
use llamafur_figures::{style, xml};
use maud::{DOCTYPE, Markup, PreEscaped, html};

const STYLE: &str = include_str!("style.css");

/// Metadata of the head; empty elements are closed, because the document is XML too.
const META: PreEscaped<&str> = PreEscaped(
    "<meta charset=\"utf-8\"/><meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\
     <meta name=\"color-scheme\" content=\"light dark\"/>",
);

/// Number of characters of a cell above which its column has sentences, unless it is the first.
const LONG: usize = 60;

impl HtmlReport {
    /// Returns the report as one HTML document.
    pub fn html(&self) -> String {
        self.html_with(&Names::of(self))
    }

    pub(super) fn html_with(&self, names: &Names) -> String {
        let mut page = Page { names, tables: 0, figures: 0 };
        let title = Escaped(&self.title);
        let sections = || self.sections.iter().zip(&names.sections);
        let document = html! {
            (DOCTYPE)
            html lang="en" {
                head { (META) title { (title) } style { (PreEscaped(STYLE)) (PreEscaped(style())) } }
                body {
                    main {
                        header {
                            h1 { (title) }
                            @for text in &self.lede { p.lede { (text.html(names)) } }
                        }
                        @if self.sections.len() > 1 {
                            nav aria-labelledby="contents" {
                                h2 id="contents" { "Contents" }
                                ol {
                                    @for (section, name) in sections() {
                                        li { a href={ "#section-" (name) } { (Escaped(&section.heading)) } }
                                    }
                                }
                            }
                        }
                        @for (section, name) in sections() {
                            section id={ "section-" (name) } {
                                h2 { (Escaped(&section.heading)) }
                                @for block in &section.blocks { (page.block(block)) }
                            }
                        }
                    }
                }
            }
        };
        document.into_string() + "\n"
    }
}

/// Counters of a document being written: tables and figures are numbered in order.
struct Page<'a> {
    names: &'a Names,
    tables: usize,
    figures: usize,
}

impl Page<'_> {
    fn block(&mut self, block: &Block) -> Markup {
        let names = self.names;
        match block {
            Block::Paragraph(text) => html! { p { (text.html(names)) } },
            Block::Table(table) => self.table(table),
            Block::Figure(figure) => self.figure(figure),
            Block::Settings(entries) => html! {
                @if !entries.is_empty() {
                    dl { @for (name, value) in entries { div { dt { (Escaped(name)) } dd { (value.html(names)) } } } }
                }
            },
        }
    }

    fn table(&mut self, table: &Table) -> Markup {
        let name = &self.names.tables[self.tables];
        self.tables += 1;
        let is_long = |number: usize| {
            number > 0 && table.rows.iter().any(|row| row[number].shown.words().chars().count() > LONG)
        };
        let is_long: Vec<bool> = (0..table.columns.len()).map(is_long).collect();
        html! {
            // On paper, a short table is not broken over two pages.
            div class=(if table.rows.len() <= 8 { "table short" } else { "table" }) id={ "table-" (name) } {
                // What scrolls must be within reach of the keyboard.
                div.scroll tabindex="0" role="region" aria-label={ "Table " (self.tables) } {
                    table {
                        caption { span { (self.caption("Table", self.tables, &table.caption)) } }
                        thead { tr { @for column in &table.columns { (heading(column)) } } }
                        tbody {
                            @for row in &table.rows {
                                tr {
                                    @for (number, cell) in row.iter().enumerate() {
                                        (self.cell(cell, &table.columns[number], number == 0, is_long[number]))
                                    }
                                }
                            }
                        }
                    }
                }
                (download(&format!("tables/{name}.tsv"), "TSV"))
            }
        }
    }

    fn cell(&self, cell: &Cell, column: &Column, is_first: bool, is_long: bool) -> Markup {
        let shown = match cell.shown.as_plain() {
            Some(words) if !column.is_number => breakable(words),
            _ => cell.shown.html(self.names),
        };
        let shown = if cell.is_best {
            html! { b { (shown) } }
        } else {
            shown
        };
        let shown = match cell.bar {
            Some(part) => html! {
                span.bar style={ "width:" (format!("{:.1}", 100.0 * part)) "%" } {}
                span.over { (shown) }
            },
            None => shown,
        };
        match (is_long, column.is_number, is_first) {
            (true, ..) => html! { td.long { (shown) } },
            (false, true, _) => html! { td.number { (shown) } },
            (false, false, true) => html! { th scope="row" { (shown) } },
            (false, false, false) => html! { td { (shown) } },
        }
    }

    fn figure(&mut self, figure: &Figure) -> Markup {
        let name = &self.names.figures[self.figures];
        self.figures += 1;
        html! {
            figure id={ "figure-" (name) } {
                div.drawing.wide { (PreEscaped(figure.wide.inline())) }
                div.drawing.narrow { (PreEscaped(figure.narrow.inline())) }
                figcaption { (self.caption("Figure", self.figures, &figure.caption)) }
                (download(&format!("figures/{name}.svg"), "SVG"))
            }
        }
    }

    fn caption(&self, of: &str, number: usize, caption: &Text) -> Markup {
        html! { b { (of) "\u{a0}" (number) "." } " " (caption.html(self.names)) }
    }
}

fn download(file: &str, format: &str) -> Markup {
    html! { p.files { a href=(file) { (format) } } }
}

fn heading(column: &Column) -> Markup {
    // A number and its unit are not separated.
    let words = column.heading.replace(" %", "\u{a0}%");
    html! {
        th.number[column.is_number] scope="col" {
            (Escaped(&words))
            @if !column.note.is_empty() { small { (Escaped(&column.note)) } }
        }
    }
}

/// Adds line breaks to the name of a scorer, which has no spaces.
fn breakable(name: &str) -> Markup {
    PreEscaped(xml(name).replace(':', ":<wbr/>").replace('_', "_<wbr/>").replace('+', "<wbr/>+"))
}
