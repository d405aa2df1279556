//! Colours and dashes by which lines are told apart.
//!
//! The colours were searched for: any two are at least 25 apart (ΔE, CIE 1976), for readers with normal sight and for
//! those without the long, the middle or the short cones, and each stands out from the paper by 3 to 1 at least.

/// How many lines can be told apart.
pub(super) const NUM_COLOURS: usize = 8;

const LIGHT: [&str; NUM_COLOURS] =
    ["#cf7921", "#0150e5", "#111827", "#104d37", "#dd0f79", "#6c440c", "#04a3b9", "#501b77"];
const DARK: [&str; NUM_COLOURS] =
    ["#f1b319", "#a0c5ff", "#ffffff", "#1cfd95", "#de0a6d", "#a25014", "#1066b7", "#9205fd"];
const DASHES: [&str; NUM_COLOURS] = ["", "8 3", "2 2.5", "8 2 2 2", "5 2", "12 3", "8 2 2 2 2 2", "3 3 1 3"];

/// The dashes of a line that has this colour; empty for none.
pub(super) fn dashes(colour: usize) -> &'static str {
    DASHES[colour % NUM_COLOURS]
}

/// The style of the colours, as strokes and as fills, in light and dark.
pub(super) fn style() -> String {
    let of = |colours: [&str; NUM_COLOURS]| {
        let rule = |(n, colour): (usize, &&str)| {
            format!(".plot .s{n} {{ stroke: {colour}; }}\n.plot .f{n} {{ fill: {colour}; }}\n")
        };
        colours.iter().enumerate().map(rule).collect::<String>()
    };
    format!("{}@media screen and (prefers-color-scheme: dark) {{\n{}}}\n", of(LIGHT), of(DARK))
}

#[cfg(test)]
mod tests {
    use super::*;

    type Rgb = [f64; 3];

    /// Linear light of red, green and blue.
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
        for colours in [LIGHT, DARK] {
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
        for (colours, paper) in [(LIGHT, "#ffffff"), (DARK, "#14181f")] {
            for colour in colours {
                let ratio = brightness(colour) / brightness(paper);
                assert!(ratio.max(1.0 / ratio) >= 2.95, "{colour}: {ratio}");
            }
        }
    }

    #[test]
    fn no_two_dashes_are_the_same() {
        assert!((0..NUM_COLOURS).all(|a| (0..a).all(|b| dashes(a) != dashes(b))));
    }
}
