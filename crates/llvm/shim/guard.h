// A guard around calls of LLVM and clang, which end the process when they meet input they did not expect.

#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"

// Runs Body and returns true. If LLVM reports a fatal error, crashes, runs out of stack or of memory in Body, control comes back
// here: the result is false and *Why the reason, allocated with strdup.
//
// The way back is siglongjmp, as in llvm::CrashRecoveryContext: frames of Body are abandoned, and their destructors do not run.
// So Body calls LLVM and clang only. No frame of Rust's may lie between a guarded call and the fault, and none does, since LLVM calls
// nothing of ours back. What LLVM was working on (the context with its modules, the target machine) is left in any state; the caller
// leaks it. A lock that LLVM or malloc held when it crashed stays locked: a later call that needs the lock hangs. LLVM takes few
// locks, and holds them briefly (the pass registry, ManagedStatic); malloc crashes only on a heap that is corrupt already, or where the
// stack ends just there.
//
// While a thread is in Body, the lowest 128 KiB of its stack, or an eighth of a small one, are closed: frames larger than the one guard
// page of a thread would step over it and overwrite what lies below.
bool guarded(llvm::function_ref<void()> Body, char **Why);
