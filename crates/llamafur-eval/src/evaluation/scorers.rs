//! Opens the scorers to compare.

use llamafur::Error;
use llamafur::progress::{Note, Progress};
use llamafur::score::{Inputs, LeftOut, SCORERS, Score, ScoreConf, Scorer, open};
use std::sync::Arc;

/// Scorers ready for a corpus, and those whose input it lacks.
type Opened = (Vec<Arc<dyn Score>>, Vec<LeftOut>);

/// Opens the requested scorers; if none are requested, those that pass `is_default` and whose input the corpus has. The
/// scorers left out are noted, and returned with the `reason` of the error.
///
/// # Errors
/// Returns an error if a name is unknown, the corpus lacks the input of a requested scorer, or a file is damaged.
pub fn open_scorers(
    inputs: &Inputs,
    asked: &[String],
    is_default: impl Fn(&Scorer) -> bool,
    conf: &ScoreConf,
    reason: impl Fn(&Error) -> String,
    progress: &mut dyn Progress,
) -> Result<Opened, Error> {
    let (mut scorers, mut left_out): (Vec<Arc<dyn Score>>, Vec<LeftOut>) = Default::default();
    let of_all = SCORERS.iter().filter(|scorer| is_default(scorer)).map(|scorer| scorer.name.to_owned());
    let names: Vec<String> = if asked.is_empty() { of_all.collect() } else { asked.to_vec() };
    for name in names {
        match open(&name, inputs, conf, progress) {
            Ok(scorer) if scorers.iter().any(|other| other.name() == scorer.name()) => {}
            Ok(scorer) => scorers.push(scorer),
            Err(error) if asked.is_empty() && error.is_lack() => {
                progress.note(Note::left_out(&name, &error));
                left_out.push(LeftOut { name, reason: reason(&error) });
            }
            Err(error) => return Err(error),
        }
    }
    Ok((scorers, left_out))
}
