//! Which version of OpenCL C brought a function: a module may call those of its own version
//! (`!opencl.ocl.version`) and of older ones.

use crate::{mangling, metadata};
use llvm::Module;

/// The functions that 1.1 and later versions brought, by the version. Functions of extensions are
/// not among them: those may be called in any version.
const BROUGHT: [((u32, u32), &[&str]); 3] = [
    ((1, 1), &["get_global_offset", "async_work_group_strided_copy", "shuffle", "shuffle2"]),
    ((1, 2), &["popcount", "printf"]),
    (
        (2, 0),
        &[
            "get_enqueued_local_size",
            "get_global_linear_id",
            "get_local_linear_id",
            "get_fence",
            "__to_global",
            "__to_local",
            "__to_private",
            "ctz",
            "atomic_work_item_fence",
            "atomic_init",
            "atomic_store",
            "atomic_store_explicit",
            "atomic_load",
            "atomic_load_explicit",
            "atomic_exchange",
            "atomic_exchange_explicit",
            "work_group_barrier",
            "work_group_all",
            "work_group_any",
            "work_group_broadcast",
        ],
    ),
];

/// Families of functions that 2.0 brought.
const FAMILIES_OF_2_0: [&str; 5] =
    ["work_group_reduce_", "work_group_scan_", "atomic_compare_exchange_", "atomic_fetch_", "atomic_flag_"];

/// The version of OpenCL C that brought a function, by its name without the mangling; 1.0 if it is
/// none of a later one.
fn version_of(name: &str) -> (u32, u32) {
    if FAMILIES_OF_2_0.iter().any(|family| name.starts_with(family)) {
        return (2, 0);
    }
    BROUGHT.iter().find(|(_, names)| names.contains(&name)).map_or((1, 0), |(version, _)| *version)
}

/// Refuses a module that calls a function of a later version of OpenCL C than its own. For IR from
/// outside: clang checks its own sources, and SPIR-V's instructions have no such versions.
pub fn check_opencl_version(module: &Module) -> Result<(), String> {
    let (major, minor) = metadata::opencl_version(module);
    for f in module.functions().into_iter().filter(|f| f.is_declaration() && f.is_used()) {
        let name = f.name();
        let plain = mangling::demangle(&name).map_or(name.as_str(), |(plain, _)| plain);
        let (own_major, own_minor) = version_of(plain);
        if (own_major, own_minor) > (major, minor) {
            return Err(format!(
                "'{plain}' is a function of OpenCL C {own_major}.{own_minor}, and the module is written in \
                 {major}.{minor} (!opencl.ocl.version, 1.2 if there is none)"
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) -> Result<(), String> {
        let module = Module::parse(&llvm::Context::new(), text.as_bytes(), "t.ll").expect("parses");
        check_opencl_version(&module)
    }

    #[test]
    fn functions_of_later_versions_are_refused() {
        let calls = |function: &str, version: &str| {
            let text = format!(
                "declare i32 @{function}(i32)\ndefine void @k() {{\n  %r = call i32 @{function}(i32 1)\n  \
                ret void\n}}\n{version}"
            );
            check(&text)
        };
        let version = |text: &str| format!("!opencl.ocl.version = !{{!0}}\n!0 = !{{{text}}}");
        let [one, two] = ["i32 1, i32 2", "i32 2, i32 0"].map(version);
        for function in
            ["_Z21work_group_reduce_addi", "_Z20get_global_linear_idi", "_Z3ctzi", "_Z16atomic_fetch_addi"]
        {
            assert_eq!(calls(function, &two), Ok(()), "{function}");
            for older in ["", &one] {
                let error = calls(function, older).unwrap_err();
                assert!(
                    error.contains("is a function of OpenCL C 2.0, and the module is written in 1.2"),
                    "{error}"
                );
            }
        }
        let error = calls("_Z8popcounti", &version("i32 1, i32 1")).unwrap_err();
        assert!(error.starts_with("'popcount' is a function of OpenCL C 1.2"), "{error}");
        assert_eq!(calls("_Z8popcounti", ""), Ok(()));
        assert_eq!(calls("_Z10atomic_addi", &one), Ok(()));
        // A function of the program's own may have any name.
        let own = "define i32 @_Z21work_group_reduce_addi(i32 %x) {\n  ret i32 %x\n}";
        assert_eq!(check(own), Ok(()));
    }
}
