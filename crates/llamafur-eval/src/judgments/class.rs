//! The classes of judged links.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// How unexpected a judge found a link, the most expected first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum Class {
    /// Totally expected.
    TE,
    /// Slightly expected.
    E,
    /// Slightly unexpected.
    U,
    /// Totally unexpected.
    TU,
}

impl Class {
    /// All classes, the most expected first.
    pub const ALL: [Class; 4] = [Class::TE, Class::E, Class::U, Class::TU];

    /// Returns whether a ranking should put the link on top: U and TU.
    pub fn is_relevant(self) -> bool {
        self >= Class::U
    }

    /// Returns the gain of the link: 0 for TE and E, 1 for U, 2 for TU.
    pub fn gain(self) -> u8 {
        (self as u8).saturating_sub(1)
    }

    /// Returns the class's index among all four.
    pub fn index(self) -> usize {
        self as usize
    }

    /// Returns the name, as in the authors' file.
    pub fn name(self) -> &'static str {
        ["TE", "E", "U", "TU"][self as usize]
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The error for an unknown class name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a class is TE, E, U or TU")]
pub struct NoSuchClass;

impl FromStr for Class {
    type Err = NoSuchClass;

    /// Parses upper or lower case; ignores whitespace around it.
    fn from_str(text: &str) -> Result<Class, NoSuchClass> {
        let is_meant = |class: &Class| class.name().eq_ignore_ascii_case(text.trim());
        Class::ALL.into_iter().find(is_meant).ok_or(NoSuchClass)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_ascend_with_unexpectedness() {
        assert!(Class::ALL.is_sorted());
        assert_eq!(Class::ALL.map(Class::gain), [0, 0, 1, 2]);
        assert_eq!(Class::ALL.map(Class::is_relevant), [false, false, true, true]);
        assert_eq!(Class::ALL.map(Class::index), [0, 1, 2, 3]);
    }

    #[test]
    fn names_are_read_in_any_case() {
        assert!(Class::ALL.into_iter().all(|class| class.name().to_lowercase().parse() == Ok(class)));
        assert_eq!(" Tu ".parse(), Ok(Class::TU));
        assert_eq!("T".parse::<Class>(), Err(NoSuchClass));
        assert_eq!(serde_json::to_string(&Class::TU).unwrap(), "\"TU\"");
    }
}
