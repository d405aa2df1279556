//! Files that are whole or absent, checked when they are read.
//!
//! `atomic` writes a file under a temporary name and renames it within the `directory` that it holds open, `folder`
//! does so with a whole folder; `checksum` sums blocks; `mmap` maps a file and compares each block with its sum when it
//! is first touched; `watch` notices files that other programs change while they are mapped, `faults` keeps the process
//! alive when they are cut; `signed` is the JSON header of files that are made after the manifest, which `tensors`
//! (safetensors) and `arrow_file` (Arrow) read and write; `columns` reads Arrow tables in place; `csr` is a table of
//! lists, `list_batches` is one in a file; `kept` opens what was computed before, or has it made; `wait` waits for
//! other processes, `file_list` is the list of the files of a report.

pub(crate) mod arrow_file;
mod atomic;
mod checksum;
pub(crate) mod columns;
mod csr;
mod directory;
mod faults;
mod file_list;
mod folder;
pub(crate) mod kept;
pub(crate) mod list_batches;
pub(crate) mod mmap;
pub(crate) mod signed;
pub(crate) mod tensors;
mod wait;
mod watch;

pub(crate) use atomic::WRITING;
pub use atomic::{AtomicFile, Temporary, remove_temporary, sync_folder};
pub use checksum::BLOCK;
pub(crate) use checksum::FileSums;
pub(crate) use checksum::SMALL_BLOCK;
#[cfg(test)]
pub(crate) use checksum::SummingWriter;
pub use csr::{Csr, CsrBuf};
pub(crate) use directory::Directory;
pub use faults::handle_lost_pages;
#[doc(hidden)]
pub use file_list::{FILE_LIST, file_list, is_inside, listed_files};
pub use folder::Existing;
pub(crate) use folder::{AtomicFolder, Contents, JUDGMENTS, LOCK, MANIFEST, SCRATCH};
pub(crate) use mmap::CheckedMap;
pub use watch::Watch;
