//! What people judged of links.

mod class;

pub use class::{Class, NoSuchClass};
