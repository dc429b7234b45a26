// The guard's signal handlers. They are the process's, which is not ours: they are installed only while somebody is in a guarded
// call or holds them (lw_guard_hold), and what was installed before is put back. A fault outside of guarded calls is the program's
// own, and goes to the handler that was there before.

#include "guard.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/PrettyStackTrace.h"
#include <algorithm>
#include <cerrno>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <mutex>
#include <new>
#include <string>
#include <unistd.h>
#ifdef __linux__
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#endif

namespace {

// A guarded call that is under way on this thread.
struct Region {
  sigjmp_buf Jump;
  // The signal that ended it; 0 for a fatal error, which has a message.
  volatile sig_atomic_t Signal;
  volatile sig_atomic_t StackOverflow;
  char Message[2048];
};

// The innermost one. A signal handler reads these variables: the initial-exec model needs no allocation.
#define IN_HANDLER __attribute__((tls_model("initial-exec")))
thread_local IN_HANDLER Region *Current = nullptr;
// The signal that this thread passes on to the program's handler now, and the frame that does so.
thread_local IN_HANDLER void *Forwarded = nullptr;
thread_local IN_HANDLER void *ForwardedBy = nullptr;

// __builtin_trap raises SIGILL on x86, and SIGTRAP elsewhere.
#if defined(__x86_64__)
const int Signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
#else
const int Signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP};
#endif
const size_t NumSignals = sizeof(Signals) / sizeof(*Signals);

std::mutex Lock;
unsigned Holders = 0;
bool HaveSaved = false;
// The program's own actions. They stay here after ours are gone: a handler of the program's that was installed meanwhile may call ours.
struct sigaction Saved[NumSignals];

// Sent by another process, or by kill(): that is meant for the program, whatever this thread is doing.
bool isSentToProgram(const siginfo_t *Info) {
  return Info->si_code <= 0 && !(Info->si_code == SI_TKILL && Info->si_pid == getpid());
}

// A fault close to the stack pointer is one of the guard page below the stack.
bool isStackOverflow(int Signal, const siginfo_t *Info, const void *Context) {
  if (Signal != SIGSEGV && Signal != SIGBUS)
    return false;
  auto Address = reinterpret_cast<uintptr_t>(Info->si_addr);
#if defined(__x86_64__)
  uintptr_t Stack = static_cast<const ucontext_t *>(Context)->uc_mcontext.gregs[REG_RSP];
#elif defined(__aarch64__)
  uintptr_t Stack = static_cast<const ucontext_t *>(Context)->uc_mcontext.sp;
#else
  uintptr_t Stack = 0;
#endif
  const uintptr_t Near = 1 << 20;
  return Stack != 0 && Address < Stack + Near && Address + Near > Stack;
}

void dieByDefault(int Signal, const siginfo_t *Info) {
  struct sigaction Default = {};
  Default.sa_handler = SIG_DFL;
  sigaction(Signal, &Default, nullptr);
  // A faulting instruction runs again when the handler returns. A signal that was sent does not come again by itself.
  if (Info->si_code <= 0)
    raise(Signal);
}

// Does what the program wants to be done with a signal.
void forward(int Signal, siginfo_t *Info, void *Context) {
  size_t I = 0;
  while (Signals[I] != Signal)
    ++I;
  struct sigaction Action = Saved[I];
  // The program's handler may itself have saved ours and call it. Then this call comes from a deeper frame, about the same signal. An
  // equal frame is a new signal, after the program's handler has left by longjmp.
  void *Frame = __builtin_frame_address(0);
  bool Again = Forwarded == Context && Frame < ForwardedBy;
  if (!(Action.sa_flags & SA_SIGINFO) && Action.sa_handler == SIG_IGN && Info->si_code <= 0)
    return;
  if (Again || (!(Action.sa_flags & SA_SIGINFO) && (Action.sa_handler == SIG_DFL || Action.sa_handler == SIG_IGN)))
    return dieByDefault(Signal, Info);
  if (Action.sa_flags & SA_RESETHAND) {
    Saved[I].sa_flags &= ~SA_SIGINFO;
    Saved[I].sa_handler = SIG_DFL;
  }
  Forwarded = Context;
  ForwardedBy = Frame;
  sigset_t Before;
  pthread_sigmask(SIG_BLOCK, &Action.sa_mask, &Before);
  if (Action.sa_flags & SA_NODEFER) {
    sigset_t This;
    sigemptyset(&This);
    sigaddset(&This, Signal);
    pthread_sigmask(SIG_UNBLOCK, &This, nullptr);
  }
  if (Action.sa_flags & SA_SIGINFO)
    Action.sa_sigaction(Signal, Info, Context);
  else
    Action.sa_handler(Signal);
  pthread_sigmask(SIG_SETMASK, &Before, nullptr);
  Forwarded = nullptr;
}

void handle(int Signal, siginfo_t *Info, void *Context) {
  int Errno = errno;
  Region *R = Current;
  if (R && !isSentToProgram(Info)) {
    R->Signal = Signal;
    R->StackOverflow = isStackOverflow(Signal, Info, Context);
    siglongjmp(R->Jump, 1);
  }
  forward(Signal, Info, Context);
  errno = Errno;
}

// LLVM calls this instead of printing the message. If it returns, LLVM aborts or exits.
void onFatalError(void *, const char *Reason, bool) {
  if (Region *R = Current) {
    R->Signal = 0;
    snprintf(R->Message, sizeof(R->Message), "%s", Reason);
    siglongjmp(R->Jump, 1);
  }
  fprintf(stderr, "LLVM ERROR: %s\n", Reason);
}

bool isOurs(const struct sigaction &Action) {
  return (Action.sa_flags & SA_SIGINFO) && Action.sa_sigaction == handle;
}

// The lowest part of a thread's stack, closed while the thread holds the guard. The guard page below it stops only small frames: a
// frame of LLVM's may be larger than the page, and then writes into what lies below, most often the stack of another thread.
class StackZone {
public:
  void close() {
    if (Holds++ != 0)
      return;
    if (!Known)
      find();
    // Open if the stack is used almost as far down already.
    auto Here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
    Closed = Size != 0 && Here > Start + Size + Spare && Here < End && protect(PROT_NONE);
  }

  void open() {
    if (--Holds == 0 && Closed)
      Closed = !protect(PROT_READ | PROT_WRITE);
  }

private:
#ifdef __linux__
  void find() {
    Known = true;
    // The system keeps 1 MiB free below the stack of the first thread.
    if (syscall(SYS_gettid) == getpid())
      return;
    pthread_attr_t Attributes;
    if (pthread_getattr_np(pthread_self(), &Attributes) != 0)
      return;
    void *Stack = nullptr;
    size_t Bytes = 0, GuardBytes = 0;
    pthread_attr_getstack(&Attributes, &Stack, &Bytes);
    pthread_attr_getguardsize(&Attributes, &GuardBytes);
    pthread_attr_destroy(&Attributes);
    uintptr_t Page = sysconf(_SC_PAGESIZE);
    // Whether the guard page is a part of the stack depends on the C library.
    Start = (reinterpret_cast<uintptr_t>(Stack) + GuardBytes + Page - 1) / Page * Page;
    End = reinterpret_cast<uintptr_t>(Stack) + Bytes;
    Size = std::min<size_t>(Most, Bytes / 8) / Page * Page;
  }

  bool protect(int Access) { return mprotect(reinterpret_cast<void *>(Start), Size, Access) == 0; }
#else
  static const int PROT_NONE = 0, PROT_READ = 1, PROT_WRITE = 2;
  void find() { Known = true; }
  bool protect(int) { return false; }
#endif

  static const size_t Most = 128 << 10, Spare = 16 << 10;
  unsigned Holds = 0;
  bool Known = false, Closed = false;
  uintptr_t Start = 0, End = 0;
  size_t Size = 0;
};
thread_local StackZone Zone;

void hold() {
  Zone.close();
  std::lock_guard<std::mutex> Guard(Lock);
  if (Holders++ != 0)
    return;
  struct sigaction Ours = {};
  Ours.sa_sigaction = handle;
  Ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&Ours.sa_mask);
  // A fault on another thread may ask for what is saved as soon as our handler is there. Later on, what was saved before is most
  // likely still right.
  for (size_t I = 0; I < NumSignals && !HaveSaved; ++I)
    sigaction(Signals[I], nullptr, &Saved[I]);
  HaveSaved = true;
  for (size_t I = 0; I < NumSignals; ++I) {
    struct sigaction Before;
    if (sigaction(Signals[I], &Ours, &Before) == 0 && !isOurs(Before))
      Saved[I] = Before;
  }
  // LLVM has one of each for the process and does not tell whose it is: that of another user of this LLVM is lost.
  llvm::install_fatal_error_handler(onFatalError);
  llvm::install_bad_alloc_error_handler(onFatalError);
}

void release() {
  Zone.open();
  std::lock_guard<std::mutex> Guard(Lock);
  if (--Holders != 0)
    return;
  llvm::remove_fatal_error_handler();
  llvm::remove_bad_alloc_error_handler();
  for (size_t I = 0; I < NumSignals; ++I) {
    // A handler that the program installed meanwhile stays.
    struct sigaction Before;
    if (sigaction(Signals[I], &Saved[I], &Before) == 0 && !isOurs(Before))
      sigaction(Signals[I], &Before, nullptr);
  }
}

const char *nameOf(int Signal) {
  switch (Signal) {
  case SIGSEGV:
    return "SIGSEGV";
  case SIGBUS:
    return "SIGBUS";
  case SIGILL:
    return "SIGILL";
  case SIGFPE:
    return "SIGFPE";
  case SIGABRT:
    return "SIGABRT";
  default:
    return "SIGTRAP";
  }
}

// A function of its own: no variable of the caller's lives in a register across the second return of sigsetjmp.
__attribute__((noinline)) bool run(llvm::function_ref<void()> Body, Region &R) {
  if (sigsetjmp(R.Jump, /*savemask=*/1) != 0)
    return false;
  Current = &R;
  try {
    Body();
  } catch (const std::exception &E) {
    // LLVM is built without exceptions, but operator new throws std::bad_alloc and std::vector std::length_error.
    R.Signal = 0;
    snprintf(R.Message, sizeof(R.Message), "out of memory (%s)", E.what());
    return false;
  }
  return true;
}

bool runInRegion(llvm::function_ref<void()> Body, char **Why) {
  Region R;
  R.Signal = 0;
  R.StackOverflow = 0;
  R.Message[0] = 0;
  Region *Outer = Current;
  const void *Trace = llvm::SavePrettyStackState();
  bool Done = run(Body, R);
  Current = Outer;
  if (Done)
    return true;
  llvm::RestorePrettyStackState(Trace);
  std::string Text;
  if (R.StackOverflow)
    Text = "LLVM ran out of stack: the code nests too deeply";
  else if (R.Signal != 0)
    Text = std::string("LLVM crashed (") + nameOf(R.Signal) + ")";
  else
    Text = std::string("LLVM gave up: ") + R.Message;
  *Why = strdup(Text.c_str());
  return false;
}

// The outermost region of a thread. The handler's stack is a part of the thread's own, above everything that Body calls: it is there
// when the rest is used up.
__attribute__((noinline)) bool runOnThread(llvm::function_ref<void()> Body, char **Why) {
  alignas(64) char HandlerStack[32 << 10];
  stack_t Ours = {}, Before;
  Ours.ss_sp = HandlerStack;
  Ours.ss_size = sizeof(HandlerStack);
  hold();
  // It fails on a thread that runs on its handler stack now, which then stays.
  bool Replaced = sigaltstack(&Ours, &Before) == 0;
  bool Done = runInRegion(Body, Why);
  if (Replaced)
    sigaltstack(&Before, nullptr);
  release();
  return Done;
}

} // namespace

bool guarded(llvm::function_ref<void()> Body, char **Why) {
  return Current ? runInRegion(Body, Why) : runOnThread(Body, Why);
}

extern "C" {

// Keeps the handlers installed over several guarded calls, which then cost less.
void lw_guard_hold() { hold(); }
void lw_guard_release() { release(); }

static volatile char *volatile Null = nullptr;

__attribute__((noinline)) static int descend(volatile int *Outer) {
  volatile int Frame[64];
  Frame[0] = *Outer + 1;
  return descend(Frame) + Frame[0];
}

// Steps over a guard page: of each frame only the lowest bytes are written.
__attribute__((noinline)) static int leap(volatile int *Outer) {
  volatile int Frame[12 << 10];
  Frame[0] = *Outer + 1;
  return leap(Frame) + Frame[0];
}

// Crashes in a guarded call, in one of several ways: for tests of the guard.
bool lw_guard_crash(int Kind, char **Why) {
  return guarded(
      [&] {
        volatile int Zero = 0;
        switch (Kind) {
        case 1:
          llvm::report_fatal_error("a fatal error for a test");
        case 2:
          *Null = 1;
          break;
        case 3:
          abort();
        case 4:
          descend(&Zero);
          break;
        case 5:
          throw std::bad_alloc();
        case 6:
          // Nested: the inner call comes back, and the outer one goes on.
          if (char *Inner = nullptr; !lw_guard_crash(2, &Inner))
            free(Inner);
          llvm::report_fatal_error("after a crash inside", /*gen_crash_diag=*/false);
        case 7:
          leap(&Zero);
          break;
        default:
          break;
        }
      },
      Why);
}

} // extern "C"
