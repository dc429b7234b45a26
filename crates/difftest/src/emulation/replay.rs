//! Runs the launches of execution tests once more, as Native CPU objects under emulation.
//!
//! With `LANEWISE_EMULATE=sve,rvv` every launch of [`crate::run`] whose source is known is compiled
//! for these platforms and run on all of their emulated CPUs; the buffers must hold what this
//! machine left in them. Launches are left out that depend on what differs from machine to machine:
//! the size of sub-groups that nobody required, addresses, images, and options that only this CPU
//! has.

use super::{Arg, Batch, Launch, Linked, Platform, Source};
use crate::{Result, contents};
use compiler::NdRange;
use jit::Kernel;
use runtime::ArgValue;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

static PLATFORMS: LazyLock<Vec<&'static Platform>> = LazyLock::new(|| {
    let names = std::env::var("LANEWISE_EMULATE").unwrap_or_default();
    let names = names.split(',').filter(|name| !name.is_empty());
    names.map(|name| Platform::named(name).unwrap_or_else(|| panic!("no platform {name}"))).collect()
});

/// The program of a kernel: its source and its options.
#[derive(Clone)]
struct Origin {
    /// Kept, so that its address is not given to another kernel.
    _kernel: Arc<Kernel>,
    source: Source,
    options: String,
}

/// Programs that were linked, by their texts.
type Programs = HashMap<String, Option<Arc<Linked>>>;

static KERNELS: LazyLock<Mutex<HashMap<usize, Origin>>> = LazyLock::new(Mutex::default);
static LINKED: LazyLock<Mutex<Programs>> = LazyLock::new(Mutex::default);

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn address(kernel: &Kernel) -> usize {
    std::ptr::from_ref(kernel).addr()
}

/// Remembers what a kernel was made from.
pub(crate) fn remember(kernel: &Arc<Kernel>, source: Option<&(Source, String)>) {
    if let (Some((source, options)), false) = (source, PLATFORMS.is_empty()) {
        let origin = Origin { _kernel: kernel.clone(), source: source.clone(), options: options.clone() };
        lock(&KERNELS).insert(address(kernel), origin);
    }
}

/// A launch before it runs on this machine.
pub(crate) struct Before {
    origin: Origin,
    args: Vec<Arg>,
}

/// Copies what the buffers hold, if the launch is to be run again.
pub(crate) fn before(kernel: &Kernel, args: &[ArgValue]) -> Result<Option<Before>> {
    if PLATFORMS.is_empty() {
        return Ok(None);
    }
    let Some(origin) = lock(&KERNELS).get(&address(kernel)).cloned() else { return Ok(None) };
    let copied = args.iter().map(|arg| {
        Ok(match arg {
            ArgValue::Bytes(bytes) => Some(Arg::Bytes(bytes.clone())),
            ArgValue::Local(bytes) => Some(Arg::Local(*bytes)),
            ArgValue::Buffer(buffer, 0) => {
                let is_same =
                    |arg: &&ArgValue| matches!(arg, ArgValue::Buffer(b, _) if Arc::ptr_eq(b, buffer));
                (args.iter().filter(is_same).count() == 1).then_some(Arg::Buffer(contents(buffer)?))
            }
            _ => None,
        })
    });
    let args = copied.collect::<Result<Option<Vec<Arg>>>>()?;
    Ok(args.map(|args| Before { origin, args }))
}

/// Runs the launch on the platforms and compares.
pub(crate) fn after(before: Before, kernel: &Kernel, range: NdRange, args: &[ArgValue]) -> Result<()> {
    let facts_say = kernel.wait_for_code(&range)?;
    let facts = facts_say.facts();
    if facts.uses_sub_groups && kernel.info().reqd_sub_group_size.is_none() {
        return Ok(());
    }
    let buffers = args.iter().filter_map(|arg| match arg {
        ArgValue::Buffer(buffer, _) => Some(contents(buffer)),
        _ => None,
    });
    let expected = buffers.collect::<Result<Vec<_>>>()?;
    let launch = Launch {
        kernel: 0,
        work_dim: range.work_dim,
        global: range.global_size,
        offset: range.global_offset,
        local: range.local_size,
        args: before.args.clone(),
    };
    for platform in PLATFORMS.iter() {
        let Some(linked) = linked(platform, &before.origin, kernel.name())? else { continue };
        for on in platform.runs {
            let wrong = |what: &str| format!("{} {}: {}: {what}", platform.name, on.bits, kernel.name());
            let _running = lock(&RUNNING);
            let actual =
                linked.run(on, std::slice::from_ref(&launch)).map_err(|(_, e)| wrong(&e.to_string()))?;
            for (i, (e, a)) in expected.iter().zip(&actual[0]).enumerate() {
                if let Some(at) = e.iter().zip(a).position(|(x, y)| x != y) {
                    let (e, a) = (e[at], a[at]);
                    return Err(wrong(&format!("buffer {i} has {a:02x} at byte {at}, not {e:02x}")).into());
                }
            }
        }
    }
    Ok(())
}

/// A linked program's files are those of one run at a time.
static RUNNING: Mutex<()> = Mutex::new(());

/// The program of a kernel for a platform; `None` if its options are this CPU's own.
fn linked(platform: &'static Platform, origin: &Origin, name: &str) -> Result<Option<Arc<Linked>>> {
    // The number of lanes is the platform's.
    let words: Vec<&str> = origin.options.split_whitespace().collect();
    let lanes = words.iter().position(|word| *word == "--lanes");
    let kept = words.iter().enumerate().filter(|(i, _)| lanes.is_none_or(|at| *i != at && *i != at + 1));
    let options = kept.map(|(_, word)| *word).collect::<Vec<_>>().join(" ");
    let key = format!("{} {name} {options} {:?}", platform.name, origin.source);
    if let Some(known) = lock(&LINKED).get(&key) {
        return Ok(known.clone());
    }
    let known = match super::compiler(platform)?.parse_options(&options) {
        Err(_) => None,
        Ok(_) => {
            let kernel = super::Kernel { source: origin.source.clone(), name: name.to_owned(), options };
            let linked = Batch { kernels: vec![kernel] }.link(platform)?;
            if let Some(Err(e)) = linked.widths.first() {
                return Err(format!("{}: {e}", platform.name).into());
            }
            println!("{}: {name} has width {}", platform.name, linked.summary());
            Some(Arc::new(linked))
        }
    };
    lock(&LINKED).insert(key, known.clone());
    Ok(known)
}
