//! What was made before, on disk.
//!
//! One file an entry, named by the hash of its key. A file holds the whole key, so that no two keys are taken for each other,
//! and a hash of all of it, so that a broken file is noticed and removed. Files come into being by a rename: other processes
//! see all of one or nothing. The directory must be the user's alone, since what is in it will be run.

use crate::hash;
use compiler::{Reader, Writer};
use std::fs::{self, DirBuilder, File};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::SystemTime;

const MAGIC: &[u8; 8] = b"LWCACHE1";
/// All files together, at most.
const MOST_BYTES: u64 = 512 << 20;
/// What is left of it after cleaning up.
const KEPT_BYTES: u64 = MOST_BYTES / 4 * 3;
/// The directory is looked through once in so many new entries.
const CLEAN_EVERY: usize = 64;
/// A file that is being written is older than this only if its process died.
const STALE_SECONDS: u64 = 3600;

/// A directory of entries.
pub struct Store {
    dir: PathBuf,
    most_bytes: u64,
    written: AtomicUsize,
}

impl Store {
    /// The store that the environment names; `None` if it is turned off or there is no place for it.
    pub fn from_environment() -> Option<Store> {
        Store::open(&directory()?)
    }

    /// The store in a directory, which is made if it is not there; `None` if others can write to it.
    pub fn open(dir: &Path) -> Option<Store> {
        Store::bounded(dir, MOST_BYTES)
    }

    fn bounded(dir: &Path, most_bytes: u64) -> Option<Store> {
        DirBuilder::new().recursive(true).mode(0o700).create(dir).ok()?;
        let meta = fs::metadata(dir).ok()?;
        // SAFETY: asks for a number.
        let user = unsafe { libc::geteuid() };
        let ours = meta.is_dir() && meta.uid() == user && meta.mode() & 0o022 == 0;
        ours.then(|| Store { dir: dir.to_owned(), most_bytes, written: AtomicUsize::new(0) })
    }

    fn path(&self, key: &[u8]) -> PathBuf {
        self.dir.join(hash::name(key))
    }

    pub fn read(&self, key: &[u8]) -> Option<Vec<u8>> {
        let path = self.path(key);
        let bytes = fs::read(&path).ok()?;
        let Some((found, value)) = parse(&bytes) else {
            let _ = fs::remove_file(&path);
            return None;
        };
        if found != key {
            return None;
        }
        // What was used last is removed last.
        if let Ok(file) = File::open(&path) {
            let _ = file.set_modified(SystemTime::now());
        }
        Some(value.to_vec())
    }

    /// Forgets an entry that turned out to be of no use.
    pub fn remove(&self, key: &[u8]) {
        let _ = fs::remove_file(self.path(key));
    }

    /// Keeps an entry. Where that fails there is none.
    pub fn write(&self, key: &[u8], value: &[u8]) {
        let count = self.written.fetch_add(1, Relaxed);
        let mut w = Writer(MAGIC.to_vec());
        w.bytes(key).bytes(value);
        let check = hash::hash128(&w.0);
        w.0.extend(check);
        if w.0.len() as u64 > self.most_bytes / 8 {
            return;
        }
        let temporary = self.dir.join(format!("new-{}-{count}", std::process::id()));
        let write = || {
            let mut file = File::create_new(&temporary)?;
            file.write_all(&w.0)?;
            fs::rename(&temporary, self.path(key))
        };
        if write().is_err() {
            let _ = fs::remove_file(&temporary);
        }
        if count.is_multiple_of(CLEAN_EVERY) {
            self.clean();
        }
    }

    /// Removes what was not used for longest until the rest is small enough, and what dead processes left.
    fn clean(&self) {
        let Ok(entries) = fs::read_dir(&self.dir) else { return };
        let now = SystemTime::now();
        let mut files = Vec::new();
        for entry in entries.flatten() {
            let Ok(meta) = entry.metadata() else { continue };
            let modified = meta.modified().unwrap_or(now);
            let age = now.duration_since(modified).map_or(0, |age| age.as_secs());
            if entry.file_name().to_string_lossy().starts_with("new-") {
                if age > STALE_SECONDS {
                    let _ = fs::remove_file(entry.path());
                }
            } else if meta.is_file() {
                files.push((modified, meta.len(), entry.path()));
            }
        }
        let mut sum: u64 = files.iter().map(|(_, len, _)| len).sum();
        if sum <= self.most_bytes {
            return;
        }
        files.sort();
        for (_, len, path) in files {
            if sum <= KEPT_BYTES.min(self.most_bytes / 4 * 3) {
                break;
            }
            if fs::remove_file(path).is_ok() {
                sum -= len;
            }
        }
    }
}

/// The key and the value of a file, if nothing is wrong with it.
fn parse(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (body, check) = bytes.split_last_chunk::<16>()?;
    let mut r = Reader(body.strip_prefix(MAGIC)?);
    if hash::hash128(body) != *check {
        return None;
    }
    let (key, value) = (r.bytes()?, r.bytes()?);
    r.0.is_empty().then_some((key, value))
}

/// Where entries are kept, as the environment says.
fn directory() -> Option<PathBuf> {
    if std::env::var_os("LANEWISE_CACHE").is_some_and(|v| v == "0") {
        return None;
    }
    let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute());
    if let Some(dir) = std::env::var_os("LANEWISE_CACHE_DIR").filter(|d| !d.is_empty()) {
        return Some(dir.into());
    }
    let base = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")))?;
    Some(base.join("lanewise"))
}

/// Tells this build of Lanewise from any other, of the same version too: the file it was loaded from.
pub fn this_build() -> &'static str {
    static BUILD: OnceLock<String> = OnceLock::new();
    let ask = || {
        let here = this_build as *const libc::c_void;
        // SAFETY: all of its fields may be null or zero.
        let mut found: libc::Dl_info = unsafe { std::mem::zeroed() };
        // SAFETY: asks about an address of this library, and writes to `found`.
        if unsafe { libc::dladdr(here, &mut found) } == 0 || found.dli_fname.is_null() {
            return None;
        }
        // SAFETY: a text of the dynamic loader's, which stays.
        let path = unsafe { std::ffi::CStr::from_ptr(found.dli_fname) }.to_str().ok()?;
        let meta = fs::metadata(path).ok()?;
        Some(format!("{} {} {}", meta.len(), meta.mtime(), meta.mtime_nsec()))
    };
    BUILD.get_or_init(|| {
        let (version, llvm) = (env!("CARGO_PKG_VERSION"), llvm::VERSION);
        format!("Lanewise {version}, LLVM {llvm}, {}", ask().unwrap_or_default())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn directory(name: &str) -> PathBuf {
        let dir = std::env::temp_dir().join(format!("lanewise-cache-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&dir);
        dir
    }

    #[test]
    fn entries_are_found_again_and_broken_ones_removed() {
        let dir = directory("broken");
        let store = Store::open(&dir).unwrap();
        assert_eq!(store.read(b"key"), None);
        store.write(b"key", b"value");
        assert_eq!(store.read(b"key").as_deref(), Some(&b"value"[..]));
        let path = store.path(b"key");
        let good = fs::read(&path).unwrap();
        for i in 0..good.len() {
            let mut bad = good.clone();
            bad[i] ^= 4;
            fs::write(&path, &bad).unwrap();
            assert_eq!(store.read(b"key"), None, "byte {i}");
            assert!(!path.exists());
        }
        for len in 0..good.len() {
            fs::write(&path, &good[..len]).unwrap();
            assert_eq!(store.read(b"key"), None, "length {len}");
        }
        // Another key that would have the same name.
        fs::write(store.path(b"other"), &good).unwrap();
        assert_eq!(store.read(b"other"), None);
        fs::remove_dir_all(dir).unwrap();
    }

    #[test]
    fn the_size_is_bounded_and_the_oldest_goes_first() {
        let dir = directory("bounded");
        let store = Store::bounded(&dir, 40_000).unwrap();
        for i in 0..20u8 {
            store.write(&[i], &[i; 4000]);
            let age = std::time::Duration::from_secs(100 - u64::from(i));
            File::open(store.path(&[i])).unwrap().set_modified(SystemTime::now() - age).unwrap();
        }
        store.clean();
        let sum: u64 = fs::read_dir(&dir).unwrap().map(|e| e.unwrap().metadata().unwrap().len()).sum();
        assert!(sum <= 30_000, "{sum}");
        assert!(store.read(&[0]).is_none() && store.read(&[19]).is_some());
        store.write(b"large", &[0; 10_000]);
        assert!(store.read(b"large").is_none());
        fs::remove_dir_all(dir).unwrap();
    }

    #[test]
    fn a_directory_that_others_may_write_to_is_not_used() {
        let dir = directory("open");
        fs::create_dir(&dir).unwrap();
        let mut mode = fs::metadata(&dir).unwrap().permissions();
        std::os::unix::fs::PermissionsExt::set_mode(&mut mode, 0o777);
        fs::set_permissions(&dir, mode).unwrap();
        assert!(Store::open(&dir).is_none());
        fs::remove_dir_all(dir).unwrap();
    }

    #[test]
    fn many_threads_see_whole_entries() {
        let dir = directory("threads");
        let store = Store::open(&dir).unwrap();
        std::thread::scope(|s| {
            for _ in 0..4 {
                s.spawn(|| {
                    for i in 0..200u32 {
                        let key = (i % 7).to_le_bytes();
                        store.write(&key, &key.repeat(1000));
                        if let Some(value) = store.read(&key) {
                            assert_eq!(value, key.repeat(1000));
                        }
                    }
                });
            }
        });
        fs::remove_dir_all(dir).unwrap();
    }
}
