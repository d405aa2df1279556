//! The document itself.

use super::names::Names;
use super::style::STYLE;
use super::{Block, Cell, Column, Figure, Report, Section, Table, Text};
use llamafur_figures::{style, xml};
use std::fmt::Write;

/// Bytes of a cell whose column needs room for sentences, also where the table must scroll for it.
const LONG: usize = 60;

impl Report {
    /// The report as one HTML document.
    pub fn html(&self) -> String {
        self.html_with(&Names::of(self))
    }

    pub(super) fn html_with(&self, names: &Names) -> String {
        let mut page = Page { names, tables: 0, figures: 0 };
        let title = xml(&self.title);
        let mut html = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
             <meta name=\"color-scheme\" content=\"light dark\"/>\n<title>{title}</title>\n\
             <style>{STYLE}{}</style>\n</head>\n<body>\n<main>\n<header>\n<h1>{title}</h1>\n",
            style()
        );
        for text in &self.lede {
            let _ = writeln!(html, "<p class=\"lede\">{}</p>", text.html(names));
        }
        html += "</header>\n";
        html += &self.contents(names);
        for (section, name) in self.sections.iter().zip(&names.sections) {
            html += &page.section(section, name);
        }
        html + "</main>\n</body>\n</html>\n"
    }

    fn contents(&self, names: &Names) -> String {
        if self.sections.len() < 2 {
            return String::new();
        }
        let entry = |(section, name): (&Section, &String)| {
            format!("<li><a href=\"#section-{name}\">{}</a></li>\n", xml(&section.heading))
        };
        let entries: String = self.sections.iter().zip(&names.sections).map(entry).collect();
        format!(
            "<nav aria-labelledby=\"contents\">\n<h2 id=\"contents\">Contents</h2>\n<ol>\n{entries}</ol>\n</nav>\n"
        )
    }
}

/// The document as far as it is written: tables and figures are numbered in their order.
struct Page<'a> {
    names: &'a Names,
    tables: usize,
    figures: usize,
}

impl Page<'_> {
    fn section(&mut self, section: &Section, name: &str) -> String {
        let mut html = format!("<section id=\"section-{name}\">\n<h2>{}</h2>\n", xml(&section.heading));
        for block in &section.blocks {
            html += &match block {
                Block::Subheading(heading) => format!("<h3>{}</h3>\n", xml(heading)),
                Block::Paragraph(text) => format!("<p>{}</p>\n", self.text(text)),
                Block::Bullets(texts) if texts.is_empty() => String::new(),
                Block::Bullets(texts) => {
                    let items = texts.iter().map(|text| format!("<li>{}</li>\n", self.text(text)));
                    format!("<ul>\n{}</ul>\n", items.collect::<String>())
                }
                Block::Table(table) => self.table(table),
                Block::Figure(figure) => self.figure(figure),
                Block::Settings(entries) if entries.is_empty() => String::new(),
                Block::Settings(entries) => {
                    let entry = |(name, value): &(String, Text)| {
                        format!("<div><dt>{}</dt><dd>{}</dd></div>\n", xml(name), self.text(value))
                    };
                    format!("<dl>\n{}</dl>\n", entries.iter().map(entry).collect::<String>())
                }
            };
        }
        html + "</section>\n"
    }

    fn text(&self, text: &Text) -> String {
        text.html(self.names)
    }

    fn table(&mut self, table: &Table) -> String {
        let name = &self.names.tables[self.tables];
        self.tables += 1;
        let caption = self.caption("Table", self.tables, &table.caption);
        let headings: String = table.columns.iter().map(heading).collect();
        let is_long = |number: usize| table.rows.iter().any(|row| row[number].shown.len() > LONG);
        let is_long: Vec<bool> = (0..table.columns.len()).map(is_long).collect();
        let row = |cells: &Vec<Cell>| {
            let cells = cells.iter().zip(&table.columns).enumerate();
            let cells = cells.map(|(number, (cell, column))| match is_long[number] {
                true => format!("<td class=\"long\">{}</td>", breakable(&cell.shown)),
                false => draw_cell(cell, column, number == 0),
            });
            format!("<tr>{}</tr>\n", cells.collect::<String>())
        };
        let rows: String = table.rows.iter().map(row).collect();
        // On paper, a table that is not long stays on one page.
        let length = if table.rows.len() <= 8 { " short" } else { "" };
        // A box that scrolls must be reached by the keyboard too.
        format!(
            "<div class=\"table{length}\" id=\"table-{name}\">\n\
             <div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Table {}\">\n<table>\n\
             <caption><span>{caption}</span></caption>\n<thead>\n<tr>{headings}</tr>\n</thead>\n\
             <tbody>\n{rows}</tbody>\n</table>\n</div>\n{}</div>\n",
            self.tables,
            download(&format!("tables/{name}.tsv"), "TSV"),
        )
    }

    fn figure(&mut self, figure: &Figure) -> String {
        let name = &self.names.figures[self.figures];
        self.figures += 1;
        let caption = self.caption("Figure", self.figures, &figure.caption);
        let (wide, narrow) = (figure.wide.inline(), figure.narrow.inline());
        let file = download(&format!("figures/{name}.svg"), "SVG");
        format!(
            "<figure id=\"figure-{name}\">\n<div class=\"drawing wide\">\n{wide}</div>\n\
             <div class=\"drawing narrow\">\n{narrow}</div>\n<figcaption>{caption}</figcaption>\n{file}</figure>\n"
        )
    }

    fn caption(&self, kind: &str, number: usize, caption: &Text) -> String {
        format!("<b>{kind}\u{a0}{number}.</b> {}", self.text(caption))
    }
}

fn download(file: &str, kind: &str) -> String {
    format!("<p class=\"files\"><a href=\"{file}\">{kind}</a></p>\n")
}

fn heading(column: &Column) -> String {
    let note =
        if column.note.is_empty() { String::new() } else { format!("<small>{}</small>", xml(&column.note)) };
    // A number stays with its unit.
    let words = xml(&column.heading).replace(" %", "\u{a0}%");
    format!("<th scope=\"col\"{}>{words}{note}</th>", class(column.is_number))
}

fn class(is_number: bool) -> &'static str {
    if is_number { " class=\"number\"" } else { "" }
}

/// Names of scorers have no spaces, but places where they may be broken.
fn breakable(name: &str) -> String {
    xml(name).replace(':', ":<wbr/>").replace('_', "_<wbr/>").replace('+', "<wbr/>+")
}

fn draw_cell(cell: &Cell, column: &Column, is_first: bool) -> String {
    let shown = if column.is_number { xml(&cell.shown) } else { breakable(&cell.shown) };
    let shown = if cell.is_best { format!("<b>{shown}</b>") } else { shown };
    let shown = match cell.bar {
        Some(part) => format!(
            "<span class=\"bar\" style=\"width:{:.1}%\"></span><span class=\"over\">{shown}</span>",
            100.0 * part
        ),
        None => shown,
    };
    if is_first && !column.is_number {
        return format!("<th scope=\"row\">{shown}</th>");
    }
    format!("<td{}>{shown}</td>", class(column.is_number))
}
