//! The code cache on disk.
//!
//! One file an entry, named by the hash of its key. A file holds the whole key, so that no two keys
//! are taken for each other, and a hash of all of it, so that a broken file is noticed and removed.
//! Files are created by a rename, so that other processes see a complete file or none.
//!
//! Its files become code: the hash tells damage, not malice. So nobody but the user and root may
//! have been able to write to the directory, to replace it or one above it, or to write a file in
//! it; links are not followed (`docs/security.md`).

use crate::hash;
use compiler::{Reader, Writer};
use std::fs::{self, DirBuilder, File};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, SystemTime};

const MAGIC: &[u8; 8] = b"LWCACHE1";
/// The most bytes of all files together.
const MOST_BYTES: u64 = 512 << 20;
/// The size after eviction.
const KEPT_BYTES: u64 = MOST_BYTES / 4 * 3;
/// Eviction runs once in this many new entries.
const CLEAN_EVERY: usize = 64;
/// A file that is being written is older than this only if its process died. What is younger than
/// now by more than this is of a time when the clock was ahead.
const STALE: Duration = Duration::from_secs(3600);

/// A directory of entries.
pub struct Store {
    dir: PathBuf,
    most_bytes: u64,
    written: AtomicUsize,
}

impl Store {
    /// The store that the environment names; `None` if it is turned off or no directory is named. A
    /// warning says why a directory that is named by `LANEWISE_CACHE_DIR`, or that exists, cannot
    /// be used.
    pub fn from_environment() -> Option<Store> {
        if !runtime::is_on("LANEWISE_CACHE", true) {
            return None;
        }
        let (dir, named) = directory()?;
        Store::open(&dir)
            .inspect_err(|why| {
                if named || dir.exists() {
                    runtime::warn_once(&format!("the cache is off: {why}"));
                }
            })
            .ok()
    }

    /// The store in a directory, which is made if it is not there. It is refused if others could
    /// write to it.
    pub fn open(dir: &Path) -> compiler::Result<Store> {
        Store::bounded(dir, MOST_BYTES).map_err(compiler::Error::InvalidValue)
    }

    fn bounded(dir: &Path, most_bytes: u64) -> Result<Store, String> {
        let make = DirBuilder::new().recursive(true).mode(0o700).create(dir);
        make.map_err(|e| format!("{} cannot be made: {e}", dir.display()))?;
        check_private(dir)?;
        Ok(Store { dir: dir.to_owned(), most_bytes, written: AtomicUsize::new(0) })
    }

    fn path(&self, key: &[u8]) -> PathBuf {
        self.dir.join(hash::name(key))
    }

    pub fn read(&self, key: &[u8]) -> Option<Vec<u8>> {
        let path = self.path(key);
        let mut file = open_own(&path).ok()?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).ok()?;
        let Some((found, value)) = parse(&bytes) else {
            let _ = fs::remove_file(&path);
            return None;
        };
        if found != key {
            return None;
        }
        // The time of the last use decides which entries are evicted.
        let _ = file.set_modified(SystemTime::now());
        Some(value.to_vec())
    }

    /// Removes an entry that turned out to be unusable.
    pub fn remove(&self, key: &[u8]) {
        let _ = fs::remove_file(self.path(key));
    }

    /// Writes an entry. Errors are ignored: the entry is then missing.
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
            let mut file = File::options().write(true).create_new(true).mode(0o600).open(&temporary)?;
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

    /// Evicts the least recently used entries until the rest is small enough, and removes temporary
    /// files of dead processes.
    fn clean(&self) {
        let Ok(entries) = fs::read_dir(&self.dir) else { return };
        let now = SystemTime::now();
        let mut files = Vec::new();
        for entry in entries.flatten() {
            let Ok(meta) = entry.metadata() else { continue };
            let modified = meta.modified().unwrap_or(now);
            let is_ahead = modified > now + STALE;
            if entry.file_name().to_string_lossy().starts_with("new-") {
                if is_ahead || modified < now - STALE {
                    let _ = fs::remove_file(entry.path());
                }
            } else if meta.is_file() {
                let used = if is_ahead { SystemTime::UNIX_EPOCH } else { modified };
                files.push((used, meta.len(), entry.path()));
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

/// Refuses a directory in which others could place files, or which they could replace by one of
/// theirs.
fn check_private(dir: &Path) -> Result<(), String> {
    let unseen = |e: io::Error| format!("{}: {e}", dir.display());
    let dir = dir.canonicalize().map_err(unseen)?;
    let name = dir.display();
    let meta = fs::symlink_metadata(&dir).map_err(unseen)?;
    let mode = meta.mode() & 0o7777;
    if !meta.is_dir() {
        return Err(format!("{name} is not a directory"));
    }
    if meta.uid() != user() {
        return Err(format!("{name} belongs to another user"));
    }
    if mode & 0o022 != 0 {
        return Err(format!("others may write to {name} (mode {mode:o}, expected 700)"));
    }
    for parent in dir.ancestors().skip(1) {
        let meta = fs::symlink_metadata(parent).map_err(unseen)?;
        if ![0, user()].contains(&meta.uid()) {
            let (parent, owner) = (parent.display(), meta.uid());
            return Err(format!("another user may replace {name}: {parent} belongs to user {owner}"));
        }
        // In a directory with the sticky bit, only the owner of an entry may rename it.
        if others_may_write(&meta) && meta.mode() & 0o1000 == 0 {
            let (parent, mode) = (parent.display(), meta.mode() & 0o7777);
            return Err(format!("others may replace {name}: {parent} has mode {mode:o}"));
        }
    }
    Ok(())
}

fn user() -> u32 {
    // SAFETY: asks for a number.
    unsafe { libc::geteuid() }
}

/// Whether users but the owner may write. Where each user has a group of their own, which has their
/// number, directories are often writable to that group: nobody else is in it.
fn others_may_write(meta: &fs::Metadata) -> bool {
    let own_group = meta.gid() == user();
    meta.mode() & if own_group { 0o002 } else { 0o022 } != 0
}

/// Opens an entry: a regular file of the user's that nobody else may write to, not through a link.
fn open_own(path: &Path) -> io::Result<File> {
    let flags = libc::O_NONBLOCK | libc::O_NOFOLLOW;
    let file = File::options().read(true).custom_flags(flags).open(path)?;
    let meta = file.metadata()?;
    match meta.is_file() && meta.uid() == user() && !others_may_write(&meta) {
        true => Ok(file),
        false => Err(io::Error::other("not a file of the user's own")),
    }
}

/// The bytes of a regular file. Anything else is an error at once: to open a FIFO would wait for a
/// writer.
pub fn read_regular(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = File::options().read(true).custom_flags(libc::O_NONBLOCK).open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The key and the value in a file, if it is well-formed and its hash matches.
fn parse(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (body, check) = bytes.split_last_chunk::<16>()?;
    let mut r = Reader(body.strip_prefix(MAGIC)?);
    if hash::hash128(body) != *check {
        return None;
    }
    let (key, value) = (r.bytes()?, r.bytes()?);
    r.0.is_empty().then_some((key, value))
}

/// The directory of entries by the environment, and whether a variable of Lanewise's own names it.
/// A home directory that does not exist is not created.
fn directory() -> Option<(PathBuf, bool)> {
    let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute());
    if let Some(dir) = std::env::var_os("LANEWISE_CACHE_DIR").filter(|d| !d.is_empty()) {
        return Some((dir.into(), true));
    }
    let home = || absolute("HOME").filter(|home| home.is_dir());
    let base = absolute("XDG_CACHE_HOME").or_else(|| Some(home()?.join(".cache")))?;
    Some((base.join("lanewise"), false))
}

/// Identifies this build of Lanewise, also among builds of the same version, by the size and time
/// of the file it was loaded from.
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
    fn a_fifo_in_place_of_an_entry_is_not_waited_for() {
        let dir = directory("fifo");
        let store = Store::open(&dir).unwrap();
        let path = store.path(b"key");
        let name = std::ffi::CString::new(path.to_str().unwrap()).unwrap();
        // SAFETY: makes a file of this name.
        assert_eq!(unsafe { libc::mkfifo(name.as_ptr(), 0o600) }, 0);
        assert_eq!(store.read(b"key"), None);
        store.write(b"key", b"value");
        assert_eq!(store.read(b"key").as_deref(), Some(&b"value"[..]));
        fs::remove_dir_all(dir).unwrap();
    }

    #[test]
    fn the_size_is_bounded_and_the_oldest_goes_first() {
        let dir = directory("bounded");
        let store = Store::bounded(&dir, 40_000).unwrap();
        for i in 0..20u8 {
            store.write(&[i], &[i; 4000]);
            let age = Duration::from_secs(100 - u64::from(i));
            File::open(store.path(&[i])).unwrap().set_modified(SystemTime::now() - age).unwrap();
        }
        // Of a time when the clock was ahead.
        store.write(b"ahead", &[0; 4000]);
        let tomorrow = SystemTime::now() + Duration::from_secs(86_400);
        File::open(store.path(b"ahead")).unwrap().set_modified(tomorrow).unwrap();
        store.clean();
        assert!(store.read(b"ahead").is_none());
        let sum: u64 = fs::read_dir(&dir).unwrap().map(|e| e.unwrap().metadata().unwrap().len()).sum();
        assert!(sum <= 30_000, "{sum}");
        assert!(store.read(&[0]).is_none() && store.read(&[19]).is_some());
        store.write(b"large", &[0; 10_000]);
        assert!(store.read(b"large").is_none());
        fs::remove_dir_all(dir).unwrap();
    }

    #[test]
    fn a_directory_that_others_may_write_to_is_not_used() {
        use std::os::unix::fs::PermissionsExt;
        let parent = directory("open");
        let dir = parent.join("cache");
        fs::create_dir_all(&dir).unwrap();
        let set = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        for (inner, outer, good) in [
            (0o777, 0o700, false),
            (0o770, 0o700, false),
            (0o700, 0o777, false),
            (0o700, 0o772, false),
            (0o700, 0o1777, true),
            (0o755, 0o755, true),
        ] {
            set(&dir, inner);
            set(&parent, outer);
            let opened = Store::open(&dir).map(|_| ());
            assert_eq!(opened.is_ok(), good, "{inner:o} in {outer:o}: {opened:?}");
            if let Err(why) = opened {
                let mode = format!("{:o}", if inner == 0o700 { outer } else { inner });
                assert!(why.to_string().contains(&mode) && why.to_string().contains("cache"), "{why}");
            }
        }
        fs::remove_dir_all(parent).unwrap();
    }

    /// What another user could have written is not loaded: a link, a file that others may write to,
    /// and, where the test may give files away, another user's file and a directory in theirs.
    #[test]
    fn entries_that_others_could_have_written_are_not_loaded() {
        use std::os::unix::fs::{PermissionsExt, chown, symlink};
        let dir = directory("poison");
        let store = Store::open(&dir.join("cache")).unwrap();
        store.write(b"key", b"value");
        let (path, elsewhere) = (store.path(b"key"), dir.join("elsewhere"));
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
        fs::rename(&path, &elsewhere).unwrap();
        symlink(&elsewhere, &path).unwrap();
        assert_eq!(store.read(b"key"), None);
        fs::rename(&elsewhere, &path).unwrap();
        assert!(store.read(b"key").is_some());
        fs::set_permissions(&path, fs::Permissions::from_mode(0o602)).unwrap();
        assert_eq!(store.read(b"key"), None);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        const SOMEBODY: Option<u32> = Some(12345);
        if chown(&path, SOMEBODY, None).is_ok() {
            assert_eq!(store.read(b"key"), None);
            chown(&dir, SOMEBODY, None).unwrap();
            let refused = Store::open(&dir.join("cache")).map(|_| ()).unwrap_err().to_string();
            assert!(refused.contains("belongs to user 12345"), "{refused}");
            // A directory that is group-writable is good only if the group is the user's own.
            chown(&dir, Some(user()), SOMEBODY).unwrap();
            fs::set_permissions(&dir, fs::Permissions::from_mode(0o770)).unwrap();
            assert!(Store::open(&dir.join("cache")).is_err());
            chown(&dir, None, Some(user())).unwrap();
            assert!(Store::open(&dir.join("cache")).is_ok());
        }
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
