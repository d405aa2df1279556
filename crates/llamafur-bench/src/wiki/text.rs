//! The wikitext of an article, as it is written in XML.

use super::words::{of_topic, push_word, zipf};
use super::{FIELD, LENGTH, Target, Wiki, capitalise};
use llamafur::learn::sampler::{Generator, Purpose, below, generator, unit};
use std::fmt::Write;

/// Words that a topic or a field has for its own.
const WORDS_OF_TOPIC: usize = 400;
/// Fields are numbered after all topics.
const FIELDS_FROM: u32 = 1 << 20;

/// The part of words that are the topic's, the field's or rare ones.
const BY_TOPIC: f64 = 0.28;
const BY_FIELD: f64 = 0.36;
const RARE: f64 = 0.375;

/// Bytes of what comes last: references, categories.
const END: f64 = 100.0;

const HEADINGS: [&str; 8] =
    ["History", "Career", "Reception", "Geography", "Early life", "Description", "Legacy", "Background"];

/// An article being written.
pub(super) struct Article<'w> {
    wiki: &'w Wiki,
    number: u64,
    draw: Generator,
    /// How long the text should become.
    length: f64,
    links: Vec<Target>,
    linked: usize,
    start: usize,
    has_references: bool,
    text: &'w mut String,
}

impl<'w> Article<'w> {
    /// Appends the text of an article.
    pub(super) fn write(wiki: &'w Wiki, number: u64, text: &'w mut String) {
        let mut draw = generator(1, Purpose::Synth, number);
        let length = wiki.length(&mut draw);
        let links = wiki.links(number, length, &mut draw);
        let carried = wiki.carried(number, length, &mut draw);
        let start = text.len();
        let mut article =
            Article { wiki, number, draw, length, links, linked: 0, start, has_references: false, text };
        article.body();
        article.end(&carried);
    }

    fn body(&mut self) {
        if self.length > LENGTH / 2.0 && self.is_one_of(2) {
            self.infobox();
        }
        self.push("'''");
        self.wiki.push_title(Target::Article(self.number), self.text);
        self.push("''' is ");
        self.paragraph();
        while !self.is_long_enough() {
            self.heading();
            match below(&mut self.draw, 12) {
                0..2 => self.list(),
                2 => self.table(),
                _ => (0..1 + below(&mut self.draw, 3)).for_each(|_| self.paragraph()),
            }
        }
        if self.linked < self.links.len() {
            self.push("\n== See also ==\n");
            while self.linked < self.links.len() {
                self.push("* ");
                self.link();
                self.push("\n");
            }
        }
    }

    fn end(&mut self, carried: &[u64]) {
        if self.has_references {
            self.push("\n== References ==\n{{Reflist}}\n");
        }
        if self.length > LENGTH && self.is_one_of(2) {
            self.push("\n== External links ==\n* [http://www.example.org/");
            self.word();
            self.push(" ");
            self.words(4);
            self.push("]\n");
        }
        for &category in carried {
            self.push("\n[[Category:");
            self.wiki.push_category(category, self.text);
            self.push("]]");
        }
    }

    fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn is_one_of(&mut self, num: u64) -> bool {
        below(&mut self.draw, num) == 0
    }

    fn written(&self) -> f64 {
        (self.text.len() - self.start) as f64
    }

    /// Whether only the end is missing.
    fn is_long_enough(&self) -> bool {
        self.written() + END > self.length
    }

    /// Whether there are fewer links than there should be so far.
    fn is_link_due(&self) -> bool {
        self.linked < self.links.len()
            && self.linked as f64 * (self.length - END) < self.written() * self.links.len() as f64
    }

    fn infobox(&mut self) {
        self.push("{{Infobox ");
        self.word();
        self.push("\n| name = ");
        self.wiki.push_title(Target::Article(self.number), self.text);
        for _ in 0..3 + below(&mut self.draw, 8) {
            self.push("\n| ");
            self.word();
            self.push(" = ");
            if self.is_link_due() { self.link() } else { self.words(2) }
        }
        self.push("\n}}\n");
    }

    fn heading(&mut self) {
        self.push("\n== ");
        match HEADINGS.get(below(&mut self.draw, 16) as usize) {
            Some(heading) => self.push(heading),
            None => self.words(2),
        }
        self.push(" ==\n");
    }

    fn paragraph(&mut self) {
        for _ in 0..2 + below(&mut self.draw, 5) {
            self.sentence();
            if self.is_long_enough() {
                break;
            }
        }
        self.push("\n\n");
    }

    fn sentence(&mut self) {
        let start = self.text.len();
        let mut last = None;
        for _ in 0..6 + below(&mut self.draw, 20) {
            if self.is_link_due() {
                last = self.links.get(self.linked).copied();
                self.link();
            } else {
                self.word();
            }
            let has_comma = self.is_one_of(20);
            self.push(if has_comma { ", " } else { " " });
        }
        self.text.truncate(self.text.trim_end_matches([',', ' ']).len());
        capitalise(self.text, start);
        if let Some(last) = last.filter(|_| below(&mut self.draw, 10) == 0) {
            // A name again, without brackets.
            self.push(" and ");
            self.wiki.push_title(last, self.text);
        }
        self.push(".");
        if self.is_one_of(5) {
            self.reference();
        }
        self.push(" ");
    }

    fn reference(&mut self) {
        self.has_references = true;
        self.push("&lt;ref&gt;{{cite web|title=");
        self.words(5);
        self.push("|url=https://www.example.org/");
        let (number, year) = (below(&mut self.draw, 1 << 30), 1990 + below(&mut self.draw, 35));
        write!(self.text, "{number:x}|date={year}|publisher=").expect("a string takes all");
        self.words(2);
        self.push("}}&lt;/ref&gt;");
    }

    fn list(&mut self) {
        for _ in 0..3 + below(&mut self.draw, 10) {
            self.push("* ");
            if self.is_link_due() {
                self.link();
                self.push(", ");
            }
            self.words(5);
            self.push("\n");
        }
    }

    fn table(&mut self) {
        self.push("{| class=\"wikitable\"\n");
        for _ in 0..3 + below(&mut self.draw, 6) {
            self.push("|-\n| ");
            if self.is_link_due() {
                self.link()
            } else {
                self.word()
            }
            self.push(" || ");
            self.words(3);
            self.push("\n");
        }
        self.push("|}\n");
    }

    fn link(&mut self) {
        let target = self.links[self.linked];
        self.linked += 1;
        self.push("[[");
        let at = self.text.len();
        self.wiki.push_title(target, self.text);
        match below(&mut self.draw, 16) {
            0..5 => {
                self.push("|");
                self.words(1);
            }
            5 => self.push("#History"),
            // The first letter of a title may be small in a link.
            6 => self.text[at..=at].make_ascii_lowercase(),
            _ => {}
        }
        self.push("]]");
    }

    fn words(&mut self, num: usize) {
        for place in 0..num {
            if place > 0 {
                self.push(" ");
            }
            self.word();
        }
    }

    fn word(&mut self) {
        let (known, topic) = (&self.wiki.words, self.wiki.topic(self.number) as u32);
        let kind = unit(&mut self.draw);
        let word = if kind < BY_TOPIC {
            of_topic(topic, zipf(&mut self.draw, WORDS_OF_TOPIC), known.len())
        } else if kind < BY_FIELD {
            let field = FIELDS_FROM + topic / FIELD as u32;
            of_topic(field, zipf(&mut self.draw, WORDS_OF_TOPIC), known.len())
        } else if kind < RARE {
            // Names and slips of the pen: the more pages, the more of them.
            let rank = known.len() + zipf(&mut self.draw, 2 * self.wiki.articles as usize);
            return push_word(rank + 70, self.text);
        } else {
            zipf(&mut self.draw, known.len())
        };
        self.text.push_str(&known[word]);
    }
}
