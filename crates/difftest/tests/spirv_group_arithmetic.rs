//! Reductions and scans of SPIR-V: every operation for every type over work-groups and sub-groups,
//! against a plain loop over the group.

mod groups_common;
mod spirv_common;

use compiler::SpecializationInfo;
use groups_common::*;
use jit::Kernel;
use lanewise_difftest::spirv::Spirv;
use spirv_common::{common, try_assembled};
use std::sync::Arc;

/// SPIR-V's name of an operation: whose operands it has, and what it does.
fn instruction(prefix: &str, ty: Type, op: Op, suffix: &str) -> String {
    let whose = if ty.float {
        "F"
    } else if ty.unsigned {
        "U"
    } else {
        "S"
    };
    let any = if ty.float { "F" } else { "I" };
    // Some came later, under names of their own.
    let (name, suffix) = match op {
        Op::Add => (format!("{any}Add"), ""),
        Op::Min => (format!("{whose}Min"), ""),
        Op::Max => (format!("{whose}Max"), ""),
        Op::Mul => (format!("{any}Mul"), suffix),
        Op::And => ("BitwiseAnd".to_owned(), suffix),
        Op::Or => ("BitwiseOr".to_owned(), suffix),
        Op::Xor => ("BitwiseXor".to_owned(), suffix),
        Op::LogicalAnd => ("LogicalAnd".to_owned(), suffix),
        Op::LogicalOr => ("LogicalOr".to_owned(), suffix),
        Op::LogicalXor => ("LogicalXor".to_owned(), suffix),
    };
    format!("{prefix}{name}{suffix}")
}

/// A kernel that does all operations one after the other, each for its own part of the output. With
/// `some`, one work-item of three returns first.
fn arithmetic(scope: Scope, prefix: &str, suffix: &str, ty: Type, ops: &[Op], some: bool) -> String {
    // SPIR-V's integers have no sign.
    let t = ty.name.trim_start_matches('u');
    let mut body = String::from(
        "%g = OpLoad %long %GlobalLinearId\n%sizes = OpLoad %long3 %GlobalSize\n\
         %x = OpCompositeExtract %long %sizes 0\n%y = OpCompositeExtract %long %sizes 1\n\
         %z = OpCompositeExtract %long %sizes 2\n%xy = OpIMul %long %x %y\n%n = OpIMul %long %xy %z\n\
         %in_at = OpInBoundsPtrAccessChain %g_long %in %g\n%given = OpLoad %long %in_at\n",
    );
    body += &match t {
        "long" => "%v = OpCopyObject %long %given\n".to_owned(),
        _ if ty.float => format!("%v = OpConvertSToF %{t} %given\n"),
        _ => format!("%v = OpUConvert %{t} %given\n"),
    };
    body += "%truth = OpINotEqual %bool %given %long_0\n";
    if some {
        body += "%l = OpLoad %long %LocalInvocationIndex\n%rest = OpUMod %long %l %long_3\n\
                 %out_now = OpIEqual %bool %rest %long_1\nOpBranchConditional %out_now %leaves %stays\n\
                 %leaves = OpLabel\nOpReturn\n%stays = OpLabel\n";
    }
    let scope = if scope == Scope::Work { 2 } else { 3 };
    let pairs = KINDS.into_iter().flat_map(|kind| ops.iter().map(move |op| (kind, *op)));
    for (part, (kind, op)) in pairs.enumerate() {
        let how = match kind {
            "reduce" => "Reduce",
            "scan_inclusive" => "InclusiveScan",
            _ => "ExclusiveScan",
        };
        let instruction = instruction(prefix, ty, op, suffix);
        let logical = matches!(op, Op::LogicalAnd | Op::LogicalOr | Op::LogicalXor);
        body += &if logical {
            format!(
                "%b.{part} = {instruction} %bool %int_{scope} {how} %truth\n\
                 %r.{part} = OpSelect %long %b.{part} %long_1 %long_0\n"
            )
        } else {
            let own = format!("%o.{part} = {instruction} %{t} %int_{scope} {how} %v\n");
            let back = match t {
                "long" => format!("%r.{part} = OpCopyObject %long %o.{part}\n"),
                _ if ty.float => as_long(t, part),
                _ if ty.unsigned => format!("%r.{part} = OpUConvert %long %o.{part}\n"),
                _ => format!("%r.{part} = OpSConvert %long %o.{part}\n"),
            };
            own + &back
        };
        body += &format!(
            "%first.{part} = OpIMul %long %n %long_{part}\n%at.{part} = OpIAdd %long %first.{part} %g\n\
             %out.{part} = OpInBoundsPtrAccessChain %g_long %out %at.{part}\nOpStore %out.{part} %r.{part}\n"
        );
    }
    let requirements = "OpCapability GroupNonUniform\nOpCapability GroupNonUniformArithmetic\n\
                        OpCapability GroupUniformArithmeticKHR\n\
                        OpExtension \"SPV_KHR_uniform_group_instructions\"\n";
    let spirv = Spirv { requirements: requirements.to_owned(), ..Spirv::default() };
    spirv.kernel(&[("in", "g_long"), ("out", "g_long")], &body)
}

/// A floating-point result as a whole number; infinities are the largest and the smallest.
fn as_long(t: &str, part: usize) -> String {
    format!(
        "%inf.{part} = OpIsInf %bool %o.{part}\n%sign.{part} = OpSignBitSet %bool %o.{part}\n\
         %end.{part} = OpSelect %long %sign.{part} %long_-9223372036854775808 %long_9223372036854775807\n\
         %zero.{part} = OpConvertSToF %{t} %long_0\n\
         %finite.{part} = OpSelect %{t} %inf.{part} %zero.{part} %o.{part}\n\
         %whole.{part} = OpConvertFToS %long %finite.{part}\n\
         %r.{part} = OpSelect %long %inf.{part} %end.{part} %whole.{part}\n"
    )
}

fn check(scope: Scope, prefix: &str, suffix: &str, ops: impl Fn(Type) -> Vec<Op>, some: bool) {
    for ty in TYPES {
        let ops = ops(ty);
        let text = arithmetic(scope, prefix, suffix, ty, &ops, some);
        let kernel = |mode: &str| -> Arc<Kernel> {
            try_assembled(&text, mode, &SpecializationInfo::default())
                .unwrap_or_else(|e| panic!("{e}\n{text}"))
        };
        check_arithmetic(scope, ty, &ops, kernel, |item| !some || item.l % 3 != 1);
    }
}

#[test]
fn over_work_groups() {
    check(Scope::Work, "OpGroup", "KHR", Op::non_uniform, false);
}

#[test]
fn over_sub_groups() {
    check(Scope::Sub, "OpGroup", "KHR", Op::non_uniform, false);
}

#[test]
fn over_those_of_sub_groups_that_take_part() {
    check(Scope::Sub, "OpGroupNonUniform", "", Op::non_uniform, true);
}
