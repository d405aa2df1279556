//! The ids of pages, categories, milestones and terms: the rank of their names in bytewise order.

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
    /// A category of the corpus.
    CategoryId
}

id! {
    /// A category that a matrix has a row and a column for: a milestone of a cleansing or, without a cleansing, a
    /// category of the corpus. [`categories`](crate::categories) says which category of the corpus it is.
    MilestoneId
}

id! {
    /// A term: a word of the pages' texts, without its ending.
    TermId
}
