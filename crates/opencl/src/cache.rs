//! Builds that were made before, from the cache on disk.

use crate::binary::made_for;
use crate::build::{self, Built, For, Outcome, Source};
use crate::cl::*;
use crate::includes;
use crate::objects::platform::jit;
use compiler::Writer;
use jit::this_build;
use std::sync::Arc;

/// What `make` gives, or what it gave before for a key of these words; `None` for a key that does not hold all that decides.
fn remembered(target: &For, key: Option<Writer>, make: impl FnOnce() -> Outcome) -> Outcome {
    let Some((store, Writer(key))) = jit().store().zip(key) else { return make() };
    if let Some(bytes) = store.read(&key) {
        if let Some(built) = Built::from_binary(&bytes, target) {
            return Outcome { code: CL_SUCCESS, log: built.log.clone(), built: Some(built) };
        }
        store.remove(&key);
    }
    let outcome = make();
    if let Some(built) = &outcome.built {
        store.write(&key, &built.binary());
    }
    outcome
}

/// The key of a source with its headers and all files it includes, or of SPIR-V with its constants.
fn source_key(step: &str, target: &For, source: Source<'_>, options: &str) -> Option<Writer> {
    let parsed = target.device.compiler().parse_options(options).ok()?;
    let mut key = Writer::default();
    key.text(step).text(this_build()).text(&made_for(target.device)).text(options);
    match source {
        Source::OpenClC(text, headers) => {
            let given: Vec<_> = headers.iter().map(|h| (h.name, h.text)).collect();
            let included = includes::follow(text, &given, &parsed.include_dirs)?;
            // Debuggers and remarks name the file.
            if parsed.source_path.is_some() {
                return None;
            }
            key.text("c").text(text).u64(headers.len() as u64);
            for header in headers {
                key.text(header.name).text(header.text);
            }
            for (path, text) in included {
                key.text(&path).u64(text.is_some().into()).bytes(&text.unwrap_or_default());
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

/// [`build::build`], or what it gave before.
pub fn build(target: &For, source: Source<'_>, options: &str) -> Outcome {
    let key = source_key("program", target, source, options);
    remembered(target, key, || build::build(target, source, options))
}

/// [`build::compile`], or what it gave before.
pub fn compile(target: &For, source: Source<'_>, options: &str) -> Outcome {
    let key = source_key("object", target, source, options);
    remembered(target, key, || build::compile(target, source, options))
}

/// [`build::link`], or what it gave before.
pub fn link(target: &For, inputs: &[Arc<Built>], options: &str, failure: cl_int) -> Outcome {
    let key = || {
        let mut key = Writer::default();
        key.text("link").text(this_build()).text(options);
        for input in inputs {
            key.bytes(&input.binary());
        }
        key
    };
    remembered(target, jit().store().map(|_| key()), || build::link(target, inputs, options, failure))
}
