//! The host as a target of the compiler API.

use compiler::{
    BUILTIN_LIBRARY, Context, Error, Info, Options, PassMachinery, Profile, parse_compilation_options,
};
use lanewise_host as host;
use std::sync::Arc;

#[test]
fn the_host_is_the_one_compiler() {
    let mut all: Vec<&'static dyn Info> = Vec::new();
    host::compilers(&mut |info| all.push(info));
    assert_eq!(all.len(), 1);
    assert!(std::ptr::addr_eq(all[0], host::host_info()));
    let device = all[0].device_info();
    assert!(!device.name.is_empty() && device.address_bits == 64 && device.little_endian);
    assert_eq!(device.max_work_group_size, 4096);
    assert!([16, 32, 64].contains(&device.vector_register_bytes));
    assert!(all[0].supports_deferred_compilation());
    assert!(all[0].vectorizable());
    assert!(!all[0].dma_optimizable() && !all[0].scalable_vector_support());
    let capabilities = all[0].builtin_capabilities();
    assert!(capabilities.fp64 && !capabilities.address_bits_32);
    assert_eq!(capabilities.fp16, device.supports_half);
    parse_compilation_options(all[0].compilation_options()).unwrap();
}

/// By `Info::check_option`.
#[test]
fn values_of_options_are_checked() {
    let mut module = host::host_info().target(None).unwrap().create_module().unwrap();
    for value in ["banana", "1000", "1", "65", "-4", "8.5", "''"] {
        let error = module.set_options(&format!("--lanes {value}")).unwrap_err();
        let Error::InvalidBuildOptions(message) = &error else { panic!("{error:?}") };
        let value = value.trim_matches('\'');
        assert_eq!(message, &format!("--lanes takes a number from 2 to 64, not '{value}'"));
    }
    for good in ["--lanes 2", "--lanes=64", "--linear-lanes --lanes 12"] {
        module.set_options(good).unwrap();
    }
}

#[test]
fn a_target_takes_its_builtins_once_and_first() {
    let target = host::host_info().create_target(Arc::new(Context::new()), None).unwrap();
    let Err(error) = target.create_module() else { panic!("there are no builtins yet") };
    assert!(matches!(error, Error::InvalidValue(_)));
    target.init_with_builtins(BUILTIN_LIBRARY).unwrap();
    assert!(matches!(target.init_with_builtins(BUILTIN_LIBRARY), Err(Error::InvalidValue(_))));
    assert!(target.create_module().is_ok());
}

#[test]
fn the_machinery_has_the_hosts_passes() {
    let machinery = PassMachinery::new(host::host_info(), &Options::default()).unwrap();
    let names: Vec<_> = machinery.registry.list().map(|(name, _)| name).collect();
    for name in
        ["work-item-loops", "link-builtins", "add-entry-hook", "add-metadata", "fix-calling-conventions"]
    {
        assert!(names.contains(&name), "{name} is not in {names:?}");
    }
    assert_eq!(machinery.machine.triple(), llvm::host_triple());
}

#[test]
fn kernels_say_what_suits_them() {
    let mut module = host::host_info().target(None).unwrap().create_module().unwrap();
    let source = "kernel __attribute__((reqd_work_group_size(8, 2, 1))) void required() {}
        kernel __attribute__((work_group_size_hint(32, 1, 1))) void hinted() {}
        kernel void plain(global int *a) {
          local int s[25]; s[get_local_id(0)] = 1; barrier(1); a[0] = s[1]; }";
    module.compile_opencl_c(Profile::Full, "t.cl", source, &[]).unwrap();
    module.finalize().unwrap();
    let mut kernel = |name: &str| module.get_kernel(name).unwrap();
    assert_eq!(kernel("required").preferred_local_size(), [8, 2, 1]);
    assert_eq!(kernel("hinted").preferred_local_size(), [32, 1, 1]);
    let plain = kernel("plain");
    let preferred: usize = plain.preferred_local_size().iter().product();
    assert!((1..=host::host_info().device_info().max_work_group_size).contains(&preferred));
    assert_eq!((plain.name(), plain.local_memory_size()), ("plain", 100));
}

/// OptimalBuiltinReplacement asks the target before its own replacements, which leave 64 bits
/// alone.
#[test]
fn the_library_is_asked_for_less_than_the_cpu_can_do() {
    let text = "define spir_func <4 x i64> @f(<4 x i64> %x) {
          %a = call spir_func <4 x i64> @_Z3clzDv4_m(<4 x i64> %x)
          ret <4 x i64> %a
        }
        declare spir_func <4 x i64> @_Z3clzDv4_m(<4 x i64>)";
    let machinery = PassMachinery::new(host::host_info(), &Options::default()).unwrap();
    let replaced = |builtins: &dyn ir::BuiltinInfo| {
        let module = llvm::Module::parse(&llvm::Context::new(), text.as_bytes(), "t.ll").unwrap();
        let mut pipeline = passes::Pipeline::new();
        pipeline.add(passes::OptimalBuiltinReplacement);
        passes::PassManager { builtins, ..machinery.manager() }.run(&pipeline, &module).unwrap();
        module.to_string().contains("%a = call <4 x i64> @llvm.ctlz.v4i64(<4 x i64> %x, i1 false)")
    };
    assert!(replaced(&*machinery.builtins));
    assert!(!replaced(&ir::DefaultBuiltinInfo::default()));
}
