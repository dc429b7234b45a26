//! Every function in every overload that clang declares is in the library, or defined by a pass.
//!
//! The list is clang's own header `opencl-c.h`, preprocessed for our features: each declaration
//! becomes a function that calls it. The calls are resolved against clang's table of builtins,
//! which is what kernels see.

#[path = "support/declarations.rs"]
mod declarations;

use clc::{Device, Options, Profile, Standard};
use declarations::{Declaration, declarations};
use llvm::Context;
use std::collections::BTreeMap;

/// Functions that are not of the library: passes define them, or there is no such feature.
const NOT_HERE: &[&str] = &[
    "get_work_dim",
    "get_global_size",
    "get_global_id",
    "get_local_size",
    "get_enqueued_local_size",
    "get_local_id",
    "get_num_groups",
    "get_group_id",
    "get_global_offset",
    "get_global_linear_id",
    "get_local_linear_id",
    "barrier",
    "work_group_barrier",
    "mem_fence",
    "read_mem_fence",
    "write_mem_fence",
    "atomic_work_item_fence",
    "get_fence",
    "printf",
];

/// A function that calls another one with the arguments it is given.
fn caller(i: usize, Declaration { result, name, params }: &Declaration) -> String {
    let list: Vec<_> = params.iter().enumerate().map(|(i, ty)| format!("{ty} a{i}")).collect();
    let args: Vec<_> = (0..params.len()).map(|i| format!("a{i}")).collect();
    let give = if result == "void" { "" } else { "return " };
    format!("{result} call{i}({}) {{ {give}{name}({}); }}\n", list.join(", "), args.join(", "))
}

/// The functions that are called and defined nowhere, with the manglings of each.
fn missing(standard: &str, device: &Device) -> (usize, BTreeMap<String, Vec<String>>) {
    let declarations = declarations(standard, device);
    let wanted: Vec<_> = declarations.iter().filter(|d| !NOT_HERE.contains(&d.name.as_str())).collect();
    let mut missing: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let context = Context::new();
    let options = Options::parse(&format!("-cl-std={standard} -w"), &[]).unwrap();
    for chunk in wanted.chunks(4000) {
        let mut source = String::new();
        if device.half {
            source += "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n";
        }
        source.extend(chunk.iter().enumerate().map(|(i, declaration)| caller(i, declaration)));
        let output = clc::compile(&context, &source, "all.cl", Profile::Full, device, &options, &[]);
        let module = output.module.unwrap_or_else(|| panic!("{}", output.log));
        let declared = module.functions().into_iter().filter(|f| f.is_declaration() && !f.is_intrinsic());
        for name in declared.map(|f| f.name()).filter(|name| !lanewise_builtins::contains(name)) {
            let plain = wanted.iter().find(|w| name.contains(&format!("{}{}", w.name.len(), w.name)));
            missing.entry(plain.map_or_else(|| name.clone(), |w| w.name.clone())).or_default().push(name);
        }
    }
    (wanted.len(), missing)
}

#[test]
fn every_overload_is_defined() {
    check(&Device::FULL, 9000);
}

#[test]
fn every_overload_is_defined_for_32_bit_addresses() {
    check(&Device { address_bits: 32, ..Device::FULL }, 9000);
    check(
        &Device {
            version: Standard::Cl30,
            address_bits: 32,
            half: false,
            double: false,
            int64_atomics: false,
            sub_groups: true,
            images: false,
        },
        6000,
    );
}

fn check(device: &Device, least: usize) {
    for standard in ["CL1.2", "CL2.0", "CL3.0"] {
        let (count, missing) = missing(standard, device);
        println!("{standard}: {count} overloads");
        for (name, manglings) in &missing {
            println!("  {name}: {} missing, such as {}", manglings.len(), manglings[0]);
        }
        assert!(count > least, "only {count} declarations were found");
        assert!(missing.is_empty(), "missing in {standard} for {device:?}: {:?}", missing.keys());
    }
}
