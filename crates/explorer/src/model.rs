//! What the page shows of one compilation. The page gets it as JSON; `web/src/model.ts` has the
//! same types.

use serde::{Deserialize, Serialize};

/// How a kernel is compiled, as far as the page chooses it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// The only kernel if it is not given.
    pub kernel: Option<String>,
    /// The width that the vectorizer is told: `--lanes`.
    pub lanes: Option<u32>,
    pub wfv: Option<Wfv>,
    /// One to three sizes.
    pub local: Option<Vec<usize>>,
    /// `-cl-fast-relaxed-math`.
    pub fast_math: bool,
    /// The CPU that code is made for; this one if it is not given.
    pub cpu: Option<String>,
}

/// `-cl-wfv`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Wfv {
    Auto,
    Always,
    Never,
}

impl Wfv {
    pub fn name(self) -> &'static str {
        match self {
            Wfv::Auto => "auto",
            Wfv::Always => "always",
            Wfv::Never => "never",
        }
    }
}

impl Settings {
    /// The build options for these settings, after those that were given to the program.
    pub fn options(&self, given: &str) -> String {
        let mut words = vec![given.trim().to_owned()];
        words.extend(self.wfv.map(|wfv| format!("-cl-wfv={}", wfv.name())));
        words.extend(self.lanes.map(|lanes| format!("--lanes {lanes}")));
        words.extend(self.fast_math.then(|| "-cl-fast-relaxed-math".to_owned()));
        words.retain(|word| !word.is_empty());
        words.join(" ")
    }

    /// Takes the options that the page has controls for out of those that were given to the
    /// program; the rest.
    pub fn take_options(&mut self, given: &str) -> String {
        let mut rest = Vec::new();
        let mut words = given.split_whitespace().peekable();
        while let Some(word) = words.next() {
            match word {
                "-cl-wfv=auto" => self.wfv = Some(Wfv::Auto),
                "-cl-wfv=always" => self.wfv = Some(Wfv::Always),
                "-cl-wfv=never" => self.wfv = Some(Wfv::Never),
                "-cl-fast-relaxed-math" => self.fast_math = true,
                "--lanes" if words.peek().is_some_and(|next| next.parse::<u32>().is_ok()) => {
                    self.lanes = words.next().and_then(|next| next.parse().ok());
                }
                word => match word.strip_prefix("--lanes=").map(str::parse) {
                    Some(Ok(lanes)) => self.lanes = Some(lanes),
                    _ => rest.push(word),
                },
            }
        }
        rest.join(" ")
    }
}

/// One compilation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Compilation {
    pub settings: Settings,
    /// The file's name, without its folder.
    pub file: String,
    pub kernel: String,
    /// All kernels of the file.
    pub kernels: Vec<String>,
    pub params: Vec<Param>,
    pub machine: Machine,
    /// How many work-items run at once.
    pub width: u32,
    pub local: Vec<usize>,
    pub source: Source,
    pub remarks: Vec<Remark>,
    pub stages: Vec<Stage>,
    pub assembly: Assembly,
    pub advice: Vec<Advice>,
    /// Other settings to try, with their names.
    pub variants: Vec<(String, Settings)>,
    /// What it took in all, in milliseconds, with the front end and code generation.
    pub ms: f64,
    /// The front end's warnings.
    pub log: String,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Param {
    pub name: String,
    pub type_name: String,
    /// An argument for it as `lanewise run` takes it, where one can be guessed.
    pub example: String,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    pub triple: String,
    pub cpu: String,
    /// Whether this computer is such a machine, so that kernels run on it.
    pub here: bool,
    /// The CPUs of this architecture that code can be made for.
    pub cpus: Vec<String>,
    pub vector_bits: usize,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    #[default]
    OpenCl,
    Ir,
    Spirv,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Source {
    pub text: String,
    pub language: Language,
    /// Which file it is, where it is not the one that was asked for.
    pub note: String,
}

/// A remark on a line of the source, counted from 1; 0 if its line is not known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remark {
    pub line: u32,
    pub column: u32,
    /// `width`, `scalar`, `memory`, `branch`, `loop`, `lock-step` or `call`.
    pub kind: String,
    pub text: String,
    /// An access to local memory.
    pub is_local: bool,
}

/// The program after a step of a pipeline.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Stage {
    pub name: String,
    /// The pipeline that the step belongs to: `canonical`, `late`.
    pub group: String,
    /// The pass with its options, as `lanewise opt` takes it.
    pub pass: String,
    /// `None` before the first step, or where the dump does not say.
    pub ms: Option<f64>,
    /// Empty if the text is that of an earlier stage.
    pub text: String,
    /// The stage that has the text: this one, or one before if nothing changed since.
    pub text_of: usize,
    /// For each line of the text its line in the source; 0 if there is none.
    pub lines: Vec<u32>,
    /// What changed since the stage before.
    pub changes: Vec<Change>,
}

/// Lines that a pass replaced: `removed` lines at `old` of the text before by `added` lines at
/// `new`, counted from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    pub old: usize,
    pub removed: usize,
    pub new: usize,
    pub added: usize,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Assembly {
    pub text: String,
    /// For each line its line in the source; 0 if there is none.
    pub lines: Vec<u32>,
    /// What LLVM's model of the CPU says of the instructions.
    pub costs: Vec<Cost>,
    pub loops: Vec<Loop>,
    /// Why there are no costs.
    pub note: String,
}

/// The cost of an instruction; its line is counted from 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    pub line: u32,
    pub micro_ops: u32,
    pub latency: u32,
    pub throughput: f64,
}

/// A loop of the assembly.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Loop {
    /// The first and last lines of its parts, counted from 1; its header's is the first.
    pub parts: Vec<(u32, u32)>,
    /// The number of loops around it.
    pub depth: u32,
    /// The line of the source that most of it comes from; 0 if there is none.
    pub line: u32,
    /// `None` for a loop with others in it.
    pub cost: Option<LoopCost>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LoopCost {
    /// Cycles a trip.
    pub cycles: f64,
    /// How long its busiest unit is busy.
    pub busy: f64,
    /// The cycles that the longest chain from one trip to the next takes.
    pub chain: f64,
    pub micro_ops: u32,
    /// What bounds it, in words.
    pub bound: String,
    pub is_latency: bool,
    /// The lines of the instructions that bound it.
    pub by: Vec<u32>,
}

/// Advice on a line of the source; 0 for the kernel as a whole.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Advice {
    pub line: u32,
    pub text: String,
    /// The figure it rests on.
    pub figure: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_options() {
        let mut settings = Settings::default();
        let rest = settings.take_options("-DN=4 -cl-wfv=always --lanes 8 -cl-fast-relaxed-math -w");
        assert_eq!(rest, "-DN=4 -w");
        assert_eq!((settings.wfv, settings.lanes, settings.fast_math), (Some(Wfv::Always), Some(8), true));
        assert_eq!(settings.options(&rest), "-DN=4 -w -cl-wfv=always --lanes 8 -cl-fast-relaxed-math");
        assert_eq!(Settings::default().options(""), "");
        assert_eq!(settings.take_options("--lanes=16 --lanes=x"), "--lanes=x");
        assert_eq!(settings.lanes, Some(16));
    }

    #[test]
    fn the_page_sends_nothing_else() {
        let refused = |text: &str| serde_json::from_str::<Settings>(text).is_err();
        assert!(!refused(r#"{"lanes": 8, "wfv": "never", "local": [64, 1]}"#));
        assert!(refused(r#"{"options": "-I/etc"}"#));
        assert!(refused(r#"{"wfv": "maybe"}"#));
    }
}
