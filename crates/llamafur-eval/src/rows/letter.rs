//! The judgments of a row.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The judgment of a row's link, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum RowLetter {
    /// Surprising, with a fact behind it that is worth retelling.
    A,
    /// Mildly interesting.
    B,
    /// Ordinary.
    C,
    /// Noise: a citation, an identifier, a date, a row of a table.
    D,
    /// A link to the wrong page.
    E,
}

impl RowLetter {
    /// All letters, the best first.
    pub const ALL: [RowLetter; 5] = [RowLetter::A, RowLetter::B, RowLetter::C, RowLetter::D, RowLetter::E];

    /// Returns the letter's index among all five.
    pub fn index(self) -> usize {
        self as usize
    }

    /// Returns the letter's name, as in files of labels.
    pub fn name(self) -> &'static str {
        ["A", "B", "C", "D", "E"][self as usize]
    }
}

impl fmt::Display for RowLetter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The error for an unknown letter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a letter is A, B, C, D or E")]
pub struct NoSuchLetter;

impl FromStr for RowLetter {
    type Err = NoSuchLetter;

    /// Reads upper or lower case; ignores whitespace around it.
    fn from_str(text: &str) -> Result<RowLetter, NoSuchLetter> {
        let is_meant = |letter: &RowLetter| letter.name().eq_ignore_ascii_case(text.trim());
        RowLetter::ALL.into_iter().find(is_meant).ok_or(NoSuchLetter)
    }
}

/// The judgment of a row's reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum RowSign {
    /// Convincing, and true as far as one can tell.
    #[serde(rename = "+")]
    Plus,
    /// Empty, but not wrong.
    #[serde(rename = "0")]
    Zero,
    /// Misleading or false.
    #[serde(rename = "-")]
    Minus,
}

impl RowSign {
    /// Returns the sign's name, as in files of labels.
    pub fn name(self) -> &'static str {
        ["+", "0", "-"][self as usize]
    }
}

impl fmt::Display for RowSign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The error for an unknown sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a sign is +, 0 or −")]
pub struct NoSuchSign;

impl FromStr for RowSign {
    type Err = NoSuchSign;

    /// Parses a hyphen or a minus sign; ignores whitespace around it.
    fn from_str(text: &str) -> Result<RowSign, NoSuchSign> {
        match text.trim() {
            "+" => Ok(RowSign::Plus),
            "0" => Ok(RowSign::Zero),
            "-" | "−" => Ok(RowSign::Minus),
            _ => Err(NoSuchSign),
        }
    }
}
