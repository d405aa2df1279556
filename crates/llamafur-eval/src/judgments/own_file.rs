//! Files of a corpus's judgments: a corpus may come from somebody else, and its files may be links to other places.
//!
//! The folder `judgments` may be a symbolic link, for judgments stored elsewhere. The files in it may not.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;

/// Opens a regular file for reading, without following a symbolic link to it or waiting for a named pipe.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    open_with(path, File::options().read(true))
}

/// Opens a regular file for appending, under the same rules; creates it if missing.
pub(crate) fn open_for_appending(path: &Path) -> io::Result<File> {
    open_with(path, File::options().create(true).read(true).append(true))
}

fn open_with(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed());
    }
    let is_link = || path.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink());
    // Where the system has no such flag, it is looked at before.
    if cfg!(not(unix)) && is_link() {
        return Err(refused("a symbolic link, which is not followed"));
    }
    let file = options.open(path).map_err(|error| match is_link() {
        true => refused("a symbolic link, which is not followed"),
        false => error,
    })?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(refused("not a regular file")) }
}

fn refused(what: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, what)
}
