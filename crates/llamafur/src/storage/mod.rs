//! Files that are whole or absent, checked when they are read.
//!
//! `atomic` writes under a temporary name and renames; `checksum` sums blocks; `mmap` maps a file and compares each block
//! with its sum when it is first touched; `watch` notices files that other programs change while they are mapped, `faults` keeps
//! the process alive when they are cut; `signed` is the JSON header of files that are made after the manifest, which
//! `tensors` (safetensors) and `arrow_file` (Arrow) read and write; `columns` reads Arrow tables in place; `csr` is a table
//! of lists, `list_batches` the same in a file; `kept` opens what was computed before, or has it made.

pub(crate) mod arrow_file;
mod atomic;
mod checksum;
pub(crate) mod columns;
mod csr;
mod faults;
pub(crate) mod kept;
pub(crate) mod list_batches;
pub(crate) mod mmap;
pub(crate) mod signed;
pub(crate) mod tensors;
mod watch;

pub(crate) use atomic::JUDGMENTS;
pub use atomic::{AtomicFile, Existing, Temporary, remove_temporary, sync_folder};
pub(crate) use atomic::{AtomicFolder, MANIFEST};
pub use checksum::BLOCK;
pub(crate) use checksum::FileSums;
pub(crate) use checksum::SMALL_BLOCK;
#[cfg(test)]
pub(crate) use checksum::SummingWriter;
pub use csr::{Csr, CsrBuf};
pub use faults::handle_lost_pages;
pub(crate) use mmap::CheckedMap;
pub use watch::Watch;
