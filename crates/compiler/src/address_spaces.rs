//! Renumbers address spaces for machines with numbers of their own.
//!
//! All passes see the numbers of SPIR (`ir::address_space`). A machine may have others: Nvidia's
//! GPUs have the constant space as 4 and the generic one as 0. Its module is renumbered once, after
//! the late stage and before code is generated.
//!
//! ```text
//! load i32, ptr addrspace(2) %table                     →   load i32, ptr addrspace(4) %table
//! addrspacecast ptr addrspace(1) %a to ptr addrspace(4) →   addrspacecast ptr addrspace(1) %a to ptr
//! addrspacecast ptr %x to ptr addrspace(4)              →   bitcast ptr %x to ptr
//! ```

use ir::address_space::{CONSTANT, GENERIC, GLOBAL, LOCAL};
use llvm::{Context, Module};

/// The machine's number of each address space. Private memory is 0, as everywhere in LLVM where
/// nothing else is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddressSpaces {
    pub global: u32,
    pub constant: u32,
    pub local: u32,
    pub generic: u32,
}

/// SPIR's numbers, for machines without their own: on a CPU, all address spaces are the same
/// memory.
impl Default for AddressSpaces {
    fn default() -> Self {
        AddressSpaces { global: GLOBAL, constant: CONSTANT, local: LOCAL, generic: GENERIC }
    }
}

impl AddressSpaces {
    fn of(&self, spir: u32) -> u32 {
        match spir {
            GLOBAL => self.global,
            CONSTANT => self.constant,
            LOCAL => self.local,
            GENERIC => self.generic,
            other => other,
        }
    }

    /// The module with the machine's numbers. Types cannot be changed in place, so the module is
    /// printed and parsed; the parser renames overloaded intrinsics by their new types.
    pub(crate) fn renumber(&self, context: &Context, module: Module) -> Result<Module, llvm::Error> {
        if *self == AddressSpaces::default() {
            return Ok(module);
        }
        let text = self.renumber_text(&module.to_string());
        Module::parse(context, text.as_bytes(), &module.name())
    }

    fn renumber_text(&self, text: &str) -> String {
        text.lines().flat_map(|line| [self.renumber_line(line), "\n".to_owned()]).collect()
    }

    fn renumber_line(&self, line: &str) -> String {
        const SPACE: &str = " addrspace(";
        // Strings hold no types.
        if line.starts_with("source_filename") || line.starts_with("target ") || line.starts_with('!') {
            return line.to_owned();
        }
        let mut out = String::new();
        let mut rest = line;
        while let Some(at) = rest.find(SPACE) {
            let after = &rest[at + SPACE.len()..];
            let digits = after.bytes().take_while(u8::is_ascii_digit).count();
            let Ok(spir) = after[..digits].parse() else {
                out.push_str(&rest[..at + SPACE.len()]);
                rest = after;
                continue;
            };
            out.push_str(&rest[..at]);
            match self.of(spir) {
                0 => {}
                own => out.push_str(&format!("{SPACE}{own})")),
            }
            rest = &after[digits + 1..];
        }
        out.push_str(rest);
        without_empty_casts(&out)
    }
}

/// Makes a cast between two spaces that have become one a bitcast: LLVM refuses an `addrspacecast`
/// within one space.
fn without_empty_casts(line: &str) -> String {
    const CAST: &str = "addrspacecast ";
    let mut out = String::new();
    let mut rest = line;
    while let Some(at) = rest.find(CAST) {
        let (before, cast) = (&rest[..at], &rest[at + CAST.len()..]);
        // `addrspacecast T V to T`, or as a constant `addrspacecast (T V to T)`.
        let inner = cast.strip_prefix('(').unwrap_or(cast);
        let same = inner.split_once(" to ").is_some_and(|(value, to)| {
            let target = type_at(to);
            type_at(value) == target
        });
        out.push_str(before);
        out.push_str(if same { "bitcast " } else { CAST });
        rest = cast;
    }
    out + rest
}

/// The pointer type, or vector of pointers, that a text begins with.
fn type_at(text: &str) -> &str {
    let end = match text.strip_prefix('<') {
        Some(_) => text.find('>').map_or(text.len(), |at| at + 1),
        None => match text.strip_prefix("ptr addrspace(") {
            Some(_) => text.find(')').map_or(text.len(), |at| at + 1),
            None => text.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(text.len()),
        },
    };
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    const NVIDIA: AddressSpaces = AddressSpaces { global: 1, constant: 4, local: 3, generic: 0 };

    #[test]
    fn types_get_the_machines_numbers() {
        let cases = [
            ("%v = load i32, ptr addrspace(2) %t", "%v = load i32, ptr addrspace(4) %t"),
            ("@l = internal addrspace(3) global i32 0", "@l = internal addrspace(3) global i32 0"),
            ("store ptr addrspace(4) %p, ptr %q", "store ptr %p, ptr %q"),
            (
                "%c = addrspacecast ptr addrspace(1) %a to ptr addrspace(4)",
                "%c = addrspacecast ptr addrspace(1) %a to ptr",
            ),
            ("%c = addrspacecast ptr %a to ptr addrspace(4)", "%c = bitcast ptr %a to ptr"),
            (
                "store ptr addrspace(4) addrspacecast (ptr @x to ptr addrspace(4)), ptr %q",
                "store ptr bitcast (ptr @x to ptr), ptr %q",
            ),
            (
                "%c = addrspacecast <4 x ptr addrspace(4)> %a to <4 x ptr addrspace(1)>",
                "%c = addrspacecast <4 x ptr> %a to <4 x ptr addrspace(1)>",
            ),
        ];
        for (before, after) in cases {
            assert_eq!(NVIDIA.renumber_line(before), after);
        }
    }

    #[test]
    fn what_is_renumbered_is_a_module() {
        let text = "@table = internal addrspace(2) constant [2 x i32] [i32 1, i32 2]
            declare void @llvm.memcpy.p1.p2.i64(ptr addrspace(1), ptr addrspace(2), i64, i1)
            define void @f(ptr addrspace(1) %a, ptr addrspace(4) %g) {
              %p = alloca i32
              %q = addrspacecast ptr %p to ptr addrspace(4)
              store i32 1, ptr addrspace(4) %q
              %h = addrspacecast ptr addrspace(1) %a to ptr addrspace(4)
              store ptr addrspace(4) %h, ptr addrspace(4) %g
              call void @llvm.memcpy.p1.p2.i64(ptr addrspace(1) %a, ptr addrspace(2) @table, i64 8, i1 false)
              ret void
            }";
        let context = Context::new();
        let module = Module::parse(&context, text.as_bytes(), "spaces.ll").unwrap();
        let own = NVIDIA.renumber(&context, module).unwrap();
        own.verify().unwrap();
        let text = own.to_string();
        assert!(text.contains("@llvm.memcpy.p1.p4.i64(ptr addrspace(1)"), "{text}");
        assert!(text.contains("store i32 1, ptr %q") && !text.contains("addrspace(2)"), "{text}");
    }
}
