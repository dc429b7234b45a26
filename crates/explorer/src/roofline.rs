//! A machine's roofline, and where a run is below it.

use serde::{Deserialize, Serialize};

use crate::model::{Compilation, Settings, Wfv};

/// What all cores together can do, measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Roofline {
    pub cpu: String,
    pub threads: usize,
    /// Single-precision operations a second, in units of 10^9; a fused multiply-add is two.
    pub gflops: f64,
    /// The same in double precision.
    pub gflops_double: f64,
    /// Others used the machine while it was measured: it can do more.
    #[serde(default)]
    pub is_busy: bool,
    /// 10^9 bytes a second, by where the data is.
    pub bandwidths: Vec<Bandwidth>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Bandwidth {
    /// `L1`, `L2`, `L3` or `memory`.
    pub level: String,
    pub gbytes: f64,
}

/// What a run measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunResult {
    pub global: Vec<usize>,
    pub local: Vec<usize>,
    pub width: u32,
    pub threads: usize,
    /// Until the first launch could begin.
    pub ready_ms: f64,
    /// Of each launch, in their order.
    pub times_ms: Vec<f64>,
    /// What a launch moves and computes, where the compiler could count it.
    pub bytes: Option<f64>,
    pub operations: Option<f64>,
    /// The bytes by source lines, where these are known.
    pub bytes_by_line: Vec<(u32, f64)>,
    /// What the arguments hold afterwards.
    pub digests: Vec<String>,
    /// Where work-items of a vector went different ways.
    pub branches: Vec<Branch>,
}

/// A branch, and in how many of the vectors that reach it it diverges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Branch {
    pub line: u32,
    pub diverging: usize,
    pub groups: usize,
}

/// The settings that the table of "what if" tries, with their names.
pub fn variants(of: &Compilation) -> Vec<(String, Settings)> {
    let settings = &of.settings;
    let mut list = Vec::new();
    for lanes in [8, 16, 32] {
        let other = Settings { lanes: Some(lanes), wfv: Some(Wfv::Always), ..settings.clone() };
        list.push((format!("width {lanes}"), other));
    }
    list.push(("scalar".to_owned(), Settings { lanes: None, wfv: Some(Wfv::Never), ..settings.clone() }));
    for x in [16, 64, 256, 1024] {
        let mut local = vec![1; of.local.len().max(1)];
        local[0] = x;
        if local == of.local {
            continue;
        }
        let name = local.iter().map(usize::to_string).collect::<Vec<_>>().join(" x ");
        list.push((format!("local size {name}"), Settings { local: Some(local), ..settings.clone() }));
    }
    list.retain(|(_, other)| other != settings);
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variants_are_other_settings() {
        let settings = Settings { local: Some(vec![64, 1]), kernel: Some("k".into()), ..Settings::default() };
        let of = Compilation { settings, local: vec![64, 1], ..Compilation::default() };
        let names: Vec<String> = variants(&of).into_iter().map(|(name, _)| name).collect();
        let locals = ["local size 16 x 1", "local size 256 x 1", "local size 1024 x 1"];
        assert_eq!(names, [&["width 8", "width 16", "width 32", "scalar"][..], &locals].concat());
        // A size that was chosen is not tried again.
        let chosen = Compilation { local: vec![256], ..Compilation::default() };
        assert!(!variants(&chosen).iter().any(|(name, _)| name == "local size 256"));
        assert!(variants(&of).iter().all(|(_, other)| other.kernel.as_deref() == Some("k")));
    }
}
