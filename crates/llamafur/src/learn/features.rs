//! The features that a model has matrices over: categories, and the words that tell most about each page.

use crate::Error;
use crate::categories::{Categories, Feature};
use crate::corpus::Corpus;
use crate::error::Missing;
use crate::progress::{Note, Progress};
use crate::words::{TextPart, Words, as_categories};
use std::sync::Arc;

/// Opens the features that a corpus has: categories if its pages carry any, words and leads if they have text with
/// terms in it.
///
/// Notes if no term of the texts distinguishes pages.
///
/// # Errors
/// If there are neither categories nor words, or a file is damaged.
pub fn available(
    corpus: &Corpus,
    categories: Categories,
    progress: &mut dyn Progress,
) -> Result<Vec<Categories>, Error> {
    let has_categories = corpus.manifest().counts.page_categories > 0;
    let mut which = if has_categories { vec![Feature::Categories] } else { Vec::new() };
    if corpus.has_text() {
        which.extend([Feature::Words, Feature::Lead]);
    }
    match open(corpus, &which, categories.clone(), progress) {
        Err(error @ Error::Missing { what: Missing::Terms { .. } | Missing::TellingTerms { .. }, .. })
            if has_categories =>
        {
            progress.note(Note::left_out("words", &error));
            Ok(vec![categories])
        }
        Ok(features) if features.is_empty() => Err(Error::NoCategories),
        opened => opened,
    }
}

/// Opens these features of a corpus, with the given categories. Counts the words of the pages if they are not yet.
///
/// # Errors
/// If the corpus has no text, or none with terms in it that distinguish pages, or a file is damaged.
pub fn open(
    corpus: &Corpus,
    which: &[Feature],
    categories: Categories,
    progress: &mut dyn Progress,
) -> Result<Vec<Categories>, Error> {
    let mut words: Option<Arc<Words>> = None;
    let mut features = Vec::with_capacity(which.len());
    for &feature in which {
        let Some(part) = TextPart::of(feature) else {
            features.push(categories.clone());
            continue;
        };
        let words = match &words {
            Some(words) => words,
            None => {
                let made = Words::kept_or_made(corpus, progress)?;
                if let Some(what) = made.lack()? {
                    return Err(Error::Missing { path: corpus.path().into(), what });
                }
                words.insert(Arc::new(made))
            }
        };
        features.push(as_categories(corpus, words, part));
    }
    Ok(features)
}

/// Explains a missing matrix: the corpus lacks the feature, or the model was trained without it.
pub(crate) fn no_matrix_over(corpus: &Corpus, feature: Feature) -> Error {
    let has_categories = corpus.manifest().counts.page_categories > 0;
    let lack = match TextPart::of(feature) {
        None => (!has_categories).then_some(Missing::Categories),
        Some(_) if !corpus.has_text() => Some(Missing::Text),
        // Words that cannot be opened are made again by training.
        Some(_) => Words::open(corpus).and_then(|words| words.lack()).unwrap_or_default(),
    };
    Error::Missing { path: corpus.path().into(), what: lack.unwrap_or(Missing::MatrixOver(feature.name())) }
}
