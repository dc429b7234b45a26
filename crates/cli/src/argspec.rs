//! The arguments of a kernel as the command line gives them: `3`, `zeros:1024`, `@array.npy`.
//!
//! [`ArgSpec::parse`] reads the text, which needs no kernel; [`evaluate`] makes the value for a
//! kernel's parameter, whose type decides how the text is read.

use std::path::{Path, PathBuf};

use runtime::{Images, Sampler};

use crate::element::{ElementType, Param, Space};
use crate::error::{Error, Result};
use crate::imagespec::{self, ImageSpec, Pixels};
use crate::layout::Layout;
use crate::literal::{self, half_from_f64};
use crate::npy;
use compiler::Scalar;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArgSpec {
    /// `zeros:N`
    Zeros(usize),
    /// `iota:N`
    Iota(usize),
    /// `rand:N[:SEED]`
    Rand { count: usize, seed: u64 },
    /// `@FILE`
    File(PathBuf),
    /// `local:BYTES`
    Local(usize),
    /// `zeros:A,B`, `iota:A,B`, `rand:A,B[:SEED]`: a buffer of A times B elements that is an array
    /// of this shape in files.
    Shaped(Box<ArgSpec>, Vec<usize>),
    /// `image:FILE.png`, `image2d:WIDTHxHEIGHT:ORDER:TYPE`
    Image(ImageSpec),
    /// `sampler:WORDS`
    Sampler(Sampler),
    /// A scalar or vector, which can only be read once its type is known.
    Literal(String),
}

/// A value for a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArgValue {
    /// Passed by value.
    Scalar(Vec<u8>),
    /// A buffer of so many bytes, all zero.
    Zeros {
        element: ElementType,
        bytes: usize,
    },
    /// A buffer's contents: a whole number of elements, and not empty.
    Buffer {
        element: ElementType,
        bytes: Vec<u8>,
    },
    /// This many bytes of local memory.
    Local(usize),
    Image(Pixels),
    /// Its value depends on the device.
    Sampler(Sampler),
}

impl ArgSpec {
    /// Parses the `index`th `--arg`.
    pub fn parse(index: usize, text: &str) -> Result<Self> {
        let wrong = |expected: &str| Error::usage(format!("argument {index}: {text} should be {expected}"));
        if let Some(path) = text.strip_prefix('@') {
            return if path.is_empty() {
                Err(wrong("@FILE.npy or @FILE.bin"))
            } else {
                Ok(Self::File(path.into()))
            };
        }
        let Some((kind, rest)) = text.split_once(':') else { return Ok(Self::Literal(text.to_owned())) };
        // The shape of an array stands for the number of its elements.
        let sizes = rest.split(':').next().unwrap_or_default();
        if matches!(kind, "zeros" | "iota" | "rand") && sizes.contains(',') {
            let shape: Option<Vec<usize>> = sizes.split(',').map(|word| parse_count(word.trim())).collect();
            let product =
                shape.as_ref().and_then(|s| s.iter().try_fold(1usize, |all, n| all.checked_mul(*n)));
            let (Some(shape), Some(count)) = (shape, product) else {
                return Err(wrong(&format!("{kind}:ROWS,COLUMNS, both numbers of elements")));
            };
            let plain = format!("{kind}:{}", rest.replacen(sizes, &count.to_string(), 1));
            return Ok(Self::Shaped(Box::new(Self::parse(index, &plain)?), shape));
        }
        let count = |text: &str, expected: &str| match parse_count(text) {
            Some(0) => Err(Error::usage(format!("argument {index}: {text} is zero in {kind}:{rest}"))),
            Some(n) => Ok(n),
            None => Err(wrong(expected)),
        };
        if let Some(image) = ImageSpec::parse(kind, rest) {
            return image.map(Self::Image).map_err(|expected| wrong(&expected));
        }
        match kind {
            "sampler" => {
                imagespec::parse_sampler(rest).map(Self::Sampler).map_err(|expected| wrong(&expected))
            }
            "zeros" => Ok(Self::Zeros(count(rest, "zeros:N, N a number of elements")?)),
            "iota" => Ok(Self::Iota(count(rest, "iota:N, N a number of elements")?)),
            "local" => Ok(Self::Local(count(rest, "local:BYTES")?)),
            "rand" => {
                let (n, seed) = rest.split_once(':').unwrap_or((rest, "0"));
                let seed = seed.parse().map_err(|_| wrong("rand:N:SEED, SEED a whole number"))?;
                Ok(Self::Rand { count: count(n, "rand:N or rand:N:SEED, N a number of elements")?, seed })
            }
            _ => Err(wrong(
                "a number, zeros:N, iota:N, rand:N, @FILE, image:FILE, sampler:WORDS or local:BYTES",
            )),
        }
    }
}

/// A number, or a product of numbers as in `640x480`.
pub fn parse_count(text: &str) -> Option<usize> {
    let number = |word: &str| word.chars().all(|c| c.is_ascii_digit()).then(|| word.parse().ok()).flatten();
    text.split('x').try_fold(1usize, |product, word| product.checked_mul(number(word)?))
}

/// Refuses a wrong number of arguments.
pub fn check_count(kernel: &str, params: &[Param], specs: &[ArgSpec]) -> Result<()> {
    if params.len() == specs.len() {
        return Ok(());
    }
    let signature: Vec<String> =
        params.iter().map(|p| format!("{} {}", p.type_name, p.name).trim_end().to_owned()).collect();
    let plural = if params.len() == 1 { "" } else { "s" };
    let given = match specs.len() {
        1 => "there is 1".to_owned(),
        n => format!("there are {n}"),
    };
    Err(Error::input(format!(
        "{kernel}({}) takes {} argument{plural}, but {given} on the command line",
        signature.join(", "),
        params.len(),
    )))
}

/// The value for one parameter, on a device with these images.
pub fn evaluate(param: &Param, spec: &ArgSpec, images: Option<&dyn Images>) -> Result<ArgValue> {
    let wrong = |why: String| Error::input(format!("{param}: {why}"));
    match (param.image, spec) {
        (_, ArgSpec::Shaped(spec, _)) => return evaluate(param, spec, images),
        (Some(wanted), ArgSpec::Image(image)) => {
            let images = images.ok_or_else(|| wrong("the device has no images".to_owned()))?;
            return image.evaluate(wanted, images).map(ArgValue::Image).map_err(wrong);
        }
        (Some(wanted), _) => {
            let how = "image:FILE.png, or an empty one as image2d:WIDTHxHEIGHT:ORDER:TYPE";
            return Err(wrong(format!("it is a {wanted}, give {how}")));
        }
        (None, ArgSpec::Image(_)) if !param.is_sampler => {
            return Err(wrong(format!("{} is no image", param.type_name)));
        }
        (None, _) => {}
    }
    match (param.is_sampler, spec) {
        (true, ArgSpec::Sampler(sampler)) => return Ok(ArgValue::Sampler(*sampler)),
        (true, _) => {
            let how = "sampler:nearest,clamp or sampler:linear,repeat,normalized";
            return Err(wrong(format!("it is a sampler, give {how}")));
        }
        (false, ArgSpec::Sampler(_)) => return Err(wrong(format!("{} is no sampler", param.type_name))),
        (false, _) => {}
    }
    if param.is_opaque() {
        return Err(wrong(format!("the command line cannot give a {}", param.type_name)));
    }
    if let (Space::Value, Some(layout), ArgSpec::Literal(text)) = (param.space, &param.layout, spec) {
        return layout.value(text).map(ArgValue::Scalar).map_err(wrong);
    }
    match (param.space, spec) {
        (Space::Local, ArgSpec::Local(bytes)) => Ok(ArgValue::Local(*bytes)),
        (Space::Local, _) => {
            Err(wrong(format!("{} points to local memory, give its size as local:BYTES", param.type_name)))
        }
        (_, ArgSpec::Local(_)) => {
            Err(wrong(format!("{} does not point to local memory, so local: is not for it", param.type_name)))
        }
        (Space::Value, ArgSpec::Literal(text)) if param.element != ElementType::RAW => {
            literal::parse(param.element, text).map(ArgValue::Scalar).map_err(wrong)
        }
        (Space::Value, ArgSpec::Literal(text)) if param.untyped => {
            let element = literal::type_of(text, param.size)
                .ok_or_else(|| wrong(format!("{text} is not a number of {} bytes", param.size)))?;
            literal::parse(element, text).map(ArgValue::Scalar).map_err(wrong)
        }
        // A structure by value: its bytes can come from a file, or be zero.
        (Space::Value, ArgSpec::File(_) | ArgSpec::Zeros(_)) if param.element == ElementType::RAW => {
            let bytes = contents(param, spec)?;
            if param.size != 0 && bytes.len() != param.size {
                let (wanted, given) = (param.size, bytes.len());
                return Err(wrong(format!("a {} has {wanted} bytes, not {given}", param.type_name)));
            }
            Ok(ArgValue::Scalar(bytes))
        }
        (Space::Value, _) if param.element == ElementType::RAW => {
            let name = &param.type_name;
            Err(wrong(match param.layout {
                Some(_) => format!("give a {name} by its fields, as @FILE or as zeros:1"),
                None => format!("give the bytes of a {name} as @FILE.bin or zeros:BYTES"),
            }))
        }
        (Space::Value, _) => Err(wrong(format!("{} is no buffer, give a number", param.type_name))),
        (_, ArgSpec::Literal(text)) => Err(wrong(format!(
            "{} needs a buffer, not {text}: zeros:N, iota:N, rand:N or @FILE",
            param.type_name
        ))),
        (Space::Global | Space::Constant, ArgSpec::Zeros(count)) => affordable(param, *count, 1)
            .map(|bytes| ArgValue::Zeros { element: param.element, bytes })
            .ok_or_else(|| no_memory(param, *count)),
        (Space::Global | Space::Constant, _) => {
            contents(param, spec).map(|bytes| ArgValue::Buffer { element: param.element, bytes })
        }
    }
}

fn contents(param: &Param, spec: &ArgSpec) -> Result<Vec<u8>> {
    match spec {
        ArgSpec::Zeros(count) => reserve(param, *count),
        ArgSpec::Iota(count) => Ok(fill_iota(&slots(param)?, reserve(param, *count)?)),
        ArgSpec::Rand { count, seed } => Ok(fill_rand(&slots(param)?, reserve(param, *count)?, *seed)),
        ArgSpec::File(path) => from_file(param, path),
        ArgSpec::Local(_)
        | ArgSpec::Literal(_)
        | ArgSpec::Shaped(..)
        | ArgSpec::Image(_)
        | ArgSpec::Sampler(_) => Ok(Vec::new()),
    }
}

/// Zeros for so many elements, unless they are more than this machine can hold: twice, as they are
/// copied.
#[expect(clippy::slow_vector_initialization, reason = "`vec![0; n]` ends the program where memory is short")]
fn reserve(param: &Param, count: usize) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    match affordable(param, count, 2) {
        Some(size) if bytes.try_reserve_exact(size).is_ok() => {
            bytes.resize(size, 0);
            Ok(bytes)
        }
        _ => Err(no_memory(param, count)),
    }
}

/// The bytes of so many elements, if there is memory for `copies` of them.
fn affordable(param: &Param, count: usize, copies: usize) -> Option<usize> {
    let size = count.checked_mul(param.element_size())?;
    let all = size.checked_mul(copies)? as u64;
    available_memory().is_none_or(|most| all <= most).then_some(size)
}

fn no_memory(param: &Param, count: usize) -> Error {
    let what = format!("{}s", param.element_name());
    Error::input(format!("{param}: there is not enough memory for {count} {what}"))
}

/// The memory the system could give out now, in bytes.
fn available_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// The scalars of an element.
struct Slots {
    /// Where they are, and what.
    scalars: Vec<(usize, ElementType)>,
    /// The size of the element.
    size: usize,
}

fn slots(param: &Param) -> Result<Slots> {
    let plain = Layout::Element(param.element);
    let layout = param.layout.as_ref().unwrap_or(&plain);
    let scalars = layout.scalars();
    let scalars =
        scalars.ok_or_else(|| Error::input(format!("{param}: a {} is too large", param.element_name())))?;
    Ok(Slots { scalars, size: layout.size() })
}

/// Counts through all scalars of all elements: 0, 1, 2, … Integers wrap around. Halves stop being
/// exact at 2048.
fn fill_iota(slots: &Slots, bytes: Vec<u8>) -> Vec<u8> {
    fill(slots, bytes, |kind, i| match kind {
        Scalar::Half => half_from_f64(i as f64).into(),
        Scalar::Float => (i as f32).to_bits().into(),
        Scalar::Double => (i as f64).to_bits(),
        _ => i,
    })
}

/// Uniform in [0, 1) for floating point, uniform over all values for the rest.
fn fill_rand(slots: &Slots, bytes: Vec<u8>, seed: u64) -> Vec<u8> {
    let mut random = Random(seed);
    fill(slots, bytes, |kind, _| {
        let bits = random.next();
        match kind {
            Scalar::Half => half_from_f64((bits >> 53) as f64 / 2f64.powi(11)).into(),
            Scalar::Float => ((bits >> 40) as f32 / 2f32.powi(24)).to_bits().into(),
            Scalar::Double => ((bits >> 11) as f64 / 2f64.powi(53)).to_bits(),
            _ => bits,
        }
    })
}

/// Writes the low bytes of `value(kind, number of the scalar)` to each scalar; padding stays.
fn fill(slots: &Slots, mut bytes: Vec<u8>, mut value: impl FnMut(Scalar, u64) -> u64) -> Vec<u8> {
    let mut number = 0;
    for element in bytes.chunks_exact_mut(slots.size) {
        for (at, scalar) in &slots.scalars {
            let size = scalar.size();
            element[*at..*at + size].copy_from_slice(&value(scalar.kind, number).to_le_bytes()[..size]);
            number += 1;
        }
    }
    bytes
}

/// SplitMix64: the same seed gives the same buffer on every machine and in every version.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

fn from_file(param: &Param, path: &Path) -> Result<Vec<u8>> {
    let of_this = |error: Error| Error::input(format!("{param}: {error}"));
    let file = std::fs::read(path).map_err(|e| of_this(Error::file("read", path, &e)))?;
    let wrong = |why: String| of_this(Error::input(format!("{}: {why}", path.display())));
    let bytes = if path.extension().is_some_and(|extension| extension == "npy") {
        match &param.layout {
            Some(layout) => npy::read_layout(&file, layout).map_err(wrong)?,
            None => npy::read(&file, param.element).map_err(wrong)?,
        }
    } else {
        file
    };
    if bytes.is_empty() {
        return Err(wrong("the file holds no data".into()));
    }
    if bytes.len() % param.element_size() != 0 {
        return Err(wrong(format!(
            "{} bytes are not a whole number of {}s of {} bytes",
            bytes.len(),
            param.element_name(),
            param.element_size()
        )));
    }
    Ok(bytes)
}

#[cfg(test)]
#[path = "argspec_tests.rs"]
mod tests;
