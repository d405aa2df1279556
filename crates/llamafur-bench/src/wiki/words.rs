//! Words that can be spoken, and how often each is drawn.

use llamafur::learn::sampler::{Generator, unit};

/// The words of the lowest ranks where texts should have words that every page has.
const FUNCTION_WORDS: &str = "the of and in to a was is for as on with by he that at from his it an were which are this \
    also be had has or first one their its after who not they two her she been other when there all during into time \
    may more many most some between such over where under then about through both would can these";

/// So many words, the most frequent first: those without a meaning of their own, then words that can be spoken.
pub fn vocabulary(num: usize) -> Vec<String> {
    let function = FUNCTION_WORDS.split_whitespace().map(str::to_owned);
    // Words of one syllable are left out, since some of them are function words.
    function.chain((70..).map(word)).take(num).collect()
}

/// A word that can be spoken; the first ones are short.
pub fn word(rank: usize) -> String {
    let mut word = String::new();
    push_word(rank, &mut word);
    word
}

/// Appends the word of a rank; different ranks below 24 million have different words.
pub fn push_word(rank: usize, out: &mut String) {
    const CONSONANTS: &[u8] = b"bfgklmnprtvwxz";
    let mut left = rank;
    let mut letter = |letters: &[u8]| {
        out.push(letters[left % letters.len()] as char);
        left /= letters.len();
    };
    let syllables = [70, 4_900, 343_000].iter().filter(|&&limit| rank >= limit).count() + 1;
    for _ in 0..syllables {
        letter(CONSONANTS);
        letter(b"aeiou");
    }
    if syllables > 1 {
        out.push(CONSONANTS[rank % 11] as char);
    }
}

/// A number below `num`, r in proportion to 1/(r + 1).
pub fn zipf(draw: &mut Generator, num: usize) -> usize {
    ((num as f64 + 1.0).powf(unit(draw)) as usize - 1).min(num - 1)
}

/// What a topic has in a place of its own list, of so many in all.
pub fn of_topic(topic: u32, place: usize, num: usize) -> usize {
    (topic as usize * 7_919 + (place + 1) * 104_729) % num
}

/// A number of the normal distribution: Box & Muller.
pub fn normal(draw: &mut Generator) -> f64 {
    let (radius, angle) = ((-2.0 * (1.0 - unit(draw)).ln()).sqrt(), std::f64::consts::TAU * unit(draw));
    radius * angle.cos()
}
