//! Fatal errors and crashes of LLVM come back as errors, and the program's own signal handlers stay
//! what they are.

use lanewise_llvm::*;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Those tests that look at the process's signal handlers have the process to themselves.
static ALONE: Mutex<()> = Mutex::new(());

fn alone() -> std::sync::MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(|e| e.into_inner())
}

fn crash(kind: TestCrash) -> String {
    crash_for_test(kind).expect_err("it crashes").into()
}

#[test]
fn every_way_to_crash_is_an_error() {
    let _alone = alone();
    for _ in 0..3 {
        assert_eq!(crash_for_test(TestCrash::None), Ok(()));
        assert_eq!(crash(TestCrash::FatalError), "LLVM gave up: a fatal error for a test");
        assert_eq!(crash(TestCrash::Segfault), "LLVM crashed (SIGSEGV)");
        assert_eq!(crash(TestCrash::Abort), "LLVM crashed (SIGABRT)");
        assert_eq!(crash(TestCrash::StackOverflow), "LLVM ran out of stack: the code nests too deeply");
        let no_memory = crash(TestCrash::OutOfMemory);
        assert_eq!(no_memory, "LLVM gave up: out of memory (std::bad_alloc)");
        assert!(no_memory.starts_with(OUT_OF_MEMORY));
        assert_eq!(crash(TestCrash::Nested), "LLVM gave up: after a crash inside");
    }
}

#[test]
fn threads_crash_at_once() {
    let _alone = alone();
    std::thread::scope(|scope| {
        for kind in [TestCrash::StackOverflow, TestCrash::Segfault, TestCrash::FatalError, TestCrash::Abort] {
            let expected = crash(kind);
            scope.spawn(move || {
                for _ in 0..200 {
                    assert_eq!(crash(kind), expected);
                    assert_eq!(crash_for_test(TestCrash::None), Ok(()));
                }
            });
        }
    });
}

#[test]
fn a_stack_that_the_program_made_small_may_overflow() {
    let _alone = alone();
    let small = std::thread::Builder::new().stack_size(128 << 10);
    let thread = small.spawn(|| crash(TestCrash::StackOverflow)).unwrap();
    assert_eq!(thread.join().unwrap(), "LLVM ran out of stack: the code nests too deeply");
}

/// Writes to all of a large frame.
#[inline(never)]
fn use_much_stack() -> usize {
    std::hint::black_box([1u8; 900 << 10]).iter().map(|byte| *byte as usize).sum()
}

/// Frames larger than a page step over the guard page of a stack, into what lies below it: as a
/// rule, the stack of another thread.
#[test]
fn a_stack_that_overflows_writes_nothing_below_it() {
    extern "C" fn overflow(_: *mut libc::c_void) -> *mut libc::c_void {
        let expected = "LLVM ran out of stack: the code nests too deeply";
        let first = crash(TestCrash::LargeFrames) == expected;
        // Afterwards the whole stack can be used again.
        let whole = use_much_stack() == 900 << 10;
        let again = recover(|| crash(TestCrash::LargeFrames) == expected) == Ok(true);
        std::ptr::without_provenance_mut(usize::from(first && again && whole))
    }
    let _alone = alone();
    let (page, size) = (4096, 1 << 20);
    // SAFETY: memory of ours: what may be overwritten, a guard page, and the stack of a thread that
    // has ended before the memory is given back.
    unsafe {
        let (access, private) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        let memory = libc::mmap(std::ptr::null_mut(), 2 * size, access, private, -1, 0);
        assert_ne!(memory, libc::MAP_FAILED);
        assert_eq!(libc::mprotect(memory.add(size - page), page, libc::PROT_NONE), 0);
        let mut attributes: libc::pthread_attr_t = std::mem::zeroed();
        libc::pthread_attr_init(&mut attributes);
        assert_eq!(libc::pthread_attr_setstack(&mut attributes, memory.add(size), size), 0);
        let (mut thread, mut fine): (libc::pthread_t, _) = (0, std::ptr::null_mut());
        assert_eq!(libc::pthread_create(&mut thread, &attributes, overflow, std::ptr::null_mut()), 0);
        assert_eq!(libc::pthread_join(thread, &mut fine), 0);
        libc::pthread_attr_destroy(&mut attributes);
        assert_eq!(fine.addr(), 1);
        let below = std::slice::from_raw_parts(memory.cast::<u8>(), size - page);
        assert!(below.iter().all(|byte| *byte == 0), "what lies below the stack was written to");
        libc::munmap(memory, 2 * size);
    }
}

// ---- The program's signals
// ---------------------------------------------------------------------------------------

static FAULTS: AtomicUsize = AtomicUsize::new(0);

fn action_of(signal: i32) -> libc::sigaction {
    // SAFETY: an all-zero action is one, and only asking writes it.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        assert_eq!(libc::sigaction(signal, std::ptr::null(), &mut action), 0);
        action
    }
}

fn handler_stack() -> libc::stack_t {
    // SAFETY: as above.
    unsafe {
        let mut stack: libc::stack_t = std::mem::zeroed();
        assert_eq!(libc::sigaltstack(std::ptr::null(), &mut stack), 0);
        stack
    }
}

/// Makes the page of the fault accessible, so that the instruction succeeds when it runs again.
extern "C" fn allow(_: i32, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    FAULTS.fetch_add(1, Ordering::SeqCst);
    // SAFETY: the fault is that of `fault_once`, which has a page at this address.
    let ok = unsafe { libc::mprotect((*info).si_addr(), 1, libc::PROT_READ | libc::PROT_WRITE) };
    if ok != 0 {
        std::process::abort();
    }
}

/// A fault of the program's own, which its handler puts right.
fn fault_once() {
    let before = FAULTS.load(Ordering::SeqCst);
    // SAFETY: a page of ours, which the handler makes writable.
    unsafe {
        let (none, private) = (libc::PROT_NONE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        let page = libc::mmap(std::ptr::null_mut(), 4096, none, private, -1, 0);
        assert_ne!(page, libc::MAP_FAILED);
        page.cast::<u8>().write_volatile(7);
        assert_eq!(page.cast::<u8>().read_volatile(), 7);
        libc::munmap(page, 4096);
    }
    assert_eq!(FAULTS.load(Ordering::SeqCst), before + 1);
}

fn with_handler(test: impl FnOnce()) {
    // SAFETY: `allow` does only what a handler may.
    unsafe {
        let mut ours: libc::sigaction = std::mem::zeroed();
        let mut before: libc::sigaction = std::mem::zeroed();
        ours.sa_sigaction = allow as *const () as usize;
        ours.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART;
        libc::sigaddset(&mut ours.sa_mask, libc::SIGUSR2);
        assert_eq!(libc::sigaction(libc::SIGSEGV, &ours, &mut before), 0);
        test();
        let after = action_of(libc::SIGSEGV);
        // The C library adds a flag of its own.
        assert_eq!((after.sa_sigaction, after.sa_flags & ours.sa_flags), (ours.sa_sigaction, ours.sa_flags));
        assert_eq!(after.sa_flags & libc::SA_ONSTACK, 0);
        assert_eq!(libc::sigismember(&after.sa_mask, libc::SIGUSR2), 1);
        assert_eq!(libc::sigaction(libc::SIGSEGV, &before, std::ptr::null_mut()), 0);
    }
}

#[test]
fn the_program_keeps_its_handlers_and_its_faults() {
    let _alone = alone();
    let others = [libc::SIGBUS, libc::SIGILL, libc::SIGFPE, libc::SIGABRT, libc::SIGTRAP];
    let before = others.map(|signal| action_of(signal).sa_sigaction);
    let stack = handler_stack();
    with_handler(|| {
        fault_once();
        crash(TestCrash::Segfault);
        fault_once();
        // A fault of the program's while the guard's handlers are installed.
        let inside = recover(|| {
            assert_ne!(action_of(libc::SIGSEGV).sa_sigaction, allow as *const () as usize);
            fault_once();
            crash(TestCrash::StackOverflow);
            fault_once();
        });
        assert_eq!(inside, Ok(()));
        fault_once();
        // And on another thread, while this one is in a guarded call.
        std::thread::scope(|scope| {
            let faults = scope.spawn(|| (0..200).for_each(|_| fault_once()));
            while !faults.is_finished() {
                crash(TestCrash::Segfault);
            }
        });
    });
    assert_eq!(others.map(|signal| action_of(signal).sa_sigaction), before);
    let after = handler_stack();
    assert_eq!((after.ss_sp, after.ss_size, after.ss_flags), (stack.ss_sp, stack.ss_size, stack.ss_flags));
}

#[test]
fn a_handler_that_is_installed_meanwhile_stays() {
    let _alone = alone();
    // SAFETY: the action is put back.
    unsafe {
        let before = action_of(libc::SIGFPE);
        let mut ignore: libc::sigaction = std::mem::zeroed();
        ignore.sa_sigaction = libc::SIG_IGN;
        recover(|| libc::sigaction(libc::SIGFPE, &ignore, std::ptr::null_mut())).unwrap();
        assert_eq!(action_of(libc::SIGFPE).sa_sigaction, libc::SIG_IGN);
        libc::sigaction(libc::SIGFPE, &before, std::ptr::null_mut());
    }
}

#[test]
fn the_signal_mask_is_as_before() {
    let _alone = alone();
    let blocked = || {
        // SAFETY: only asking.
        unsafe {
            let mut set: libc::sigset_t = std::mem::zeroed();
            libc::pthread_sigmask(libc::SIG_BLOCK, std::ptr::null(), &mut set);
            [libc::SIGSEGV, libc::SIGABRT, libc::SIGILL].map(|signal| libc::sigismember(&set, signal))
        }
    };
    let before = blocked();
    crash(TestCrash::Segfault);
    crash(TestCrash::Abort);
    assert_eq!(blocked(), before);
}

// ---- LLVM
// -------------------------------------------------------------------------------------------------

fn host_machine() -> TargetMachine {
    TargetMachine::new(&host_triple(), host_cpu(), host_features(), OptLevel::Default).unwrap()
}

#[test]
fn an_intrinsic_that_cannot_be_selected_is_an_error() {
    let _alone = alone();
    let text = "declare i32 @llvm.amdgcn.workitem.id.x()\n\
        define i32 @f() {\n  %x = call i32 @llvm.amdgcn.workitem.id.x()\n  ret i32 %x\n}";
    for _ in 0..2 {
        let context = Context::new();
        let module = Module::parse(&context, text.as_bytes(), "m").unwrap();
        let machine = host_machine();
        module.set_triple(&host_triple());
        module.set_data_layout(&machine.data_layout());
        let error = machine.object(&module).unwrap_err();
        assert!(error.to_string().contains("Cannot select: intrinsic %llvm.amdgcn.workitem.id.x"), "{error}");
        assert!(context.has_crashed());
    }
    assert!(!Context::new().has_crashed());
}

#[test]
fn a_crash_unwinds_where_there_is_no_result() {
    let _alone = alone();
    let text = "define void @f(ptr %p) {\n  %v = load <vscale x 4 x i32>, ptr %p\n\
        \x20 %w = insertelement <vscale x 4 x i32> %v, i32 1, i32 0\n\
        \x20 store <vscale x 4 x i32> %w, ptr %p\n  ret void\n}";
    let context = Context::new();
    let module = Module::parse(&context, text.as_bytes(), "m").unwrap();
    let machine = host_machine();
    let error = recover(|| module.function("f").unwrap().costs(&machine, 4.into())).unwrap_err();
    assert_eq!(error.message(), "LLVM gave up: Invalid size request on a scalable vector.");
    assert!(context.has_crashed());
}

#[test]
fn a_panic_in_a_step_is_an_error() {
    let _alone = alone();
    let error = recover(|| -> () { std::panic::resume_unwind(Box::new("a mistake")) }).unwrap_err();
    assert_eq!(error.message(), "internal error: a mistake");
}

#[test]
fn nesting_that_uses_up_the_stack_is_an_error() {
    let _alone = alone();
    let depth = 200_000;
    let text = format!("@x = global {}i32{} undef", "[1 x ".repeat(depth), "]".repeat(depth));
    let error = Module::parse(&Context::new(), text.as_bytes(), "deep.ll").unwrap_err();
    assert_eq!(error.message(), "deep.ll: LLVM ran out of stack: the code nests too deeply");
    let args =
        ["-triple", "spir64-unknown-unknown", "-x", "cl", "-cl-std=CL3.0", "-O2", "-disable-llvm-passes"];
    let args: Vec<String> = args.map(String::from).to_vec();
    let text = format!("kernel void k(global int *a) {{ *a = {}*a; }}", "~".repeat(300_000));
    let context = Context::new();
    let output = clang_compile(&context, &args, &[SourceFile { path: "k.cl", text: text.as_bytes() }]);
    assert!(output.module.is_none() && output.errors == 1);
    assert!(output.log.contains("k.cl: error: LLVM ran out of stack"), "{}", output.log);
    assert!(context.has_crashed());
}
