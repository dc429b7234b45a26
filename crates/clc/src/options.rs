//! The build, compile and link options of OpenCL, and those of this implementation.

use crate::words;
use std::fmt;

/// A version of OpenCL C.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Standard {
    Cl10,
    Cl11,
    Cl12,
    Cl20,
    Cl30,
    Cl31,
}

impl Standard {
    const ALL: [Standard; 6] =
        [Standard::Cl10, Standard::Cl11, Standard::Cl12, Standard::Cl20, Standard::Cl30, Standard::Cl31];

    /// The versions that a device of version `newest` has with all that belongs to them, as OpenCL
    /// asks of those that a driver lists. `-cl-std=CL2.0` is taken, too, but lacks what 3.0 made
    /// optional and there is none of: pipes, queues on the device.
    pub fn complete(newest: Standard) -> impl Iterator<Item = Standard> {
        Standard::ALL.into_iter().filter(move |version| *version <= newest && *version != Standard::Cl20)
    }

    /// Its major and its minor number.
    pub fn version(self) -> (u32, u32) {
        match self {
            Standard::Cl10 => (1, 0),
            Standard::Cl11 => (1, 1),
            Standard::Cl12 => (1, 2),
            Standard::Cl20 => (2, 0),
            Standard::Cl30 => (3, 0),
            Standard::Cl31 => (3, 1),
        }
    }

    /// As `-cl-std=` names it.
    pub fn name(self) -> &'static str {
        match self {
            Standard::Cl10 => "CL1.0",
            Standard::Cl11 => "CL1.1",
            Standard::Cl12 => "CL1.2",
            Standard::Cl20 => "CL2.0",
            Standard::Cl30 => "CL3.0",
            Standard::Cl31 => "CL3.1",
        }
    }

    /// As `__OPENCL_C_VERSION__` spells it.
    pub fn number(self) -> u32 {
        let (major, minor) = self.version();
        major * 100 + minor * 10
    }

    /// The newest version that clang knows and that this one contains: what 3.1 has beyond 3.0 are
    /// extensions that every version has here.
    pub(crate) fn in_clang(self) -> Standard {
        self.min(Standard::Cl30)
    }
}

/// `-cl-wfv`: when the whole-function vectorizer runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Wfv {
    Always,
    Auto,
    Never,
}

/// `-cl-vec`: which of LLVM's vectorizers run when a kernel is optimized, on the code of one
/// work-item and on the loops around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VecMode {
    None,
    Loop,
    Slp,
    All,
}

/// The checks of `-cl-lanewise-check=…`. Without a choice all are meant but the last, which is
/// asked for by name.
pub const CHECKS: [&str; 6] = ["bounds", "races", "uninitialized", "barriers", "alignment", "arithmetic"];

/// A macro of `-D`. Without a value it is 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Define {
    pub name: String,
    pub value: Option<String>,
}

/// An option that a device understands beyond OpenCL's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceOption {
    /// With its dashes: `--foo`.
    pub name: String,
    pub takes_value: bool,
    pub help: String,
}

/// A device option that was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceSetting {
    pub name: String,
    /// None if and only if the option takes none.
    pub value: Option<String>,
}

/// Parsed options. Where an option contradicts an earlier one, it wins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    pub defines: Vec<Define>,
    pub include_dirs: Vec<String>,
    /// `-w`
    pub no_warnings: bool,
    /// `-Werror`
    pub warnings_are_errors: bool,
    /// `-Wall`, `-Wno-unused` and the like, as they were written: clang knows them.
    pub warnings: Vec<String>,
    /// `-cl-std`; see [`Options::standard`].
    pub std: Option<Standard>,
    pub single_precision_constant: bool,
    pub denorms_are_zero: bool,
    pub correctly_rounded_divide_sqrt: bool,
    pub opt_disable: bool,
    pub mad_enable: bool,
    pub no_signed_zeros: bool,
    pub unsafe_math: bool,
    pub finite_math_only: bool,
    pub fast_relaxed_math: bool,
    pub uniform_work_group_size: bool,
    pub no_subgroup_ifp: bool,
    pub kernel_arg_info: bool,
    /// `-create-library`
    pub create_library: bool,
    /// `-enable-link-options`
    pub enable_link_options: bool,
    /// `-g`
    pub debug: bool,
    /// `-S`: the file that debug information names. The compilation writes the source there if
    /// there is no such file.
    pub source_path: Option<String>,
    pub wfv: Option<Wfv>,
    pub vec: Option<VecMode>,
    /// `-cl-lanewise-remarks`: say what the vectorizer does.
    pub remarks: bool,
    /// Keep the lines of instructions in the IR, for `LANEWISE_DUMP`. No build option asks for it.
    pub keep_lines: bool,
    /// `-cl-lanewise-check`: the names of the checks ([`CHECKS`]) that kernels are compiled with.
    pub checks: Vec<&'static str>,
    /// `-cl-lanewise-zero-local`, `-cl-lanewise-zero-private`: kernels find zeros in memory that
    /// they have not written.
    pub zero_local: bool,
    pub zero_private: bool,
    pub device: Vec<DeviceSetting>,
}

/// An option that was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionError {
    /// The option as it was written.
    pub option: String,
    pub reason: String,
}

impl fmt::Display for OptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "option '{}': {}", self.option, self.reason)
    }
}

impl std::error::Error for OptionError {}

fn refuse<T>(option: &str, reason: impl Into<String>) -> Result<T, OptionError> {
    Err(OptionError { option: option.to_owned(), reason: reason.into() })
}

/// The entry of a table that `value` names; the error lists the names there are.
fn choose<T: Copy>(option: &str, value: &str, choices: &[(&str, T)]) -> Result<T, OptionError> {
    match choices.iter().find(|(name, _)| *name == value) {
        Some((_, choice)) => Ok(*choice),
        None => {
            let names: Vec<_> = choices.iter().map(|(name, _)| *name).collect();
            refuse(option, format!("unknown value '{value}', expected one of {}", names.join(", ")))
        }
    }
}

fn define(option: &str, text: &str) -> Result<Define, OptionError> {
    let (name, value) = match text.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (text, None),
    };
    // `-D 'F(x)=x'` defines a macro with parameters.
    let identifier = name.split('(').next().unwrap_or_default();
    let starts_well = identifier.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '$');
    if !starts_well || identifier.contains(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$')) {
        return refuse(option, format!("'{name}' is not the name of a macro"));
    }
    // OpenCL: a newline in the definition ends it.
    let value = value.map(|v| v.split(['\n', '\r']).next().unwrap_or_default().to_owned());
    Ok(Define { name: name.to_owned(), value })
}

impl Options {
    /// Parses an option string. `device_options` are those that the device adds.
    pub fn parse(text: &str, device_options: &[DeviceOption]) -> Result<Options, OptionError> {
        let words = match words::split(text) {
            Ok(words) => words,
            Err(words::Unclosed(quote)) => {
                return refuse(text.trim(), format!("the quote {quote} is not closed"));
            }
        };
        let mut options = Options::default();
        let mut words = words.into_iter();
        while let Some(word) = words.next() {
            options.take(&word, &mut words, device_options)?;
        }
        Ok(options)
    }

    /// The version of OpenCL C to compile: without `-cl-std` the highest 1.x.
    pub fn standard(&self) -> Standard {
        self.std.unwrap_or(Standard::Cl12)
    }

    /// Takes one option, and its value from `rest` if it stands apart.
    fn take(
        &mut self,
        word: &str,
        rest: &mut impl Iterator<Item = String>,
        device_options: &[DeviceOption],
    ) -> Result<(), OptionError> {
        if let Some(flag) = self.flag(word) {
            *flag = true;
            return Ok(());
        }
        if word.starts_with("--") {
            return self.take_device(word, rest, device_options);
        }
        if word == "-cl-lanewise-check" {
            self.checks = CHECKS[..CHECKS.len() - 1].to_vec();
            return Ok(());
        }
        if let Some((name, value)) = word.split_once('=') {
            match name {
                "-cl-std" if value.to_ascii_uppercase().starts_with("CLC++") => {
                    return refuse(word, "C++ for OpenCL is not supported, only OpenCL C");
                }
                "-cl-std" => {
                    self.std = Some(choose(word, value, &Standard::ALL.map(|s| (s.name(), s)))?);
                    return Ok(());
                }
                "-cl-wfv" => {
                    let choices = [("always", Wfv::Always), ("auto", Wfv::Auto), ("never", Wfv::Never)];
                    self.wfv = Some(choose(word, value, &choices)?);
                    return Ok(());
                }
                "-cl-lanewise-check" => {
                    self.checks.clear();
                    for name in value.split(',') {
                        let check = choose(word, name, &CHECKS.map(|check| (check, check)))?;
                        if !self.checks.contains(&check) {
                            self.checks.push(check);
                        }
                    }
                    return Ok(());
                }
                "-cl-vec" => {
                    let choices = [
                        ("none", VecMode::None),
                        ("loop", VecMode::Loop),
                        ("slp", VecMode::Slp),
                        ("all", VecMode::All),
                    ];
                    self.vec = Some(choose(word, value, &choices)?);
                    return Ok(());
                }
                _ => {}
            }
        }
        if let Some(name) = word.strip_prefix("-W") {
            // `-Wl,…` and the like are for other programs than the compiler.
            let is_name = |c: char| c.is_ascii_alphanumeric() || "-+=_".contains(c);
            if name.is_empty() || !name.chars().all(is_name) {
                return refuse(word, "not the name of a warning");
            }
            self.warnings.push(word.to_owned());
        } else if let Some(joined) = word.strip_prefix("-D") {
            let text = joined_or_next(word, joined, rest, "a macro")?;
            self.defines.push(define(word, &text)?);
        } else if let Some(joined) = word.strip_prefix("-I") {
            self.include_dirs.push(joined_or_next(word, joined, rest, "a directory")?);
        } else if word == "-s" {
            // Intel's name for it.
            self.source_path = Some(joined_or_next(word, "", rest, "a path")?);
        } else if let Some(joined) = word.strip_prefix("-S") {
            self.source_path = Some(joined_or_next(word, joined, rest, "a path")?);
        } else if matches!(word, "-cl-std" | "-cl-wfv" | "-cl-vec") {
            return refuse(word, format!("a value is missing: {word}=…"));
        } else if word == "-cl-strict-aliasing" {
            // OpenCL 1.0 had it, later versions ignore it.
        } else if word.starts_with('-') {
            return refuse(word, "unknown option");
        } else {
            return refuse(word, "not an option: options start with '-'");
        }
        Ok(())
    }

    fn flag(&mut self, word: &str) -> Option<&mut bool> {
        Some(match word {
            "-w" => &mut self.no_warnings,
            "-Werror" => &mut self.warnings_are_errors,
            "-cl-single-precision-constant" => &mut self.single_precision_constant,
            "-cl-denorms-are-zero" => &mut self.denorms_are_zero,
            "-cl-fp32-correctly-rounded-divide-sqrt" => &mut self.correctly_rounded_divide_sqrt,
            "-cl-opt-disable" => &mut self.opt_disable,
            "-cl-mad-enable" => &mut self.mad_enable,
            "-cl-no-signed-zeros" => &mut self.no_signed_zeros,
            "-cl-unsafe-math-optimizations" => &mut self.unsafe_math,
            "-cl-finite-math-only" => &mut self.finite_math_only,
            "-cl-fast-relaxed-math" => &mut self.fast_relaxed_math,
            "-cl-uniform-work-group-size" => &mut self.uniform_work_group_size,
            "-cl-no-subgroup-ifp" => &mut self.no_subgroup_ifp,
            "-cl-kernel-arg-info" => &mut self.kernel_arg_info,
            "-create-library" => &mut self.create_library,
            "-enable-link-options" => &mut self.enable_link_options,
            "-g" => &mut self.debug,
            "-cl-lanewise-remarks" => &mut self.remarks,
            "-cl-lanewise-zero-local" => &mut self.zero_local,
            "-cl-lanewise-zero-private" => &mut self.zero_private,
            _ => return None,
        })
    }

    fn take_device(
        &mut self,
        word: &str,
        rest: &mut impl Iterator<Item = String>,
        device_options: &[DeviceOption],
    ) -> Result<(), OptionError> {
        let (name, joined) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (word, None),
        };
        let Some(option) = device_options.iter().find(|option| option.name == name) else {
            return refuse(word, "unknown option of the device");
        };
        let value = match (option.takes_value, joined) {
            (true, Some(value)) => Some(value),
            (true, None) => match rest.next() {
                Some(value) => Some(value),
                None => return refuse(word, format!("a value is missing ({})", option.help)),
            },
            (false, None) => None,
            (false, Some(_)) => return refuse(word, "the option takes no value"),
        };
        self.device.retain(|setting| setting.name != name);
        self.device.push(DeviceSetting { name: name.to_owned(), value });
        Ok(())
    }
}

fn joined_or_next(
    word: &str,
    joined: &str,
    rest: &mut impl Iterator<Item = String>,
    what: &str,
) -> Result<String, OptionError> {
    let value = if joined.is_empty() { rest.next() } else { Some(joined.to_owned()) };
    match value {
        Some(value) if !value.is_empty() => Ok(value),
        _ => refuse(word, format!("{what} is missing after it")),
    }
}
