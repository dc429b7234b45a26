//! SPIR-V for tests, in short: a kernel's body as assembly, around which everything it needs is
//! written.
//!
//! Types and constants are declared by their names. `%int`, `%float4`, `%bool` are types;
//! `%g_float4` is a pointer to one in global memory, `%l_`, `%p_`, `%c_`, `%n_` one into local,
//! private, constant memory, or into any; `%int_7`, `%float_-1.5`, `%bool_true` are constants.
//! Built-in variables are declared where they are used: `%GlobalInvocationId`.

use std::collections::BTreeSet;
use std::fmt::Write;

/// A kernel of SPIR-V in the making.
#[derive(Clone, Debug, Default)]
pub struct Spirv {
    /// Instructions before the types: names, decorations.
    pub annotations: String,
    /// Execution modes of the kernel `%k`.
    pub modes: String,
    /// Capabilities and extensions beyond the usual ones.
    pub requirements: String,
    /// Types, constants and variables that names do not tell.
    pub globals: String,
    /// Functions beside the kernel.
    pub functions: String,
}

const SCALARS: [(&str, &str); 9] = [
    ("void", "OpTypeVoid"),
    ("bool", "OpTypeBool"),
    ("char", "OpTypeInt 8 0"),
    ("short", "OpTypeInt 16 0"),
    ("int", "OpTypeInt 32 0"),
    ("long", "OpTypeInt 64 0"),
    ("half", "OpTypeFloat 16"),
    ("float", "OpTypeFloat 32"),
    ("double", "OpTypeFloat 64"),
];

const SPACES: [(&str, &str); 6] = [
    ("g_", "CrossWorkgroup"),
    ("l_", "Workgroup"),
    ("p_", "Function"),
    ("c_", "UniformConstant"),
    ("n_", "Generic"),
    ("in_", "Input"),
];

const BUILT_INS: [(&str, &str); 21] = [
    ("NumWorkgroups", "long3"),
    ("WorkgroupSize", "long3"),
    ("WorkgroupId", "long3"),
    ("LocalInvocationId", "long3"),
    ("GlobalInvocationId", "long3"),
    ("LocalInvocationIndex", "long"),
    ("WorkDim", "int"),
    ("GlobalSize", "long3"),
    ("EnqueuedWorkgroupSize", "long3"),
    ("GlobalOffset", "long3"),
    ("GlobalLinearId", "long"),
    ("SubgroupSize", "int"),
    ("SubgroupMaxSize", "int"),
    ("NumSubgroups", "int"),
    ("SubgroupId", "int"),
    ("SubgroupLocalInvocationId", "int"),
    ("SubgroupEqMask", "int4"),
    ("SubgroupGeMask", "int4"),
    ("SubgroupGtMask", "int4"),
    ("SubgroupLeMask", "int4"),
    ("SubgroupLtMask", "int4"),
];

const HEADER: &str = "\
; Version: 1.4
OpCapability Addresses
OpCapability Linkage
OpCapability Kernel
OpCapability Int8
OpCapability Int16
OpCapability Int64
OpCapability Int64Atomics
OpCapability Float16
OpCapability Float64
OpCapability Vector16
OpCapability GenericPointer
OpCapability Groups
";

/// Names that were declared, and the text that does so.
#[derive(Default)]
struct Declarations {
    done: BTreeSet<String>,
    types: String,
}

impl Declarations {
    /// Declares what a name stands for, if it stands for a type, constant or variable.
    fn name(&mut self, name: &str) -> bool {
        if self.done.contains(name) {
            return true;
        }
        let Some(text) = self.declaration(name) else { return false };
        writeln!(self.types, "%{name} = {text}").expect("strings can be written to");
        self.done.insert(name.to_owned());
        true
    }

    fn declaration(&mut self, name: &str) -> Option<String> {
        if let Some((_, text)) = SCALARS.iter().find(|s| s.0 == name) {
            return Some((*text).to_owned());
        }
        if let Some((_, ty)) = BUILT_INS.iter().find(|b| b.0 == name) {
            self.name(&format!("in_{ty}"));
            return Some(format!("OpVariable %in_{ty} Input"));
        }
        for (prefix, class) in SPACES {
            if let Some(to) = name.strip_prefix(prefix) {
                return self.name(to).then(|| format!("OpTypePointer {class} %{to}"));
            }
        }
        let digits = name.len() - name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        let (scalar, lanes) = name.split_at(name.len() - digits);
        if matches!(lanes, "2" | "3" | "4" | "8" | "16") && SCALARS[1..].iter().any(|s| s.0 == scalar) {
            self.name(scalar);
            return Some(format!("OpTypeVector %{scalar} {lanes}"));
        }
        let (ty, value) = name.split_once('_')?;
        if !SCALARS[1..].iter().any(|s| s.0 == ty) {
            return None;
        }
        self.name(ty);
        match value {
            "true" => Some("OpConstantTrue %bool".to_owned()),
            "false" => Some("OpConstantFalse %bool".to_owned()),
            value => value.parse::<f64>().is_ok().then(|| format!("OpConstant %{ty} {value}")),
        }
    }

    /// Declares all names in a text, other than those that it defines.
    fn text(&mut self, text: &str) {
        for token in text.split_whitespace() {
            if let Some(name) = token.strip_prefix('%') {
                self.name(name);
            }
        }
    }
}

impl Spirv {
    /// The module with a kernel `k` that has these parameters, by name and type, and this body.
    pub fn kernel(&self, params: &[(&str, &str)], body: &str) -> String {
        let Spirv { annotations, modes, requirements, globals, functions } = self;
        let mut d = Declarations::default();
        d.text(globals);
        // Names that the globals define are not declared again.
        let own: Vec<&str> = globals
            .lines()
            .filter_map(|l| l.trim().strip_prefix('%')?.split_once(" ="))
            .map(|l| l.0)
            .collect();
        d.done.extend(own.iter().map(|o| (*o).to_owned()));
        let before = std::mem::take(&mut d.types);
        for text in [body, functions, annotations, modes, "%void"] {
            d.text(text);
        }
        let types: Vec<String> = params.iter().map(|(_, ty)| format!("%{ty}")).collect();
        d.text(&types.join(" "));
        let after = &d.types;
        let used: Vec<&str> = BUILT_INS.iter().map(|b| b.0).filter(|b| d.done.contains(*b)).collect();
        let interface: String = used.iter().map(|b| format!(" %{b}")).collect();
        let decorations: String = used.iter().map(|b| format!("OpDecorate %{b} BuiltIn {b}\n")).collect();
        let mut text = format!("{HEADER}{requirements}\n%ocl = OpExtInstImport \"OpenCL.std\"\n");
        write!(
            text,
            "OpMemoryModel Physical64 OpenCL\nOpEntryPoint Kernel %k \"k\"{interface}\n{modes}\n\
             {annotations}\n{decorations}{before}{globals}\n{after}%k_type = OpTypeFunction %void {}\n\
             {functions}\n\
             %k = OpFunction %void None %k_type\n",
            types.join(" ")
        )
        .expect("strings can be written to");
        for (name, ty) in params {
            writeln!(text, "%{name} = OpFunctionParameter %{ty}").expect("strings can be written to");
        }
        text + "%entry = OpLabel\n" + body + "\nOpReturn\nOpFunctionEnd\n"
    }

    /// A kernel `k(out, a, b, …)` in which each work-item computes `%r` from its elements `%a`,
    /// `%b`, … of these types.
    pub fn map(&self, result: &str, operands: &[&str], body: &str) -> String {
        let names = ["a", "b", "c", "d"];
        let mut params = vec![("out".to_owned(), format!("g_{result}"))];
        let mut text =
            "%ids = OpLoad %long3 %GlobalInvocationId\n%i = OpCompositeExtract %long %ids 0\n".to_owned();
        for (name, ty) in names.iter().zip(operands) {
            params.push((format!("{name}_in"), format!("g_{ty}")));
            let _ = write!(
                text,
                "%{name}_at = OpInBoundsPtrAccessChain %g_{ty} %{name}_in %i\n\
                    %{name} = OpLoad %{ty} %{name}_at\n"
            );
        }
        let _ = write!(
            text,
            "{body}\n%out_at = OpInBoundsPtrAccessChain %g_{result} %out %i\nOpStore %out_at %r"
        );
        let params: Vec<(&str, &str)> = params.iter().map(|(n, t)| (n.as_str(), t.as_str())).collect();
        self.kernel(&params, &text)
    }
}
