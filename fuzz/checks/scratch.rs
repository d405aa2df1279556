//! Files for what reads files: in memory where the system has such a folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

const NAME: &str = "llamafur-checks-";

/// A new folder. It is there until a later program finds that this one has ended: a fuzzer ends without a word.
pub fn folder() -> PathBuf {
    static ALL: OnceLock<PathBuf> = OnceLock::new();
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let all = ALL.get_or_init(|| {
        let memory = Path::new("/dev/shm");
        let place = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
        for entry in fs::read_dir(&place).unwrap().flatten() {
            let name = entry.file_name();
            let process = name.to_str().and_then(|name| name.strip_prefix(NAME)?.parse::<u32>().ok());
            let has_ended = |process: u32| {
                Path::new("/proc/self").exists() && !Path::new(&format!("/proc/{process}")).exists()
            };
            if process.is_some_and(has_ended) {
                let _ = fs::remove_dir_all(entry.path());
            }
        }
        place.join(format!("{NAME}{}", std::process::id()))
    });
    let folder = all.join(NEXT.fetch_add(1, Ordering::Relaxed).to_string());
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// A file of this name with these bytes, there until the thread asks for one of that name again.
pub fn file(name: &str, bytes: &[u8]) -> PathBuf {
    thread_local!(static FOLDER: PathBuf = folder());
    FOLDER.with(|folder| {
        let path = folder.join(name);
        fs::write(&path, bytes).unwrap();
        path
    })
}
