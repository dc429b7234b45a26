//! A backend for a machine that is no CPU, with address spaces of its own: its code is PTX.

use analysis::Preserved;
use ir::{BuiltinInfo, DefaultBuiltinInfo};
use lanewise_compiler::pipeline::{self, LateStage};
use lanewise_compiler::{AddressSpaces, Backend, DeviceInfo, Info, Machine, Options, Output, Profile};
use passes::{Pass, PassContext, PassError, Pipeline};
use std::sync::Arc;

struct Gpu(DeviceInfo);

struct GpuBackend;

impl Info for Gpu {
    fn device_info(&self) -> &DeviceInfo {
        &self.0
    }

    fn name(&self) -> &'static str {
        "gpu"
    }

    fn backend(&self) -> &'static dyn Backend {
        &GpuBackend
    }
}

impl Backend for GpuBackend {
    fn machine(&self) -> Machine {
        Machine {
            triple: "nvptx64-nvidia-cuda".to_owned(),
            cpu: "sm_70".to_owned(),
            features: "+ptx64".to_owned(),
        }
    }

    fn builtins(&self, _: &Options) -> Arc<dyn BuiltinInfo> {
        // A thread runs a whole work-group, so that a barrier needs no fence.
        Arc::new(DefaultBuiltinInfo { work_group_is_a_thread: true, ..DefaultBuiltinInfo::default() })
    }

    fn address_spaces(&self) -> AddressSpaces {
        AddressSpaces { global: 1, constant: 4, local: 3, generic: 0 }
    }

    fn late_passes(&self, stage: &LateStage<'_>) -> Pipeline {
        let mut p = pipeline::late_stage(stage);
        p.add(PlainNames);
        p.llvm("default<O2>");
        p
    }
}

/// Names of functions that PTX takes: letters, digits and underscores.
struct PlainNames;

impl Pass for PlainNames {
    fn name(&self) -> &'static str {
        "plain-names"
    }

    fn run(&self, cx: &mut PassContext<'_>) -> Result<Preserved, PassError> {
        for f in cx.module.functions().into_iter().filter(|f| !f.is_intrinsic()) {
            f.set_name(&f.name().replace(['.', '-'], "_"));
        }
        Ok(Preserved::All)
    }
}

#[test]
fn each_space_is_reached_by_its_own_instructions() {
    let device = DeviceInfo {
        name: "gpu".to_owned(),
        vendor: "Lanewise".to_owned(),
        address_bits: 64,
        little_endian: true,
        supports_half: false,
        supports_double: true,
        supports_int64_atomics: true,
        supports_images: false,
        max_work_group_size: 256,
        vector_register_bytes: 0,
        max_sub_group_count: 0,
        sub_group_sizes: Vec::new(),
        custom_buffers: false,
        accelerates_dot_products: false,
    };
    let info: &'static dyn Info = Box::leak(Box::new(Gpu(device)));
    let mut module = info.target(None).unwrap().create_module().unwrap();
    let source = "constant int table[4] = { 3, 1, 4, 1 };
        int any(int *p) { return p[1]; }
        kernel void k(global int *out, global int *in, local int *shared, int i) {
            shared[i] = in[i];
            barrier(CLK_LOCAL_MEM_FENCE);
            int own[2] = { i, shared[i + 1] };
            int *either = i > 7 ? (int *)in : (int *)own;
            out[i] = table[i & 3] + any(either);
        }";
    module.set_options("-cl-std=CL3.0").unwrap();
    module.compile_opencl_c(Profile::Full, "k.cl", source, &[]).unwrap_or_else(|e| panic!("{e}"));
    module.finalize().unwrap_or_else(|e| panic!("{e}"));
    let code = module.lower(None).and_then(|mut lowered| lowered.generate(Output::Assembly));
    let ptx = String::from_utf8(code.unwrap_or_else(|e| panic!("{e}"))).unwrap();
    for instruction in [".target sm_70", "ld.global", "st.global", "ld.const", "ld.shared", "st.shared"] {
        assert!(ptx.contains(instruction), "no {instruction} in\n{ptx}");
    }
}
