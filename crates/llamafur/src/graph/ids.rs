//! The ids of pages, categories and terms: the rank of their names in bytewise order.

use bytemuck::{Pod, Zeroable};
use std::fmt;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Pod, Zeroable)]
        #[repr(transparent)]
        pub struct $name(pub u32);

        impl $name {
            /// The id as an index into a table with a row for each.
            #[inline]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

id! {
    /// A page: a node of the graph.
    PageId
}

id! {
    /// A category of pages.
    CategoryId
}

id! {
    /// A term: a word of the pages' texts, without its ending.
    TermId
}
