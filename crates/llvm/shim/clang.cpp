// Clang in process: one translation unit in memory in, one LLVM module and the text of the diagnostics out.

#include "guard.h"
#include "llvm-c/Core.h"
#include "clang/Basic/DiagnosticOptions.h"
#include "clang/CodeGen/CodeGenAction.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Frontend/TextDiagnosticBuffer.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace clang;

extern "C" {

struct lw_file {
  const char *Path;
  const char *Text;
  size_t Size;
};

struct lw_clang_result {
  LLVMModuleRef Module; // null if there were errors
  char *Log;            // strdup'ed; the diagnostics as clang prints them
  unsigned Errors;
  unsigned Warnings;
  bool Crashed; // the last line of the log says how
};

// Runs `clang -cc1 Args` on the first of Files. All of Files are readable under their paths, and hide files of the
// same path on disk.
lw_clang_result lw_clang_compile(LLVMContextRef Context, const char *const *Args, size_t NumArgs,
                                 const lw_file *Files, size_t NumFiles) {
  std::string Log;
  llvm::raw_string_ostream LogStream(Log);
  lw_clang_result Result = {nullptr, nullptr, 0, 0, false};

  auto Body = [&] {
    // The overlay gives the memory file system its working directory, so it comes before the files.
    auto Memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
    auto Overlay = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(llvm::vfs::getRealFileSystem());
    Overlay->pushOverlay(Memory);
    for (size_t I = 0; I < NumFiles; ++I)
      Memory->addFile(Files[I].Path, 0,
                      llvm::MemoryBuffer::getMemBuffer(llvm::StringRef(Files[I].Text, Files[I].Size), Files[I].Path,
                                                       /*RequiresNullTerminator=*/true));

    CompilerInstance Clang;
    Clang.setVerboseOutputStream(std::make_unique<llvm::raw_null_ostream>()); // "1 error generated."

    std::vector<const char *> Arguments(Args, Args + NumArgs);
    Arguments.push_back(Files[0].Path);
    // The arguments say how diagnostics are shown, so what is wrong with the arguments waits in a buffer.
    auto *Buffer = new TextDiagnosticBuffer;
    DiagnosticsEngine ArgumentDiagnostics(llvm::makeIntrusiveRefCnt<DiagnosticIDs>(),
                                          llvm::makeIntrusiveRefCnt<DiagnosticOptions>(), Buffer);
    bool Parsed =
        CompilerInvocation::CreateFromArgs(Clang.getInvocation(), Arguments, ArgumentDiagnostics, "lanewise");
    Clang.createDiagnostics(new TextDiagnosticPrinter(LogStream, &Clang.getDiagnosticOpts()), /*ShouldOwnClient=*/true);
    Buffer->FlushDiagnostics(Clang.getDiagnostics());
    if (Parsed) {
      Clang.createFileManager(Overlay);
      EmitLLVMOnlyAction Action(llvm::unwrap(Context));
      bool Ok = Clang.ExecuteAction(Action);
      if (Ok && Clang.getDiagnostics().getClient()->getNumErrors() == 0)
        if (auto Module = Action.takeModule())
          Result.Module = llvm::wrap(Module.release());
    }
    Result.Errors = Clang.getDiagnostics().getClient()->getNumErrors();
    Result.Warnings = Clang.getDiagnostics().getClient()->getNumWarnings();
    if (!Result.Module && Result.Errors == 0)
      Result.Errors = 1;
  };
  char *Crash = nullptr;
  if (!guarded(Body, &Crash)) {
    Result.Module = nullptr;
    Result.Errors += 1;
    Result.Crashed = true;
    LogStream << Files[0].Path << ": error: " << Crash << '\n';
    free(Crash);
  }
  Result.Log = strdup(Log.c_str());
  return Result;
}

} // extern "C"
