//! The results of earlier builds, from the cache on disk.
//!
//! The key of an entry holds all inputs of a build except the files that clang reads, which are
//! known only after the build. If it read any, the entry of the key lists them, and the program is
//! in an entry with a second key: the first key and the contents that these files have now. A build
//! with the same key and the same file contents gives the same result.

use crate::binary::made_for;
use crate::build::{self, Built, For, Outcome, Source};
use crate::cl::cl_int;
use crate::objects::platform::jit;
use compiler::{Found, Lookup, Reader, Writer};
use jit::{CarriedCode, Store, hash128, read_regular, this_build};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The contents of a cache entry.
enum Entry {
    Code(Vec<u8>),
    /// The paths that the compiler looked for, and whether it read the files.
    Lookups(Vec<(PathBuf, bool)>),
}

impl Entry {
    fn to_bytes(&self) -> Vec<u8> {
        let mut w = Writer::default();
        match self {
            Entry::Code(code) => w.u64(0).bytes(code),
            Entry::Lookups(paths) => {
                w.u64(1).u64(paths.len() as u64);
                for (path, read) in paths {
                    w.bytes(path.as_os_str().as_bytes()).u64((*read).into());
                }
                &mut w
            }
        };
        w.0
    }

    fn from_bytes(bytes: &[u8]) -> Option<Entry> {
        let mut r = Reader(bytes);
        match r.u64()? {
            0 => Some(Entry::Code(r.bytes()?.to_vec())),
            1 => {
                let mut paths = Vec::new();
                for _ in 0..r.u64()? {
                    paths.push((PathBuf::from(OsStr::from_bytes(r.bytes()?)), r.u64()? != 0));
                }
                Some(Entry::Lookups(paths))
            }
            _ => None,
        }
    }
}

/// Adds the file or the absence of a file under a path to a key.
fn add_found(key: &mut Writer, path: &Path, found: &Found) {
    key.bytes(path.as_os_str().as_bytes());
    match found {
        Found::Absent => key.u64(0),
        Found::Directory => key.u64(1),
        Found::Regular => key.u64(2),
        Found::Read(text) => key.u64(3).bytes(&hash128(text)),
    };
}

/// The state of a path now, for a compiler that reads the file or only tests whether it exists.
fn look(path: &Path, read: bool) -> Found {
    match fs::metadata(path) {
        Ok(meta) if meta.is_dir() => Found::Directory,
        Ok(meta) if meta.is_file() && read => read_regular(path).map_or(Found::Absent, Found::Read),
        Ok(meta) if meta.is_file() => Found::Regular,
        _ => Found::Absent,
    }
}

/// The program for a key, if it is cached and no file has changed.
fn find(store: &Store, key: &Writer) -> Option<(Vec<u8>, Vec<u8>)> {
    match Entry::from_bytes(&store.read(&key.0)?)? {
        Entry::Code(code) => Some((key.0.clone(), code)),
        Entry::Lookups(paths) => {
            let mut second = key.clone();
            for (path, read) in paths {
                add_found(&mut second, &path, &look(&path, read));
            }
            match Entry::from_bytes(&store.read(&second.0)?)? {
                Entry::Code(code) => Some((second.0, code)),
                Entry::Lookups(_) => None,
            }
        }
    }
}

/// Writes the program for a key, which was built with these lookups.
fn keep(store: &Store, key: &Writer, lookups: &[Lookup], code: Vec<u8>) {
    let code = Entry::Code(code).to_bytes();
    if lookups.is_empty() {
        return store.write(&key.0, &code);
    }
    let mut second = key.clone();
    for lookup in lookups {
        add_found(&mut second, &lookup.path, &lookup.found);
    }
    store.write(&second.0, &code);
    let paths = lookups.iter().map(|l| (l.path.clone(), matches!(l.found, Found::Read(_)))).collect();
    store.write(&key.0, &Entry::Lookups(paths).to_bytes());
}

/// The cached result for a key, which must hold all inputs, or else the result of `make`; without a
/// key nothing is cached.
fn remembered(target: &For, key: Option<Writer>, make: impl FnOnce() -> Outcome) -> Outcome {
    let Some((store, key)) = jit().store().zip(key) else { return make() };
    if let Some((place, code)) = find(store, &key) {
        if let Ok(built) = Built::from_binary(&code, target) {
            return Outcome::ready(built);
        }
        store.remove(&place);
    }
    let outcome = make();
    if let Some((built, lookups)) = outcome.built.as_ref().zip(outcome.lookups.as_ref()) {
        keep(store, &key, lookups, built.binary(CarriedCode::new()));
    }
    outcome
}

/// The key of a source with the headers that it was given, or of SPIR-V with its constants.
fn source_key(step: &str, target: &For, source: Source<'_>, options: &str) -> Option<Writer> {
    let parsed = target.device.compiler().parse_options(options).ok()?;
    let mut key = Writer::default();
    key.text(step).text(this_build()).text(&made_for(target.device)).text(options);
    key.text(target.device.compiler().device_info().opencl_version().name());
    match source {
        Source::OpenClC(text, headers) => {
            // With `-S FILE` the compilation writes the file, so it must run.
            if parsed.source_path.is_some() {
                return None;
            }
            // Debug information names the current directory.
            if parsed.debug {
                key.bytes(std::env::current_dir().ok()?.as_os_str().as_bytes());
            }
            key.text("c").bytes(text).u64(headers.len() as u64);
            for header in headers {
                key.text(header.name).bytes(header.text);
            }
        }
        Source::Il(words, constants) => {
            let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
            key.text("il").bytes(&bytes);
            for (id, value) in &constants.values {
                key.u64((*id).into()).bytes(value);
            }
        }
    }
    Some(key)
}

/// The options of a build, with those of the environment and the context.
fn all_options(target: &For, options: &str) -> String {
    let mut all = runtime::checks::with_environment(target.device, options);
    for word in target.options {
        all = format!("{word} {all}");
    }
    all
}

/// [`build::build`], or its cached result.
pub fn build(target: &For, source: Source<'_>, options: &str) -> Outcome {
    let options = &all_options(target, options);
    let key = source_key("program", target, source, options);
    remembered(target, key, || build::build(target, source, options))
}

/// [`build::compile`], or its cached result.
pub fn compile(target: &For, source: Source<'_>, options: &str) -> Outcome {
    let options = &all_options(target, options);
    let key = source_key("object", target, source, options);
    remembered(target, key, || build::compile(target, source, options))
}

/// [`build::link`], or its cached result.
pub fn link(target: &For, inputs: &[Arc<Built>], options: &str, failure: cl_int) -> Outcome {
    let options = &all_options(target, options);
    let key = || {
        let mut key = Writer::default();
        key.text("link").text(this_build()).text(options);
        for input in inputs {
            key.bytes(&input.binary(CarriedCode::new()));
        }
        key
    };
    remembered(target, jit().store().map(|_| key()), || build::link(target, inputs, options, failure))
}
