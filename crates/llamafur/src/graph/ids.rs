//! The ids of pages, categories, milestones and terms: the rank of their names in bytewise order.

use bytemuck::{Pod, Zeroable};
use std::fmt;

macro_rules! id {
    ($(#[$doc:meta])* $vis:vis $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Pod, Zeroable)]
        #[repr(transparent)]
        $vis struct $name($vis u32);

        impl $name {
            /// The id as an index into a table with a row for each.
            #[inline]
            $vis fn index(self) -> usize {
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
    pub PageId
}

id! {
    /// A category of the corpus.
    pub CategoryId
}

id! {
    /// A category that a matrix has a row and a column for: a milestone of a cleansing or, without a cleansing, a
    /// category of the corpus. [`categories`](crate::categories) says which category of the corpus it is.
    pub MilestoneId
}

id! {
    /// A term: a word of the pages' texts, without its ending.
    pub(crate) TermId
}
