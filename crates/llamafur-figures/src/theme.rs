//! Colours, text sizes and dashes: the theme of all figures.
//!
//! The base is plain colours, because many SVG programs do not support CSS variables or media queries. A media query
//! then replaces each colour on a dark screen; print stays light.
//!
//! The colours of lines were found by a search: any two differ by at least 25 (ΔE, CIE 1976), for readers with normal vision
//! and for those without the long, the middle or the short cones, and each has a contrast of at least 3 to 1.

use std::fmt::Write;

/// Number of lines with a distinct colour, dash pattern and marker.
pub(crate) const NUM_COLOURS: usize = 8;

/// Font sizes in pixels: the title, the category in the middle, names, numbers and notes.
pub(crate) const TITLE: f64 = 17.0;
pub(crate) const CENTRE: f64 = 15.0;
pub(crate) const NAME: f64 = 12.5;
pub(crate) const SMALL: f64 = 11.5;

/// A colour on light paper and on a dark screen.
#[derive(Clone, Copy)]
struct Ink(&'static str, &'static str);

const PAPER: Ink = Ink("#ffffff", "#14181f");
const BLACK: Ink = Ink("#1c2128", "#e8ecf1");
const GREY: Ink = Ink("#5c6673", "#9aa5b4");
const PALE: Ink = Ink("#b4bcc6", "#515c6b");
const GRID: Ink = Ink("#e5e8ec", "#2b323c");
const STRONG: Ink = Ink("#c2410c", "#fb8a4c");

const LINES: [Ink; NUM_COLOURS] = [
    Ink("#cf7921", "#f1b319"),
    Ink("#0150e5", "#a0c5ff"),
    Ink("#111827", "#ffffff"),
    Ink("#104d37", "#1cfd95"),
    Ink("#dd0f79", "#de0a6d"),
    Ink("#6c440c", "#a25014"),
    Ink("#04a3b9", "#1066b7"),
    Ink("#501b77", "#9205fd"),
];

const DASHES: [&str; NUM_COLOURS] = ["", "8 3", "2 2.5", "8 2 2 2", "5 2", "12 3", "8 2 2 2 2 2", "3 3 1 3"];

/// Colours by elements and property. A later entry overrides an earlier one.
const COLOURS: [(&str, &str, Ink); 12] = [
    ("text, .around, .box, .outlier, .among .head", "fill", GREY),
    (".paper", "fill", PAPER),
    (".title, .name, .dot", "fill", BLACK),
    (".centre .dot, .own .head", "fill", STRONG),
    (".centre .name", "fill", PAPER),
    (".halo", "stroke", PAPER),
    (".grid", "stroke", GRID),
    (".level, .box, .whisker", "stroke", GREY),
    (".rest", "stroke", PALE),
    (".median", "stroke", STRONG),
    (".own .shaft", "stroke", STRONG),
    (".among .shaft", "stroke", GREY),
];

/// The style sheet without colours.
const SHAPES: &str = "
.plot { font-family: system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', 'Noto Sans', Arial, sans-serif; }
.plot text { font-size: 11.5px; font-variant-numeric: tabular-nums; }
.plot .title { font-size: 17px; font-weight: 700; }
.plot .name { font-size: 12.5px; }
.plot .bold { font-weight: 600; }
.plot .centre .name { font-size: 15px; font-weight: 600; }
.plot .halo { stroke-width: 3px; stroke-linejoin: round; }
.plot .grid { stroke-width: 1; }
.plot .level { stroke-width: 1.2; stroke-dasharray: 4 3; }
.plot .around { opacity: 0.13; }
.plot .line { fill: none; stroke-width: 2; stroke-linejoin: round; }
.plot .lead { fill: none; stroke-width: 0.75; opacity: 0.7; }
.plot .rest { fill: none; stroke-width: 1; }
.plot .band { opacity: 0.14; }
.plot .range { stroke-width: 2.2; stroke-linecap: round; }
.plot .box { fill-opacity: 0.16; }
.plot .median { stroke-width: 2.5; }
.plot .outlier { fill-opacity: 0.6; }
.plot .shaft { fill: none; }
.plot .arc:hover { opacity: 1; }
";

/// Returns the dash pattern of a line with this colour; empty for a solid line.
pub(crate) fn dashes(colour: usize) -> &'static str {
    DASHES[colour % NUM_COLOURS]
}

/// Returns the style sheet of all figures. Each [`Drawing::svg`](crate::Drawing::svg) has it; an HTML document with
/// [inline](crate::Drawing::inline) drawings needs it once. Its selectors apply inside `.plot` only.
pub fn style() -> String {
    let colours = |pick: fn(Ink) -> &'static str| {
        let mut css = String::new();
        for (selectors, property, ink) in COLOURS {
            let selectors: Vec<String> = selectors.split(", ").map(|one| format!(".plot {one}")).collect();
            let _ = writeln!(css, "{} {{ {property}: {}; }}", selectors.join(", "), pick(ink));
        }
        for (number, ink) in LINES.into_iter().enumerate() {
            let colour = pick(ink);
            let _ = writeln!(
                css,
                ".plot .s{number} {{ stroke: {colour}; }}\n.plot .f{number} {{ fill: {colour}; }}"
            );
        }
        css
    };
    let (light, dark) = (colours(|ink| ink.0), colours(|ink| ink.1));
    format!("{SHAPES}{light}@media screen and (prefers-color-scheme: dark) {{\n{dark}}}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    type Rgb = [f64; 3];

    /// Returns the linear light of red, green and blue.
    fn light(colour: &str) -> Rgb {
        [1, 3, 5].map(|at| {
            let part = f64::from(u8::from_str_radix(&colour[at..at + 2], 16).unwrap()) / 255.0;
            if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        })
    }

    fn times(matrix: [Rgb; 3], rgb: Rgb) -> Rgb {
        matrix.map(|row| (0..3).map(|k| row[k] * rgb[k]).sum::<f64>())
    }

    fn lab(rgb: Rgb) -> Rgb {
        let rgb = rgb.map(|part| part.clamp(0.0, 1.0));
        let xyz = times([[0.4339, 0.3762, 0.1899], [0.2126, 0.7152, 0.0722], [0.0177, 0.1095, 0.8728]], rgb);
        let [x, y, z] = xyz.map(|t| if t > 0.008856 { t.cbrt() } else { 7.787 * t + 16.0 / 116.0 });
        [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
    }

    /// Machado, Oliveira & Fernandes, “A Physiologically-based Model for Simulation of Color Vision Deficiency”,
    /// IEEE TVCG 2009, at full severity.
    const SIGHTS: [[Rgb; 3]; 4] = [
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
    ];

    #[test]
    fn colour_blind_readers_can_tell_them_apart() {
        for colours in [LINES.map(|ink| ink.0), LINES.map(|ink| ink.1)] {
            for sight in SIGHTS {
                let seen = colours.map(|colour| lab(times(sight, light(colour))));
                for a in 0..NUM_COLOURS {
                    for b in 0..a {
                        let apart: f64 =
                            (0..3).map(|k| (seen[a][k] - seen[b][k]).powi(2)).sum::<f64>().sqrt();
                        assert!(apart > 24.0, "{} {}: {apart}", colours[a], colours[b]);
                    }
                }
            }
        }
    }

    #[test]
    fn each_stands_out_from_the_paper() {
        let brightness = |colour: &str| {
            let [red, green, blue] = light(colour);
            0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05
        };
        for (colours, paper) in [(LINES.map(|ink| ink.0), PAPER.0), (LINES.map(|ink| ink.1), PAPER.1)] {
            for colour in colours {
                let ratio = brightness(colour) / brightness(paper);
                assert!(ratio.max(1.0 / ratio) >= 2.95, "{colour}: {ratio}");
            }
        }
    }

    #[test]
    fn text_sizes_are_those_that_are_measured() {
        for (class, size) in [("text", SMALL), (".title", TITLE), (".name", NAME), (".centre .name", CENTRE)]
        {
            assert!(SHAPES.contains(&format!("\n.plot {class} {{ font-size: {size}px;")), "{class}");
        }
    }

    #[test]
    fn no_two_dashes_are_the_same() {
        assert!((0..NUM_COLOURS).all(|a| (0..a).all(|b| dashes(a) != dashes(b))));
    }
}
