//! The function and module metadata of mux IR.

use crate::Width;
use llvm::{Context, Function, Metadata, Module, Type, Value};
use std::collections::HashSet;

const REQD_WORK_GROUP_SIZE: &str = "reqd_work_group_size";
const WORK_GROUP_SIZE_HINT: &str = "work_group_size_hint";
const VEC_TYPE_HINT: &str = "vec_type_hint";
const MAX_WORK_DIM: &str = "max_work_dim";
const REQD_SUB_GROUP_SIZE: &str = "intel_reqd_sub_group_size";
const SCHEDULED_FN: &str = "mux_scheduled_fn";
const SCHEDULING_PARAMS: &str = "mux-scheduling-params";
const OCL_VERSION: &str = "opencl.ocl.version";
const VECZ_BASE: &str = "codeplay_ca_vecz.base";
const VECZ_DERIVED: &str = "codeplay_ca_vecz.derived";
const VECZ_FAIL: &str = "codeplay_ca_vecz.base.fail";
const WRAPPER: &str = "codeplay_ca_wrapper";
/// Ours: how a kernel's arguments are packed.
const PACKED_ARGS: &str = "mux_packed_args";
/// Ours: which parameters of a kernel are images and samplers.
const ARG_OBJECTS: &str = "kernel_arg_object";
const OPENCL_KERNELS: &str = "opencl.kernels";

fn ints(node: Metadata) -> Option<Vec<i64>> {
    node.operands().into_iter().map(|op| op?.value()?.as_const_signed()).collect()
}

fn int_node(module: &Module, values: &[i64]) -> Metadata {
    let context = module.context();
    let operands: Vec<_> =
        values.iter().map(|&v| context.metadata_value(context.i32().const_signed(v))).collect();
    context.metadata_node(&operands)
}

fn three(module: &Module, f: Function, name: &str) -> Option<[u64; 3]> {
    let values = ints(f.metadata(module.context().metadata_kind(name))?)?;
    // Front ends for one or two dimensions may leave the others out.
    if values.is_empty() || values.len() > 3 || values.contains(&0) {
        return None;
    }
    let mut sizes = [1; 3];
    for (size, value) in sizes.iter_mut().zip(values) {
        // Front ends write an unsigned number of 32 bits.
        *size = u64::try_from(value).unwrap_or((value as u32).into());
    }
    Some(sizes)
}

/// The local size that every work-group of this kernel has.
pub fn reqd_work_group_size(module: &Module, f: Function) -> Option<[u64; 3]> {
    three(module, f, REQD_WORK_GROUP_SIZE)
}

pub fn set_reqd_work_group_size(module: &Module, f: Function, size: [u64; 3]) {
    let kind = module.context().metadata_kind(REQD_WORK_GROUP_SIZE);
    f.set_metadata(kind, int_node(module, &size.map(|s| s as i64)));
}

pub fn work_group_size_hint(module: &Module, f: Function) -> Option<[u64; 3]> {
    three(module, f, WORK_GROUP_SIZE_HINT)
}

/// The type of the kernel's `vec_type_hint`, and whether its elements are signed.
pub fn vec_type_hint(module: &Module, f: Function) -> Option<(Type, bool)> {
    let operands = f.metadata(module.context().metadata_kind(VEC_TYPE_HINT))?.operands();
    let value = |i: usize| operands.get(i).copied().flatten()?.value();
    Some((value(0)?.ty(), value(1)?.as_const_int()? != 0))
}

fn one(module: &Module, f: Function, name: &str) -> Option<u32> {
    let values = ints(f.metadata(module.context().metadata_kind(name))?)?;
    values.first().and_then(|&v| u32::try_from(v).ok())
}

/// How many dimensions the kernel's work-items may have.
pub fn max_work_dim(module: &Module, f: Function) -> u32 {
    one(module, f, MAX_WORK_DIM).filter(|d| (1..=3).contains(d)).unwrap_or(3)
}

pub fn set_max_work_dim(module: &Module, f: Function, dims: u32) {
    f.set_metadata(module.context().metadata_kind(MAX_WORK_DIM), int_node(module, &[i64::from(dims)]));
}

pub fn reqd_sub_group_size(module: &Module, f: Function) -> Option<u32> {
    one(module, f, REQD_SUB_GROUP_SIZE)
}

/// The index of the parameter that holds each scheduling parameter of the target, in the order of
/// [`scheduling_params`]; `None` where the function has no such parameter.
pub fn scheduled_params(module: &Module, f: Function) -> Option<Vec<Option<u32>>> {
    let values = ints(f.metadata(module.context().metadata_kind(SCHEDULED_FN))?)?;
    Some(values.into_iter().map(|v| u32::try_from(v).ok()).collect())
}

pub fn set_scheduled_params(module: &Module, f: Function, params: &[Option<u32>]) {
    let values: Vec<_> = params.iter().map(|p| p.map_or(-1, i64::from)).collect();
    f.set_metadata(module.context().metadata_kind(SCHEDULED_FN), int_node(module, &values));
}

/// The names of the target's scheduling parameters.
pub fn scheduling_params(module: &Module) -> Vec<String> {
    let Some(&node) = module.named_metadata(SCHEDULING_PARAMS).first() else { return Vec::new() };
    node.operands().into_iter().filter_map(|op| op?.string()).collect()
}

/// Names the target's scheduling parameters, once per module.
pub fn set_scheduling_params(module: &Module, names: &[&str]) {
    if module.named_metadata(SCHEDULING_PARAMS).is_empty() {
        let strings: Vec<_> = names.iter().map(|n| module.context().metadata_string(n)).collect();
        module.add_named_metadata(SCHEDULING_PARAMS, module.context().metadata_node(&strings));
    }
}

/// The OpenCL C version the module was written for; 1.2 if it does not say.
pub fn opencl_version(module: &Module) -> (u32, u32) {
    let read = |node: Metadata| match ints(node)?.as_slice() {
        [major, minor] => Some((u32::try_from(*major).ok()?, u32::try_from(*minor).ok()?)),
        _ => None,
    };
    // Linked modules have one entry each: the newest version holds.
    module.named_metadata(OCL_VERSION).into_iter().filter_map(read).max().unwrap_or((1, 2))
}

/// A kernel as `!opencl.kernels` lists it.
pub struct ListedKernel {
    pub function: Function,
    pub reqd_work_group_size: Option<[u64; 3]>,
}

/// The kernels of `!opencl.kernels`; `None` if the module has no such list.
pub fn opencl_kernels(module: &Module) -> Option<Vec<ListedKernel>> {
    let list = module.named_metadata(OPENCL_KERNELS);
    if list.is_empty() {
        return None;
    }
    let mut kernels = Vec::new();
    for entry in list {
        let operands = entry.operands();
        // LLVM returns a node with a single constant as that constant.
        let function = operands.first().copied().flatten().and_then(Metadata::value).or(entry.value());
        let function = function.and_then(Value::as_function);
        let Some(function) = function else { continue };
        let size = operands.iter().skip(1).flatten().find_map(|op| {
            let fields = op.operands();
            (fields.first().copied().flatten()?.string()? == REQD_WORK_GROUP_SIZE).then_some(())?;
            let sizes: Vec<u64> =
                fields[1..].iter().map(|f| (*f)?.value()?.as_const_int()).collect::<Option<_>>()?;
            <[u64; 3]>::try_from(sizes).ok().filter(|s| s.iter().all(|&d| d > 0))
        });
        kernels.push(ListedKernel { function, reqd_work_group_size: size });
    }
    Some(kernels)
}

/// How a kernel was vectorized.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vectorization {
    pub width: Width,
    /// The dimension along which lanes are consecutive work-items, or [`Vectorization::LINEAR`].
    pub dimension: u32,
    /// Lanes beyond the end of the dimension are masked off: the kernel runs any number of
    /// work-items.
    pub predicated: bool,
}

impl Vectorization {
    /// Instead of a dimension: lanes are consecutive in the linear order of the work-group. In such
    /// a kernel the local ID along x is the linear local ID.
    pub const LINEAR: u32 = 3;

    /// One work-item at a time.
    pub const SCALAR: Vectorization = Vectorization { width: Width::ONE, dimension: 0, predicated: false };
}

fn vectorization_node(module: &Module, how: Vectorization, other: Option<Function>) -> Metadata {
    let context = module.context();
    let int = |v: u32| context.metadata_value(context.i32().const_int(v.into()));
    let mut operands = [how.width.lanes, how.dimension, how.predicated.into()].map(int).to_vec();
    operands.extend(other.map(|f| context.metadata_value(f.into())));
    // Only scalable widths have the flag.
    operands.extend(how.width.scalable.then(|| int(1)));
    context.metadata_node(&operands)
}

/// Links a kernel with its vector version, both ways.
pub fn link_vectorized(module: &Module, base: Function, derived: Function, how: Vectorization) {
    let kind = |name| module.context().metadata_kind(name);
    base.add_metadata(kind(VECZ_BASE), vectorization_node(module, how, Some(derived)));
    // These nodes were copied from the kernel, and are about it.
    derived.erase_metadata(kind(VECZ_BASE));
    derived.erase_metadata(kind(VECZ_FAIL));
    derived.set_metadata(kind(VECZ_DERIVED), vectorization_node(module, how, Some(base)));
}

/// Notes that a kernel could not be vectorized in this way, and why.
pub fn note_vectorization_failure(module: &Module, base: Function, how: Vectorization, why: &str) {
    let context = module.context();
    let operands = [vectorization_node(module, how, None), context.metadata_string(why)];
    base.add_metadata(context.metadata_kind(VECZ_FAIL), context.metadata_node(&operands));
}

/// Removes the links between versions of a kernel, which were copied with other metadata, from a
/// function that is none.
pub fn forget_vectorization(module: &Module, f: Function) {
    for name in [VECZ_BASE, VECZ_DERIVED] {
        f.erase_metadata(module.context().metadata_kind(name));
    }
}

/// Why a kernel was not vectorized, for each attempt.
pub fn vectorization_failures(module: &Module, base: Function) -> Vec<String> {
    let nodes = base.all_metadata(module.context().metadata_kind(VECZ_FAIL));
    nodes.into_iter().filter_map(|node| node.operands().last().copied().flatten()?.string()).collect()
}

/// How a vector kernel was made, whether or not the module still has its scalar kernel.
pub fn vectorization(module: &Module, derived: Function) -> Option<Vectorization> {
    read_vectorization(derived.metadata(module.context().metadata_kind(VECZ_DERIVED))?)
}

/// The scalar kernel that a vector one was made from; none if a target has dropped it.
pub fn scalar_kernel(module: &Module, derived: Function) -> Option<Function> {
    let node = derived.metadata(module.context().metadata_kind(VECZ_DERIVED))?;
    linked_vectorization(node).map(|(_, base)| base)
}

/// The vector versions of a kernel.
pub fn vectorized_to(module: &Module, base: Function) -> Vec<(Vectorization, Function)> {
    let nodes = base.all_metadata(module.context().metadata_kind(VECZ_BASE));
    nodes.into_iter().filter_map(linked_vectorization).collect()
}

fn linked_vectorization(node: Metadata) -> Option<(Vectorization, Function)> {
    Some((read_vectorization(node)?, node.operands().get(3).copied().flatten()?.value()?.as_function()?))
}

fn read_vectorization(node: Metadata) -> Option<Vectorization> {
    let operands = node.operands();
    let int = |i: usize| operands.get(i).copied().flatten()?.value()?.as_const_int();
    let scalable = operands.len() > 3 && int(operands.len() - 1) == Some(1);
    let width = Width { lanes: int(0)? as u32, scalable };
    Some(Vectorization { width, dimension: int(1)? as u32, predicated: int(2)? != 0 })
}

/// The loops of a function that runs a work-group: the main loop, and the tail if there may be one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrapperLoops {
    pub main: Vectorization,
    pub tail: Option<Vectorization>,
}

/// Adds the metadata of a wrapper's loops, and removes the vectorization links that were copied
/// from the kernels that it calls.
pub fn set_wrapper_loops(module: &Module, wrapper: Function, loops: WrapperLoops) {
    let kind = |name| module.context().metadata_kind(name);
    forget_vectorization(module, wrapper);
    let nodes = [Some(loops.main), loops.tail].map(|how| match how {
        Some(how) => vectorization_node(module, how, None),
        None => module.context().metadata_node(&[]),
    });
    wrapper.set_metadata(kind(WRAPPER), module.context().metadata_node(&nodes));
}

/// The loops of a wrapper, or of a wrapper around it.
pub fn wrapper_loops(module: &Module, wrapper: Function) -> Option<WrapperLoops> {
    let operands = wrapper.metadata(module.context().metadata_kind(WRAPPER))?.operands();
    let at = |i: usize| operands.get(i).copied().flatten().and_then(read_vectorization);
    Some(WrapperLoops { main: at(0)?, tail: at(1) })
}

/// A kernel argument in the packed arguments: the address space of a pointer, or -1 for a value,
/// its offset and size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackedArg {
    pub address_space: Option<u32>,
    pub offset: u64,
    pub size: u64,
}

/// Notes how the arguments of a wrapped kernel are packed, and the size of all of them.
pub fn set_packed_args(module: &Module, f: Function, args: &[PackedArg], size: u64) {
    let mut values = vec![size as i64];
    for arg in args {
        values.extend([arg.address_space.map_or(-1, i64::from), arg.offset as i64, arg.size as i64]);
    }
    f.set_metadata(module.context().metadata_kind(PACKED_ARGS), int_node(module, &values));
}

pub fn packed_args(module: &Module, f: Function) -> Option<(Vec<PackedArg>, u64)> {
    let values = ints(f.metadata(module.context().metadata_kind(PACKED_ARGS))?)?;
    let (size, rest) = values.split_first()?;
    let args = rest.chunks_exact(3).map(|arg| PackedArg {
        address_space: u32::try_from(arg[0]).ok(),
        offset: arg[1] as u64,
        size: arg[2] as u64,
    });
    Some((args.collect(), *size as u64))
}

/// Clang's metadata on a kernel's parameter (`-cl-kernel-arg-info`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ArgInfo {
    pub name: String,
    pub type_name: String,
    pub base_type_name: String,
    pub type_qualifiers: String,
    pub access: String,
    /// Of a struct or an array, or of what a pointer to one points to: `{size:offset name type,…}`,
    /// `type[count]`.
    pub layout: String,
    /// Of an image or a sampler, which are values of the target's own: `read_only image2d_t`, or
    /// [`SAMPLER_OBJECT`].
    pub object: String,
    pub address_space: u32,
}

/// The operation of a sub-group that all of its work-items must come to, where the builtin does
/// not say it.
const UNIFORM_GROUP: &str = "mux.uniform_group";

pub fn set_uniform_group(context: &Context, call: Value) {
    call.set_metadata(context.metadata_kind(UNIFORM_GROUP), context.metadata_node(&[]));
}

pub fn is_uniform_group(context: &Context, call: Value) -> bool {
    call.has_metadata(context.metadata_kind(UNIFORM_GROUP))
}

/// An atomic instruction whose scope is the work-group or less.
const NARROW_SCOPE: &str = "mux.narrow_scope";

pub fn set_narrow_scope(context: &Context, atomic: Value) {
    atomic.set_metadata(context.metadata_kind(NARROW_SCOPE), context.metadata_node(&[]));
}

pub fn has_narrow_scope(context: &Context, instruction: Value) -> bool {
    instruction.has_metadata(context.metadata_kind(NARROW_SCOPE))
}

/// The text of a source file, for reports of checked code.
const SOURCES: &str = "mux.sources";

/// Adds the text of a source file, by the name that locations of instructions have.
pub fn add_source(module: &Module, name: &str, text: &str) {
    let context = module.context();
    let node = context.metadata_node(&[context.metadata_string(name), context.metadata_string(text)]);
    module.add_named_metadata(SOURCES, node);
}

/// The names and texts of the source files that were added.
pub fn sources(module: &Module) -> Vec<(String, String)> {
    let source = |node: Metadata| {
        let mut operands = node.operands().into_iter();
        let mut text = || operands.next().flatten().and_then(Metadata::string);
        Some((text()?, text()?))
    };
    module.named_metadata(SOURCES).into_iter().filter_map(source).collect()
}

/// The places at which vectors of signed integers are added, subtracted and multiplied, as
/// "line:column": the front end notes them for code with lines (`llvm/shim/clang.cpp`).
pub fn signed_vectors(module: &Module) -> HashSet<String> {
    let text = |node: Metadata| node.operands().into_iter().next().flatten().and_then(Metadata::string);
    module.named_metadata("mux.signed_vectors").into_iter().filter_map(text).collect()
}

/// What [`ArgInfo::object`] is of a sampler.
pub const SAMPLER_OBJECT: &str = "sampler_t";

/// Notes which parameters of a kernel are images and samplers ([`ArgInfo::object`]), by their
/// places.
pub fn set_kernel_arg_objects(module: &Module, f: Function, objects: &[String]) {
    let context = module.context();
    let strings: Vec<_> = objects.iter().map(|text| context.metadata_string(text)).collect();
    f.set_metadata(context.metadata_kind(ARG_OBJECTS), context.metadata_node(&strings));
}

/// Clang's metadata on the `count` parameters of a kernel, which wrappers keep; missing entries are
/// empty.
pub fn kernel_args(module: &Module, f: Function, count: usize) -> Vec<ArgInfo> {
    let texts = |name: &str| -> Vec<String> {
        let node = f.metadata(module.context().metadata_kind(name));
        let operands = node.map(Metadata::operands).unwrap_or_default();
        operands.into_iter().map(|op| op.and_then(Metadata::string).unwrap_or_default()).collect()
    };
    let names = texts("kernel_arg_name");
    let types = texts("kernel_arg_type");
    let base_types = texts("kernel_arg_base_type");
    let qualifiers = texts("kernel_arg_type_qual");
    let access = texts("kernel_arg_access_qual");
    let layouts = texts("kernel_arg_layout");
    let objects = texts(ARG_OBJECTS);
    let spaces = f
        .metadata(module.context().metadata_kind("kernel_arg_addr_space"))
        .and_then(ints)
        .unwrap_or_default();
    let at = |list: &[String], i: usize| list.get(i).cloned().unwrap_or_default();
    (0..count)
        .map(|i| ArgInfo {
            name: at(&names, i),
            type_name: at(&types, i),
            base_type_name: at(&base_types, i),
            type_qualifiers: at(&qualifiers, i),
            access: at(&access, i),
            layout: at(&layouts, i),
            object: at(&objects, i),
            address_space: spaces.get(i).map_or(0, |&s| s as u32),
        })
        .collect()
}
