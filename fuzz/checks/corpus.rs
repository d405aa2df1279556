//! Any files may be called a corpus, with checksums that are right: whatever is asked of it is answered, or refused with an error.
//!
//! The bytes are changes of a corpus. After them every checksum is made right again, as somebody would who wants to be believed.

use super::{sample, scratch};
use llamafur::corpus::{Corpus, Manifest};
use llamafur::graph::{CategoryId, PageId};
use llamafur::{CategoryConf, Engine, Error, ExplainConf, RankConf, Silent, TopConf};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

/// A corpus on disk and all its files.
struct Victim {
    place: PathBuf,
    files: Vec<(String, Vec<u8>)>,
}

fn victim() -> &'static Mutex<Victim> {
    static VICTIM: OnceLock<Mutex<Victim>> = OnceLock::new();
    VICTIM.get_or_init(|| {
        let place = sample::make(&scratch::folder());
        let mut files = Vec::new();
        for folder in ["", "models", "prepared"] {
            for entry in fs::read_dir(place.join(folder)).unwrap() {
                let path = entry.unwrap().path();
                if path.is_file() {
                    let name = path.strip_prefix(&place).unwrap().to_str().unwrap().to_owned();
                    files.push((name, fs::read(&path).unwrap()));
                }
            }
        }
        files.sort();
        Mutex::new(Victim { place, files })
    })
}

/// The names of the files that can be changed, in the order in which changes count them.
pub fn files() -> Vec<String> {
    victim().lock().unwrap().files.iter().map(|(name, _)| name.clone()).collect()
}

/// Changes of six bytes: the file, the place in it (two bytes, of 65,536ths), what is done, and two bytes to do it with.
pub fn check(bytes: &[u8]) {
    // After a check that failed, too, every file is as it was.
    let victim = victim().lock().unwrap_or_else(PoisonError::into_inner);
    for (name, bytes) in &victim.files {
        if fs::read(victim.place.join(name)).ok().as_ref() != Some(bytes) {
            put_file(&victim.place, name, bytes);
        }
    }
    let mut changed: BTreeMap<usize, Vec<u8>> = BTreeMap::new();
    for change in bytes.as_chunks::<6>().0.iter().take(8) {
        let [file, high, low, what, a, b] = *change;
        let file = usize::from(file) % victim.files.len();
        let bytes = changed.entry(file).or_insert_with(|| victim.files[file].1.clone());
        // The footers of files are at their ends, and small; so are what begins them.
        let place = usize::from(u16::from_be_bytes([high, low]));
        let at = match what >> 6 {
            0 => place,
            1 => bytes.len().saturating_sub(place % 4096 + 1),
            _ => (place * bytes.len()) >> 16,
        };
        let Some(rest) = bytes.get_mut(at..) else { continue };
        let put =
            |rest: &mut [u8], bytes: &[u8]| rest.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
        match what % 8 {
            0 => put(rest, &[a]),
            1 => put(rest, &[a, b]),
            2 => put(rest, &(u32::from(a) << (b % 32)).to_le_bytes()),
            3 => put(rest, &(u64::from(a) << (b % 64)).to_le_bytes()),
            4 => put(rest, &(-i64::from(a) << (b % 64)).to_le_bytes()),
            5 => put(rest, &[0xFF; 8][..usize::from(a % 8) + 1]),
            6 => rest.iter_mut().take(1).for_each(|byte| *byte ^= 1 << (a % 8)),
            // As many bytes as before, or nothing would be found where it should be; and now and then a file that is cut.
            _ if a > 200 => bytes.truncate(at),
            _ => rest.rotate_left(usize::from(b) % rest.len().max(1)),
        }
    }
    let (first, second) = (bytes.first().copied().unwrap_or(0), bytes.get(1).copied().unwrap_or(0));
    for (name, bytes) in sealed(&victim.files, changed) {
        put_file(&victim.place, &name, &bytes);
    }
    let _ = Corpus::open(&victim.place).and_then(|corpus| ask(&corpus, first, second));
}

/// In place of the file, so that nothing that is mapped changes.
fn put_file(place: &Path, name: &str, bytes: &[u8]) {
    let path = place.join(name);
    let _ = fs::remove_file(&path);
    fs::write(path, bytes).unwrap();
}

/// All that is kept at some time of the sums of a block.
const BLOCKS: [usize; 2] = [64 << 10, 4 << 10];

/// The changed files with right checksums, and those that hold the checksums.
fn sealed(whole: &[(String, Vec<u8>)], mut changed: BTreeMap<usize, Vec<u8>>) -> Vec<(String, Vec<u8>)> {
    let place = |name: &str| whole.iter().position(|(known, _)| known == name).unwrap();
    let (blocks, manifest) = (place("blocks.arrow"), place("manifest.json"));
    let hash = |bytes: &[u8]| blake3::hash(bytes);
    let sum = |block: &[u8]| hash(block).as_bytes()[..8].to_vec();
    let mut of_manifest = changed.remove(&manifest).unwrap_or_else(|| whole[manifest].1.clone());
    let mut of_blocks = changed.remove(&blocks).unwrap_or_else(|| whole[blocks].1.clone());
    let mut files = Vec::new();
    for (at, mut bytes) in changed {
        let (name, before) = &whole[at];
        // Of the corpus's own files the sums are in another file, of all others in the file itself.
        for size in BLOCKS {
            for (old, new) in before.chunks(size).zip(bytes.chunks(size)) {
                replace_all(&mut of_blocks, &sum(old), &sum(new));
            }
        }
        for size in BLOCKS {
            let (from, to) = summed(before);
            let to_now = to.min(bytes.len()).max(from);
            let after = bytes.get(from..to_now).unwrap_or_default().to_vec();
            for (old, new) in before[from..to].chunks(size).zip(after.chunks(size)) {
                replace_all(&mut bytes, &hex(&sum(old)), &hex(&sum(new)));
                replace_all(&mut bytes, &sum(old), &sum(new));
            }
            replace_all(
                &mut bytes,
                hash(&before[from..to]).to_hex().as_bytes(),
                hash(&after).to_hex().as_bytes(),
            );
        }
        sign_header(&mut bytes);
        let (old, new) = (hash(before).to_hex(), hash(&bytes).to_hex());
        replace_all(&mut of_manifest, old.as_bytes(), new.as_bytes());
        let (old, new) = (format!("\"bytes\": {},", before.len()), format!("\"bytes\": {},", bytes.len()));
        replace_in(&mut of_manifest, old.as_bytes(), new.as_bytes());
        files.push((name.clone(), bytes));
    }
    let (old, new) = (hash(&whole[blocks].1).to_hex(), hash(&of_blocks).to_hex());
    replace_all(&mut of_manifest, old.as_bytes(), new.as_bytes());
    if let (Ok(before), Ok(after)) = (
        serde_json::from_slice::<Manifest>(&whole[manifest].1),
        serde_json::from_slice::<Manifest>(&of_manifest),
    ) {
        replace_all(&mut of_manifest, before.checksum().as_bytes(), after.checksum().as_bytes());
    }
    files.push(("blocks.arrow".into(), of_blocks));
    files.push(("manifest.json".into(), of_manifest));
    files
}

/// Which bytes of a file have sums in its header.
fn summed(bytes: &[u8]) -> (usize, usize) {
    if bytes.starts_with(b"ARROW1") {
        let at = memmem(bytes, b"\"summed\":").map_or(0, |at| at + 9);
        let digits = bytes[at..].iter().take_while(|byte| byte.is_ascii_digit());
        let number = digits.fold(0usize, |number, digit| number * 10 + usize::from(digit - b'0'));
        return (0, number.min(bytes.len()));
    }
    // A safetensors file: the length of its header, the header, the tensors.
    let length = bytes.first_chunk().map_or(0, |length| u64::from_le_bytes(*length) as usize);
    (length.saturating_add(8).min(bytes.len()), bytes.len())
}

/// Makes the checksum of a header right, which may be in quotes within quotes; then that of the footer around it.
fn sign_header(bytes: &mut [u8]) {
    for quote in ["\"", "\\\""] {
        let quoted = |text: &str| text.replace('"', quote).into_bytes();
        let Some(begin) = memmem(bytes, &quoted("{\"format\":\"llamafur")) else { continue };
        let mark = quoted(",\"checksum\":\"");
        let Some(end) = memmem(&bytes[begin..], &mark) else { continue };
        let (end, text) = (begin + end, begin + end + mark.len());
        let header = String::from_utf8_lossy(&bytes[begin..end]).replace(quote, "\"");
        let signed = blake3::hash(format!("{header}}}").as_bytes()).to_hex();
        if let Some(place) = bytes.get_mut(text..text + 64) {
            place.copy_from_slice(signed.as_bytes());
        }
    }
    // The sum of a footer is taken with zeros in its place.
    let (_, from) = summed(bytes);
    let Some(key) = memmem(&bytes[from..], b"llamafur_footer") else { return };
    let is_sum = |at: &usize| {
        bytes[*at - 4..*at] == [16, 0, 0, 0] && bytes[*at..*at + 16].iter().all(u8::is_ascii_hexdigit)
    };
    let places = (from + key.saturating_sub(256)).max(from + 4)
        ..(from + key + 256).min(bytes.len().saturating_sub(16));
    let Some(at) = { places }.find(is_sum) else { return };
    bytes[at..at + 16].fill(b'0');
    let sum = blake3::hash(&bytes[from..]).to_hex();
    bytes[at..at + 16].copy_from_slice(&sum.as_bytes()[..16]);
}

fn hex(bytes: &[u8]) -> Vec<u8> {
    let number = u64::from_le_bytes(bytes.try_into().unwrap());
    format!("{number:016x}").into_bytes()
}

fn memmem(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}

fn replace_all(bytes: &mut [u8], old: &[u8], new: &[u8]) {
    if old != new
        && let Some(at) = memmem(bytes, old)
    {
        bytes[at..at + new.len()].copy_from_slice(new);
        replace_all(&mut bytes[at + new.len()..], old, new);
    }
}

/// The first that is found, which may be of another length.
fn replace_in(bytes: &mut Vec<u8>, old: &[u8], new: &[u8]) {
    if old != new
        && let Some(at) = memmem(bytes, old)
    {
        bytes.splice(at..at + old.len(), new.iter().copied());
    }
}

/// Asks what there is to ask: first what reads single rows, then what goes over all. An error ends only what it is about.
fn ask(corpus: &Corpus, first: u8, second: u8) -> Result<(), Error> {
    let most = 64;
    for page in (0..corpus.num_pages().min(most) as u32).map(PageId) {
        let _ = (
            corpus.title(page),
            corpus.links(page).map(<[_]>::len),
            corpus.categories(page),
            corpus.text(page),
        );
    }
    for category in (0..corpus.num_categories().min(most) as u32).map(CategoryId) {
        let _ = (corpus.category_name(category), corpus.parents(category).map(<[_]>::len));
    }
    let _ = (0..corpus.num_redirects().min(most)).try_for_each(|row| corpus.redirect(row).map(drop));
    let _ =
        (corpus.find_page("moon"), corpus.find_page("Luna"), corpus.find_category("moons"), corpus.verify());
    let engine = Engine::new(corpus, Default::default());
    let titles = ["Sun", "Moon", "Earth", "Jupiter", "Io", "Fish", "Star", "Galileo Galilei", "École"];
    let title = |byte: u8| titles[usize::from(byte) % titles.len()];
    let _ = engine.suggest("earht", 5);
    let _ = engine.rank(title(first), &RankConf::default().top(0));
    let _ = engine.explain(title(first), title(second), &ExplainConf::default());
    let _ = engine.category("Moons", &CategoryConf::default());
    let _ = engine.top(&TopConf::default(), &mut Silent);
    Ok(())
}
