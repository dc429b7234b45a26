//! ClassifyFloats: tests classes of floating-point numbers by the instruction for it.
//!
//! ```text
//! %c = call <16 x i1> @llvm.is.fpclass(<16 x float> %x, i32 24)
//! ───►
//! %c = call <16 x i1> @llvm.x86.avx512.fpclass.ps.512(<16 x float> %x, i32 64)
//! ```
//!
//! LLVM makes such tests of comparisons with zeros and infinities, and code generation spells them
//! in integer operations, up to ten for each. Vectors that are not made of whole registers stay.
//! Runs after LLVM's simplifications, which know more of `is.fpclass`. Preserves the control flow.

use analysis::Preserved;
use llvm::{Builder, Module, Opcode, Value};
use passes::{Pass, PassContext, PassError};

#[derive(Clone, Copy, Debug, Default)]
pub struct ClassifyFloats;

impl Pass for ClassifyFloats {
    fn name(&self) -> &'static str {
        "classify-floats"
    }

    fn run(&self, cx: &mut PassContext<'_>) -> Result<Preserved, PassError> {
        let b = Builder::new(cx.module.context());
        for test in cx.module.functions().into_iter().filter(|f| f.name().starts_with("llvm.is.fpclass.v")) {
            for call in test.uses().calls {
                let classes = call.operand(1).as_const_int().expect("an immediate operand");
                b.position_before(call);
                if let Some(new) = classified(cx.module, &b, call.operand(0), classes) {
                    call.replace_all_uses_with(new);
                    call.erase();
                }
            }
        }
        Ok(Preserved::control_flow())
    }
}

/// LLVM's classes that the instruction tests for, and its bits for them.
const CLASSES: [(u64, u32); 8] = [
    (0x001, 0x80), // signalling NaNs
    (0x002, 0x01), // quiet NaNs
    (0x040, 0x02), // 0
    (0x020, 0x04), // -0
    (0x200, 0x08), // infinity
    (0x004, 0x10), // -infinity
    (0x090, 0x20), // subnormal numbers
    (0x018, 0x40), // negative finite numbers
];

const ALL_CLASSES: u64 = 0x3ff;

/// The instruction's operand for a set of LLVM's classes, if there is one.
fn immediate(classes: u64) -> Option<u32> {
    let own = CLASSES.iter().filter(|(class, _)| class & !classes == 0);
    let (covered, bits) = own.fold((0, 0), |(c, b), (class, bit)| (c | class, b | bit));
    (covered == classes).then_some(bits)
}

fn classified(module: &Module, b: &Builder, x: Value, classes: u64) -> Option<Value> {
    let (element, lanes) = (x.ty().element(), x.ty().len() as u32);
    let bits = element.float_bits().filter(|bits| matches!(bits, 32 | 64))?;
    let own = (512 / bits).min(lanes);
    if !lanes.is_power_of_two() || own * bits < 128 {
        return None;
    }
    let (immediate, negated) = match immediate(classes) {
        Some(immediate) => (immediate, false),
        None => (immediate(ALL_CLASSES & !classes)?, true),
    };
    let kind = if bits == 32 { "ps" } else { "pd" };
    let f = module.intrinsic(&format!("llvm.x86.avx512.fpclass.{kind}.{}", own * bits), &[]);
    let register = |start: u32| {
        let part: Vec<u32> = (start..start + own).collect();
        let part = if own == lanes { x } else { b.shuffle(x, x.ty().poison(), &part, "") };
        b.call(f, &[part, b.i32(immediate)], "")
    };
    let mut parts: Vec<Value> = (0..lanes).step_by(own as usize).map(register).collect();
    while parts.len() > 1 {
        let both: Vec<u32> = (0..2 * parts[0].ty().len() as u32).collect();
        parts = parts.chunks(2).map(|pair| b.shuffle(pair[0], pair[1], &both, "")).collect();
    }
    let found = parts[0];
    let ones = || b.splat(module.context().i1().const_int(1), lanes, "");
    Some(if negated { b.binary(Opcode::LLVMXor, found, ones(), "") } else { found })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_classes_are_unions_or_complements() {
        assert_eq!(immediate(0x003), Some(0x81));
        assert_eq!(immediate(0x018), Some(0x40));
        assert_eq!(immediate(0x204), Some(0x18));
        // Normal numbers are all others than these.
        assert_eq!(immediate(0x108), None);
        assert_eq!(immediate(ALL_CLASSES & !0x108), Some(0xbf));
        // Positive subnormal ones have no bit of their own.
        assert_eq!(immediate(0x080), None);
        assert_eq!(immediate(ALL_CLASSES & !0x080), None);
    }
}
