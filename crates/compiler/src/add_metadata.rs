//! AddMetadata: writes the facts about the kernels that the driver needs into the ELF's notes.
//!
//! ```text
//! define void @k.host-entry-hook(…) !mux_packed_args !0 #0
//! ───►
//! @lanewise.notes = internal constant [… x i8] c"…", section ".note.lanewise"
//! ```
//!
//! The facts come from the attributes and metadata that earlier passes left on the entry points.
//! Needs AddKernelWrapper; changes no code.

use crate::notes::{self, NotedKernel, Notes};
use crate::{ArgFact, ArgKind, ImageArg, KernelArg, KernelFacts, KernelInfo, Machine, program_info};
use analysis::Preserved;
use ir::{attributes, metadata};
use llvm::{Function, Linkage, Module};
use passes::{Pass, PassContext, PassError, Registry, entry_points};

/// Returns the bytes that a backend notes about a kernel beyond [`KernelFacts`], for its device
/// (`KernelFacts::extra`). The handler sees the kernel's final form.
pub type MetadataHandler = fn(&Module, Function) -> Vec<u8>;

#[derive(Clone, Copy, Debug, Default)]
pub struct AddMetadata {
    pub handler: Option<MetadataHandler>,
}

/// Registers the pass with a backend's own handler.
pub fn register_add_metadata(registry: &mut Registry, handler: Option<MetadataHandler>) {
    let summary = "write the facts of the kernels into the ELF's notes";
    registry.add(summary, AddMetadata { handler });
}

impl Pass for AddMetadata {
    fn name(&self) -> &'static str {
        "add-metadata"
    }

    fn run(&self, cx: &mut PassContext<'_>) -> Result<Preserved, PassError> {
        let module = cx.module;
        let kernels = entry_points(module)
            .into_iter()
            .map(|f| {
                let mut facts = facts(module, f)?;
                facts.extra = self.handler.map_or(Vec::new(), |handler| handler(module, f));
                let info = info(module, f, &facts);
                Ok(NotedKernel { symbol: f.name(), facts, info })
            })
            .collect::<Result<Vec<_>, PassError>>()?;
        let machine = cx
            .machine
            .ok_or_else(|| PassError::new("add-metadata needs a target machine, which the notes name"))?;
        let machine = Machine { triple: machine.triple(), cpu: machine.cpu(), features: machine.features() };
        let bytes = Notes::new(machine, kernels).to_bytes();
        let constant = module.context().const_bytes(&bytes);
        let global = module.add_global("lanewise.notes", constant.ty());
        global.set_initializer(constant);
        global.set_constant(true);
        global.set_linkage(Linkage::LLVMPrivateLinkage);
        global.set_section(notes::SECTION);
        global.set_alignment(4);
        module.keep(global);
        Ok(Preserved::control_flow())
    }
}

fn facts(module: &Module, f: Function) -> Result<KernelFacts, PassError> {
    let Some((args, size)) = metadata::packed_args(module, f) else {
        let message = "the kernel does not take packed arguments; run add-kernel-wrapper first";
        return Err(PassError::in_function(f, message));
    };
    let texts = metadata::kernel_args(module, f, args.len());
    let args = args
        .into_iter()
        .zip(texts)
        .map(|(arg, text)| ArgFact {
            kind: ArgKind::of(arg.address_space, &text.object),
            offset: arg.offset as usize,
            size: arg.size as usize,
        })
        .collect();
    let agnostic = attributes::is_group_agnostic(f);
    let live = attributes::live_mem_usage(f);
    let local_size = metadata::reqd_work_group_size(module, f).filter(|_| !agnostic);
    Ok(KernelFacts {
        name: attributes::orig_fn_name(f),
        args,
        args_size: size as usize,
        scratch_fixed: (attributes::local_mem_usage(f) + live.per_group) as usize,
        scratch_per_item: live.per_item as usize,
        sees_groups: !agnostic,
        local_size: local_size.map(|s| s.map(|d| d as usize)),
        max_work_dim: metadata::max_work_dim(module, f),
        zero_offset: attributes::has_zero_offset(f),
        small_range: attributes::is_for_small_range(f),
        work_width: attributes::work_width(f).lanes as usize,
        group_shape: attributes::group_shape(f),
        uses_sub_groups: !attributes::has_no_subgroups(f),
        degenerate_sub_groups: attributes::has_degenerate_subgroups(f),
        steering_args: attributes::steering_args(f).into_iter().map(|i| i as usize).collect(),
        undecided: attributes::is_undecided(f),
        work: attributes::work(f),
        checks: attributes::checks(f),
        extra: Vec::new(),
    })
}

/// The kernel as the source declares it, for users who have only the binary.
fn info(module: &Module, f: Function, facts: &KernelFacts) -> KernelInfo {
    let texts = metadata::kernel_args(module, f, facts.args.len());
    let args = texts.into_iter().zip(&facts.args).map(|(text, fact)| KernelArg {
        name: text.name,
        type_name: text.type_name,
        base_type_name: text.base_type_name,
        type_qualifiers: text.type_qualifiers,
        kind: fact.kind,
        size: fact.size,
        layout: text.layout,
        image: ImageArg::parse(&text.object),
    });
    let sizes = |size: Option<[u64; 3]>| size.map(|s| s.map(|d| d as usize));
    KernelInfo {
        name: facts.name.clone(),
        args: args.collect(),
        reqd_work_group_size: sizes(metadata::reqd_work_group_size(module, f)),
        work_group_size_hint: sizes(metadata::work_group_size_hint(module, f)),
        vec_type_hint: program_info::vec_type_hint(module, f),
        reqd_sub_group_size: metadata::reqd_sub_group_size(module, f).map(|n| n as usize),
        local_memory_size: attributes::local_mem_usage(f) as usize,
        private_memory_size: facts.scratch_per_item,
    }
}
