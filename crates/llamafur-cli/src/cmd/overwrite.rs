//! The rule for existing results in all commands: rejected unless `--overwrite` is passed.

use anyhow::{Result, bail};
use clap::Args;
use llamafur::storage::Existing;
use std::path::Path;

/// Whether an existing result is replaced.
#[derive(Debug, Clone, Copy, Args)]
pub(super) struct OverwriteArgs {
    /// Replace the result if it exists.
    #[arg(long)]
    overwrite: bool,
}

/// Fails if a path exists, unless it may be replaced.
pub(super) fn expect_free(place: &Path, overwrite: bool) -> Result<()> {
    match place.exists() && !overwrite {
        true => bail!("{}: exists already; pass `--overwrite` to replace it", place.display()),
        false => Ok(()),
    }
}

impl OverwriteArgs {
    /// Fails if a file exists, unless it may be replaced. Call it before the work.
    pub(super) fn check(self, file: &Path) -> Result<()> {
        if file.is_file() { expect_free(file, self.overwrite) } else { Ok(()) }
    }

    /// Returns the treatment of an existing corpus.
    pub(super) fn existing(self) -> Existing {
        if self.overwrite { Existing::Replace } else { Existing::Refuse }
    }
}
