//! The judging of the corpora that are served: opened with the server, and again where a corpus was replaced.

use crate::corpora::{Corpora, Served};
use llamafur::progress::{Progress, Silent};
use llamafur_eval::judging::{Judging, JudgingConf, JudgingError};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The judging of each corpus, by its name, with the version of the corpus that it is of.
#[derive(Debug, Default)]
pub(crate) struct Judgings(Mutex<BTreeMap<String, (String, Arc<Judging>)>>);

impl Judgings {
    /// Opens the judging of every corpus, and pools the links to be judged where there are none yet.
    pub(crate) fn open_all(
        &self,
        corpora: &Corpora,
        progress: &mut dyn Progress,
    ) -> Result<(), JudgingError> {
        corpora.all().try_for_each(|served| self.opened(&served, progress).map(drop))
    }

    /// The judging of a corpus as it is now.
    pub(crate) fn get(&self, served: &Served) -> Result<Arc<Judging>, JudgingError> {
        self.opened(served, &mut Silent)
    }

    fn opened(&self, served: &Served, progress: &mut dyn Progress) -> Result<Arc<Judging>, JudgingError> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((version, judging)) = all.get(&served.name)
            && *version == served.version
        {
            return Ok(judging.clone());
        }
        let judging = Arc::new(Judging::open(&served.engine, &JudgingConf::default(), progress)?);
        all.insert(served.name.clone(), (served.version.clone(), judging.clone()));
        Ok(judging)
    }
}
