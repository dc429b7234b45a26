//! The description of a program's kernels.

use crate::{ArgKind, DeviceInfo, ImageArg, Outlook};
use ir::{address_space, attributes, metadata};
use llvm::{Function, Global, Module, Type};

/// One argument of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelArg {
    pub name: String,
    /// The type as the source spells it: `float4*`, `uint`.
    pub type_name: String,
    /// The type behind typedefs, as clang spells it. For IR without such metadata, the scalar or
    /// vector type of a value.
    pub base_type_name: String,
    /// `const`, `volatile`, `restrict`, separated by blanks.
    pub type_qualifiers: String,
    pub kind: ArgKind,
    /// The size in bytes of a value, or of a pointer.
    pub size: usize,
    /// The layout of a struct or an array, or of a pointer's element of such a type, as
    /// [`ir::metadata::ArgInfo::layout`] spells it; empty for other types, and without metadata.
    pub layout: String,
    /// The images that an argument accepts.
    pub image: Option<ImageArg>,
}

/// One kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelInfo {
    pub name: String,
    pub args: Vec<KernelArg>,
    pub reqd_work_group_size: Option<[usize; 3]>,
    pub work_group_size_hint: Option<[usize; 3]>,
    /// The type of `vec_type_hint`, as OpenCL C spells it.
    pub vec_type_hint: Option<String>,
    pub reqd_sub_group_size: Option<usize>,
    /// The bytes of local memory of the kernel's own variables.
    pub local_memory_size: usize,
    /// The bytes of each work-item's arrays and other variables that are not in registers.
    pub private_memory_size: usize,
}

impl KernelInfo {
    /// A local size for launches that name none: the one that the kernel requires or hints at, or
    /// one with long work-item loops whose live variables stay in the first-level cache.
    pub fn preferred_local_size(&self, device: &DeviceInfo) -> [usize; 3] {
        let own = self.reqd_work_group_size.or(self.work_group_size_hint);
        own.unwrap_or([device.max_work_group_size.min(256), 1, 1])
    }
}

/// The kernels of a program, in the order of the source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProgramInfo {
    pub kernels: Vec<KernelInfo>,
    /// The launches to expect of each.
    pub outlooks: Vec<Outlook>,
    /// The OpenCL C version the program was written for.
    pub opencl_version: (u32, u32),
    /// The bytes of the variables in global memory that are the program's own.
    pub global_variable_size: usize,
}

/// A call of `printf`: its format and the sizes of its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrintfDescriptor {
    pub format: String,
    /// The size of each argument in bytes.
    pub arguments: Vec<usize>,
}

impl ProgramInfo {
    /// Reads the marked kernels of a module.
    pub(crate) fn read(module: &Module) -> Self {
        let functions = passes::entry_points(module);
        let kernels: Vec<_> = functions.iter().map(|f| kernel_info(module, *f)).collect();
        let outlooks =
            functions.iter().zip(&kernels).map(|(f, info)| Outlook::of(module, *f, info)).collect();
        let global_variable_size = global_variables(module)
            .map(|variable| module.size_of(variable.value_type()))
            .fold(0u64, u64::saturating_add) as usize;
        ProgramInfo {
            kernels,
            outlooks,
            opencl_version: metadata::opencl_version(module),
            global_variable_size,
        }
    }

    pub fn kernel(&self, name: &str) -> Option<&KernelInfo> {
        self.kernels.iter().find(|k| k.name == name)
    }
}

/// The variables in global memory that a program defines.
pub(crate) fn global_variables(module: &Module) -> impl Iterator<Item = Global> {
    let is_one = |g: &Global| g.address_space() == address_space::GLOBAL && g.initializer().is_some();
    module.globals().into_iter().filter(is_one)
}

fn kernel_info(module: &Module, f: Function) -> KernelInfo {
    let packed = passes::packed_args(module, f, f.params().len());
    let args = metadata::kernel_args(module, f, f.params().len())
        .into_iter()
        .zip(f.params())
        .zip(&packed.fields)
        .map(|((info, param), field)| {
            let ty = param.ty();
            let kind = ArgKind::of(ty.is_ptr().then(|| ty.address_space()), &info.object);
            KernelArg {
                name: if info.name.is_empty() { param.name() } else { info.name },
                type_name: info.type_name,
                base_type_name: match info.base_type_name {
                    none if none.is_empty() => plain_type_name(ty).unwrap_or_default(),
                    name => name,
                },
                type_qualifiers: info.type_qualifiers,
                kind,
                size: module.size_of(*field) as usize,
                layout: info.layout,
                image: ImageArg::parse(&info.object),
            }
        })
        .collect();
    let sizes = |size: Option<[u64; 3]>| size.map(|s| s.map(|d| d as usize));
    KernelInfo {
        name: attributes::orig_fn_name(f),
        args,
        reqd_work_group_size: sizes(metadata::reqd_work_group_size(module, f)),
        work_group_size_hint: sizes(metadata::work_group_size_hint(module, f)),
        vec_type_hint: vec_type_hint(module, f),
        reqd_sub_group_size: metadata::reqd_sub_group_size(module, f).map(|n| n as usize),
        local_memory_size: local_memory(module, f),
        private_memory_size: private_memory(module, f),
    }
}

/// The type of a kernel's `vec_type_hint`, as OpenCL C spells it.
pub(crate) fn vec_type_hint(module: &Module, f: Function) -> Option<String> {
    let (ty, signed) = metadata::vec_type_hint(module, f)?;
    let name = plain_type_name(ty)?;
    Some(if signed || ty.scalar().is_float() { name } else { format!("u{name}") })
}

/// The OpenCL C type of a scalar or vector of the IR.
fn plain_type_name(ty: Type) -> Option<String> {
    if ty.is_vector() && !ty.is_scalable_vector() {
        return plain_type_name(ty.element()).map(|name| format!("{name}{}", ty.len()));
    }
    let name = match ty.to_string().as_str() {
        "i8" => "char",
        "i16" => "short",
        "i32" => "int",
        "i64" => "long",
        "half" => "half",
        "float" => "float",
        "double" => "double",
        _ => return None,
    };
    Some(name.to_owned())
}

/// The bytes of the private variables of a kernel and the functions it calls.
fn private_memory(module: &Module, kernel: Function) -> usize {
    let allocas = passes::reachable_functions(kernel).into_iter().flat_map(Function::instructions);
    let bytes = allocas.filter(|i| i.is_alloca()).map(|alloca| {
        let count = alloca.operand(0).as_const_int().unwrap_or(1);
        module.size_of(alloca.allocated_type()).saturating_mul(count)
    });
    bytes.fold(0u64, u64::saturating_add) as usize
}

/// The bytes of the local variables that a kernel uses, or the functions it calls.
fn local_memory(module: &Module, kernel: Function) -> usize {
    let reached = passes::reachable_functions(kernel);
    let mut bytes = 0u64;
    for global in module.globals().into_iter().filter(|g| g.address_space() == address_space::LOCAL) {
        if passes::using_functions(*global).iter().any(|f| reached.contains(f)) {
            let align = u64::from(global.alignment().max(module.align_of(global.value_type())));
            bytes = bytes.next_multiple_of(align) + module.size_of(global.value_type());
        }
    }
    bytes as usize
}
