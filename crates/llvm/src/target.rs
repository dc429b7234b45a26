//! This machine's CPU, and code generation for a CPU.

use crate::Error;
use crate::ffi::{
    ffi, lw_choose_scheduler, lw_emit, lw_initialize_all_targets, lw_initialize_native_target,
    lw_machine_has, lw_names,
};
use crate::module::take_buffer;
use crate::text::{c, take};
use crate::{Module, guard};
use llvm_sys::target::*;
use llvm_sys::target_machine::*;
use std::sync::{LazyLock, Mutex, Once, PoisonError};

/// How hard the code generator tries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OptLevel {
    None,
    Default,
    Aggressive,
}

pub fn host_triple() -> String {
    take(ffi!(LLVMGetDefaultTargetTriple()))
}

// CPUID traps in virtual machines, which is slow: ask once.
static CPU: LazyLock<String> = LazyLock::new(|| cpu_with(take(ffi!(LLVMGetHostCPUName())), &FEATURES));
static FEATURES: LazyLock<String> = LazyLock::new(|| take(ffi!(LLVMGetHostCPUFeatures())));

pub fn host_cpu() -> &'static str {
    &CPU
}

/// The features of this CPU in LLVM's form, `+avx2,-avx512f,…`.
pub fn host_features() -> &'static str {
    &FEATURES
}

/// Features by which generations of Intel's CPUs are told, newest first, and the first CPU with
/// each.
const GENERATIONS: [(&str, &str); 5] = [
    ("amx-fp16", "graniterapids"),
    ("avx512fp16", "sapphirerapids"),
    ("avx512vbmi2", "icelake-server"),
    ("avx512bf16", "cooperlake"),
    ("avx512vnni", "cascadelake"),
];

/// The CPU to tune for on a machine with these features that LLVM calls `name`. LLVM goes by family
/// and model, which virtual machines may make up: where the CPU of that name lacks a feature, the
/// machine is of the generation that the feature came with.
fn cpu_with(name: String, features: &str) -> String {
    let has = |feature| features.split(',').any(|f| f.strip_prefix('+') == Some(feature));
    let newest = GENERATIONS.into_iter().find(|(feature, _)| has(feature));
    let Some((feature, cpu)) = newest.filter(|_| !name.starts_with("znver")) else { return name };
    match TargetMachine::new(&host_triple(), &name, "", OptLevel::Default) {
        Ok(named) if named.has(feature) => name,
        _ => cpu.to_owned(),
    }
}

/// What a target machine is made from.
#[derive(Clone, Debug, PartialEq, Eq)]
struct MachineKind {
    triple: String,
    cpu: String,
    features: String,
    opt: OptLevel,
}

/// Generates machine code for one CPU.
pub struct TargetMachine(LLVMTargetMachineRef, MachineKind);

// SAFETY: a target machine is not bound to a thread; `&self` methods are called by one thread at a
// time, as it is not `Sync`.
unsafe impl Send for TargetMachine {}

/// Machines that nothing uses, for the next ones of their kind: a machine describes its CPU to the
/// code generator when it first sees a function, which takes longer than a small kernel's passes.
static IDLE: Mutex<Vec<TargetMachine>> = Mutex::new(Vec::new());

/// The most idle machines that are kept: those of a compilation on each of some threads.
const MOST_IDLE: usize = 8;

impl Drop for TargetMachine {
    fn drop(&mut self) {
        if guard::has_crashed(self.0.cast()) {
            return;
        }
        let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
        match idle.len() < MOST_IDLE {
            true => idle.push(TargetMachine(self.0, self.1.clone())),
            false => ffi!(LLVMDisposeTargetMachine(self.0)),
        }
    }
}

/// Registers LLVM's target for a triple: the native one, or all that are linked if the machine is
/// another one.
pub(crate) fn initialize(triple: &str) {
    static NATIVE: Once = Once::new();
    NATIVE.call_once(|| {
        ffi!(lw_initialize_native_target());
        ffi!(lw_choose_scheduler());
    });
    let family = |triple: &str| triple.split('-').next().unwrap_or_default().to_owned();
    if family(triple) != family(&host_triple()) {
        static ALL: Once = Once::new();
        ALL.call_once(|| ffi!(lw_initialize_all_targets()));
    }
}

/// The names of a triple's CPUs; `None` if LLVM has no code generator for it.
pub fn cpus(triple: &str) -> Option<Vec<String>> {
    names(triple, false)
}

/// The names of the features that CPUs of a triple can have.
pub fn features(triple: &str) -> Option<Vec<String>> {
    names(triple, true)
}

fn names(triple: &str, features: bool) -> Option<Vec<String>> {
    initialize(triple);
    let text = ffi!(lw_names(c(triple).as_ptr(), features.into()));
    (!text.is_null()).then(|| take(text).lines().map(str::to_owned).collect())
}

impl TargetMachine {
    pub fn new(triple: &str, cpu: &str, features: &str, opt: OptLevel) -> Result<Self, Error> {
        let kind = MachineKind {
            triple: triple.to_owned(),
            cpu: cpu.to_owned(),
            features: features.to_owned(),
            opt,
        };
        {
            let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(index) = idle.iter().position(|machine| machine.1 == kind) {
                return Ok(idle.swap_remove(index));
            }
        }
        initialize(triple);
        let (triple, cpu, features) = (c(triple), c(cpu), c(features));
        let mut target = std::ptr::null_mut();
        let mut error = std::ptr::null_mut();
        if ffi!(LLVMGetTargetFromTriple(triple.as_ptr(), &mut target, &mut error)) != 0 {
            return Err(Error::new(take(error)));
        }
        let level = match opt {
            OptLevel::None => LLVMCodeGenOptLevel::LLVMCodeGenLevelNone,
            OptLevel::Default => LLVMCodeGenOptLevel::LLVMCodeGenLevelDefault,
            OptLevel::Aggressive => LLVMCodeGenOptLevel::LLVMCodeGenLevelAggressive,
        };
        let machine = ffi!(LLVMCreateTargetMachine(
            target,
            triple.as_ptr(),
            cpu.as_ptr(),
            features.as_ptr(),
            level,
            LLVMRelocMode::LLVMRelocPIC,
            LLVMCodeModel::LLVMCodeModelSmall
        ));
        match machine.is_null() {
            true => Err(Error::new("LLVM made no target machine")),
            false => Ok(Self(machine, kind)),
        }
    }

    pub(crate) fn raw(&self) -> LLVMTargetMachineRef {
        self.0
    }

    pub fn triple(&self) -> String {
        take(ffi!(LLVMGetTargetMachineTriple(self.0)))
    }

    pub fn cpu(&self) -> String {
        take(ffi!(LLVMGetTargetMachineCPU(self.0)))
    }

    pub fn features(&self) -> String {
        take(ffi!(LLVMGetTargetMachineFeatureString(self.0)))
    }

    /// Whether the machine has a feature, by LLVM's name: as one of its own or as one of its CPU's.
    pub fn has(&self, feature: &str) -> bool {
        ffi!(lw_machine_has(self.0, c(feature).as_ptr())) != 0
    }

    pub fn data_layout(&self) -> String {
        let data = ffi!(LLVMCreateTargetDataLayout(self.0));
        let text = take(ffi!(LLVMCopyStringRepOfTargetData(data)));
        ffi!(LLVMDisposeTargetData(data));
        text
    }

    fn emit(&self, module: &Module, kind: LLVMCodeGenFileType) -> Result<Vec<u8>, Error> {
        let (memory, error, crash) = on_large_stack(|| {
            let (mut error, mut crash) = (std::ptr::null_mut(), std::ptr::null_mut());
            let memory = ffi!(lw_emit(self.0, module.raw(), kind, &mut error, &mut crash));
            (memory, error, crash)
        });
        guard::check(module.context().raw(), self.0.cast(), crash)?;
        if memory.is_null() { Err(Error::new(take(error).trim_end())) } else { Ok(take_buffer(memory)) }
    }

    /// An ELF object.
    pub fn object(&self, module: &Module) -> Result<Vec<u8>, Error> {
        self.emit(module, LLVMCodeGenFileType::LLVMObjectFile)
    }

    /// Assembly text.
    pub fn assembly(&self, module: &Module) -> Result<Vec<u8>, Error> {
        self.emit(module, LLVMCodeGenFileType::LLVMAssemblyFile)
    }
}

/// Instruction selection recurses over chains of equal values, tens of thousands of them in large
/// blocks. Pages of the stack are allocated only when they are touched.
const STACK_SIZE: usize = 256 << 20;

/// Runs `f` in a thread of its own with a large stack; in this one if there can be no other.
fn on_large_stack<T>(f: impl FnOnce() -> T) -> T {
    struct Lent<T>(T);
    // SAFETY: this thread waits until the other one has ended, so that they use nothing at once.
    unsafe impl<T> Send for Lent<T> {}
    let mut work = Lent((Some(f), None));
    let lent = Lent(&mut work.0);
    let is_done = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("codegen".to_owned()).stack_size(STACK_SIZE);
        let run = move || {
            let Lent((f, result)) = { lent };
            *result = f.take().map(|f| f());
        };
        thread.spawn_scoped(scope, run).is_ok_and(|thread| thread.join().is_ok())
    });
    match work.0 {
        (_, Some(result)) if is_done => result,
        (Some(f), _) => f(),
        _ => panic!("the thread of the code generator panicked"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stack_of_the_code_generator_is_large() {
        fn deep(n: u32) -> u64 {
            let frame = std::hint::black_box([n; 64]);
            if n == 0 { 0 } else { deep(n - 1) + u64::from(frame[n as usize % 64] == n) }
        }
        // Some 60 MB; threads have 2 or 8.
        assert_eq!(on_large_stack(|| deep(200_000)), 200_000);
    }
    use crate::Context;

    /// Rounds of a hash over sixteen vectors: a chain of five, and the next of the sixteen from
    /// four of them, which could all be computed ahead.
    fn rounds() -> String {
        let ty = "<16 x i32>";
        let mut text = format!("declare {ty} @llvm.fshl.v16i32({ty}, {ty}, {ty})\n");
        text += "define void @f(ptr %p) {\n";
        let rotate = |to: &str, value: &str, by: u32| {
            let by = format!("{ty} splat (i32 {by})");
            format!("{to} = call {ty} @llvm.fshl.v16i32({ty} {value}, {ty} {value}, {by})\n")
        };
        for i in 0..21 {
            text += &format!("%a{i} = getelementptr i8, ptr %p, i64 {}\n", 64 * i);
            text += &format!("%w{i} = load {ty}, ptr %a{i}\n");
        }
        let mut chain: Vec<String> = (16..21).map(|i| format!("%w{i}")).collect();
        let mut words: Vec<String> = (0..16).map(|i| format!("%w{i}")).collect();
        for r in 0..80 {
            let word = words[r % 16].clone();
            let word = if r < 16 {
                word
            } else {
                let other = |n: usize| words[(r + n) % 16].clone();
                text += &format!("%x{r} = xor {ty} {}, {}\n", other(13), other(8));
                text += &format!("%y{r} = xor {ty} %x{r}, {}\n", other(2));
                text += &format!("%z{r} = xor {ty} %y{r}, {word}\n");
                text += &rotate(&format!("%n{r}"), &format!("%z{r}"), 1);
                words[r % 16] = format!("%n{r}");
                format!("%n{r}")
            };
            text += &format!("%f{r} = xor {ty} {}, {}\n", chain[1], chain[2]);
            text += &format!("%g{r} = xor {ty} %f{r}, {}\n", chain[3]);
            text += &format!("%s{r} = add {ty} {}, {word}\n", chain[4]);
            text += &format!("%t{r} = add {ty} %s{r}, %g{r}\n");
            text += &rotate(&format!("%u{r}"), &chain[0], 5);
            text += &format!("%e{r} = add {ty} %t{r}, %u{r}\n");
            text += &rotate(&format!("%b{r}"), &chain[1], 30);
            chain = vec![
                format!("%e{r}"),
                chain[0].clone(),
                format!("%b{r}"),
                chain[2].clone(),
                chain[3].clone(),
            ];
        }
        for (i, value) in chain.iter().enumerate() {
            text += &format!("store {ty} {value}, ptr %a{}\n", 16 + i);
        }
        text + "ret void\n}\n"
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn the_cpu_is_one_that_has_the_features() {
        let cpu = |name: &str, features| cpu_with(name.to_owned(), features);
        assert_eq!(cpu("rocketlake", "+avx2,+avx512vbmi2,-avx512fp16"), "rocketlake");
        assert_eq!(cpu("rocketlake", "+avx2,+avx512vbmi2,+avx512fp16"), "sapphirerapids");
        assert_eq!(cpu("emeraldrapids", "+avx512vbmi2,+avx512fp16"), "emeraldrapids");
        assert_eq!(cpu("skylake-avx512", "+avx512f,+avx512vnni"), "cascadelake");
        assert_eq!(cpu("znver5", "+avx512vbmi2,+avx512fp16"), "znver5");
        assert_eq!(cpu("haswell", "+avx2"), "haswell");
    }

    /// 21 values and few more are live at once in the order of the source, and there are 32
    /// registers.
    #[test]
    fn instructions_are_not_moved_until_values_do_not_fit_the_registers() {
        let context = Context::new();
        let module = Module::parse(&context, rounds().as_bytes(), "rounds").unwrap();
        let machine = TargetMachine::new("x86_64-pc-linux-gnu", "znver4", "", OptLevel::Aggressive).unwrap();
        module.set_triple(&machine.triple());
        module.set_data_layout(&machine.data_layout());
        let assembly = String::from_utf8(machine.assembly(&module).unwrap()).unwrap();
        assert!(assembly.contains("vprold"), "{assembly}");
        let spills = assembly.lines().filter(|line| line.contains("zmm") && line.contains("(%rsp)"));
        assert_eq!(spills.count(), 0, "{assembly}");
    }
}
