// Clang in process: one translation unit in memory in, one LLVM module and the text of the diagnostics out.

#include "guard.h"
#include "llvm/Passes/PassPlugin.h"
#include "llvm-c/Core.h"
#include "clang/AST/ASTConsumer.h"
#include "clang/AST/Decl.h"
#include "clang/AST/RecordLayout.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/DiagnosticOptions.h"
#include "clang/CodeGen/CodeGenAction.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Frontend/MultiplexConsumer.h"
#include "clang/Frontend/TextDiagnosticBuffer.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "clang/Lex/MacroInfo.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <fcntl.h>
#include <map>
#include <set>
#include <sys/stat.h>
#include <unistd.h>

using namespace clang;

extern "C" {

struct lw_file {
  const char *Path;
  const char *Text;
  size_t Size;
};

// What clang found on disk under a path.
enum lw_found : unsigned { LW_ABSENT, LW_DIRECTORY, LW_REGULAR, LW_READ };

// A path that clang asked the disk for. Path and Text are malloc'ed; Text is null unless the file was read.
struct lw_lookup {
  char *Path;
  char *Text;
  size_t Size;
  lw_found Found;
};

struct lw_clang_result {
  LLVMModuleRef Module; // null if there were errors
  char *Log;            // strdup'ed; the diagnostics as clang prints them
  unsigned Errors;
  unsigned Warnings;
  bool Crashed; // the last line of the log says how
  lw_lookup *Lookups; // malloc'ed, in the order of their paths
  size_t NumLookups;
  bool Volatile; // the text depends on more than the files: the time of the compilation
};

} // extern "C"

namespace {

struct Lookup {
  lw_found Found = LW_ABSENT;
  std::string Text;
};

using Lookups = std::map<std::string, Lookup>;

// The text of a regular file. Nothing else is read, and no open waits for a writer of a FIFO.
llvm::ErrorOr<std::string> readRegular(const std::string &Path) {
  int File = open(Path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (File < 0)
    return std::error_code(errno, std::generic_category());
  struct stat Status;
  std::error_code Error;
  std::string Text;
  if (fstat(File, &Status) != 0)
    Error = std::error_code(errno, std::generic_category());
  else if (!S_ISREG(Status.st_mode))
    Error = std::make_error_code(std::errc::no_such_file_or_directory);
  while (!Error) {
    char Block[1 << 16];
    ssize_t Size = read(File, Block, sizeof(Block));
    if (Size == 0)
      break;
    if (Size > 0)
      Text.append(Block, size_t(Size));
    else if (errno != EINTR)
      Error = std::error_code(errno, std::generic_category());
  }
  close(File);
  if (Error)
    return Error;
  return Text;
}

// A file that was read as a whole.
class ReadFile : public llvm::vfs::File {
  llvm::vfs::Status Status;
  const std::string &Text;

public:
  ReadFile(llvm::vfs::Status Status, const std::string &Text) : Status(std::move(Status)), Text(Text) {}

  llvm::ErrorOr<llvm::vfs::Status> status() override { return Status; }

  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> getBuffer(const llvm::Twine &Name, int64_t, bool, bool) override {
    return llvm::MemoryBuffer::getMemBufferCopy(Text, Name);
  }

  std::error_code close() override { return {}; }
};

// The disk, of which only directories and regular files are seen. Notes each path that is asked for and what it held: the
// compilation gives the same again as long as these are the same.
class RecordingFileSystem : public llvm::vfs::ProxyFileSystem {
  Lookups &Found;

  // The status under a path, whose size is that of the text if the file was read.
  llvm::ErrorOr<llvm::vfs::Status> look(const llvm::Twine &Path, Lookup &Entry) {
    auto Status = ProxyFileSystem::status(Path);
    if (Status && !Status->isRegularFile() && !Status->isDirectory())
      Status = std::make_error_code(std::errc::no_such_file_or_directory);
    if (Status && Entry.Found == LW_ABSENT)
      Entry.Found = Status->isDirectory() ? LW_DIRECTORY : LW_REGULAR;
    return Status;
  }

public:
  explicit RecordingFileSystem(Lookups &Found) : ProxyFileSystem(llvm::vfs::getRealFileSystem()), Found(Found) {}

  llvm::ErrorOr<llvm::vfs::Status> status(const llvm::Twine &Path) override { return look(Path, Found[Path.str()]); }

  bool exists(const llvm::Twine &Path) override { return bool(status(Path)); }

  llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>> openFileForRead(const llvm::Twine &Path) override {
    Lookup &Entry = Found[Path.str()];
    auto Status = look(Path, Entry);
    if (!Status)
      return Status.getError();
    if (Entry.Found == LW_DIRECTORY)
      return std::make_error_code(std::errc::is_a_directory);
    if (Entry.Found != LW_READ) {
      auto Text = readRegular(Path.str());
      if (!Text)
        return Text.getError();
      Entry.Text = std::move(*Text);
      Entry.Found = LW_READ;
    }
    // The size of what was read: the file may have changed since its status was asked for.
    llvm::vfs::Status Read(Path.str(), Status->getUniqueID(), Status->getLastModificationTime(), Status->getUser(),
                           Status->getGroup(), Entry.Text.size(), Status->getType(), Status->getPermissions());
    return std::make_unique<ReadFile>(std::move(Read), Entry.Text);
  }
};

// Notices macros whose value is not in any file.
class NoteVolatile : public PPCallbacks {
  bool &Volatile;

public:
  explicit NoteVolatile(bool &Volatile) : Volatile(Volatile) {}

  void MacroExpands(const Token &Name, const MacroDefinition &Definition, SourceRange, const MacroArgs *) override {
    const MacroInfo *Info = Definition.getMacroInfo();
    if (!Info || !Info->isBuiltinMacro())
      return;
    llvm::StringRef Text = Name.getIdentifierInfo()->getName();
    Volatile |= Text == "__DATE__" || Text == "__TIME__" || Text == "__TIMESTAMP__";
  }
};

// Refuses images as arguments of kernels for a device that has none. Clang does so for OpenCL C 3.0, where they are optional.
class RefuseImages : public ASTConsumer {
  DiagnosticsEngine &Diagnostics;

public:
  explicit RefuseImages(DiagnosticsEngine &Diagnostics) : Diagnostics(Diagnostics) {}

  bool HandleTopLevelDecl(DeclGroupRef Group) override {
    for (Decl *Declared : Group) {
      auto *Function = dyn_cast<FunctionDecl>(Declared);
      if (!Function || !Function->hasAttr<OpenCLKernelAttr>())
        continue;
      for (ParmVarDecl *Parameter : Function->parameters()) {
        if (!Parameter->getType()->isImageType() && !Parameter->getType()->isSamplerT())
          continue;
        unsigned Message = Diagnostics.getCustomDiagID(
            DiagnosticsEngine::Error, "argument %0 of kernel %1 is of type %2, but the device has no images");
        Diagnostics.Report(Parameter->getLocation(), Message) << Parameter << Function << Parameter->getType();
      }
    }
    return true;
  }
};

// A type as text: int, float4, T[3], {size:offset name type,…} of a struct, ?size of anything else.
void describe(const ASTContext &Context, QualType Type, llvm::raw_ostream &Out) {
  if (Type->isIncompleteType()) {
    Out << "?0";
    return;
  }
  if (const ConstantArrayType *Array = Context.getAsConstantArrayType(Type)) {
    describe(Context, Array->getElementType(), Out);
    Out << '[' << Array->getZExtSize() << ']';
    return;
  }
  if (const auto *Vector = Type->getAs<ExtVectorType>()) {
    describe(Context, Vector->getElementType(), Out);
    Out << Vector->getNumElements();
    return;
  }
  if (const auto *Enum = Type->getAs<EnumType>())
    Type = Enum->getDecl()->getIntegerType();
  if (const auto *Record = Type->getAsStructureType()) {
    const RecordDecl *Definition = Record->getDecl()->getDefinition();
    bool Plain = llvm::none_of(Definition->fields(), [](const FieldDecl *Field) {
      return Field->isBitField() || Field->getType()->isIncompleteArrayType();
    });
    if (Plain) {
      const ASTRecordLayout &Layout = Context.getASTRecordLayout(Definition);
      Out << '{' << Layout.getSize().getQuantity() << ':';
      llvm::ListSeparator Comma(",");
      for (const FieldDecl *Field : Definition->fields()) {
        uint64_t Bits = Layout.getFieldOffset(Field->getFieldIndex());
        Out << Comma << Bits / 8 << ' ' << Field->getName() << ' ';
        describe(Context, Field->getType(), Out);
      }
      Out << '}';
      return;
    }
  }
  if (const auto *Builtin = Type->getAs<BuiltinType>()) {
    switch (Builtin->getKind()) {
    case BuiltinType::Char_S:
    case BuiltinType::SChar:
      Out << "char";
      return;
    case BuiltinType::Char_U:
    case BuiltinType::UChar:
      Out << "uchar";
      return;
    case BuiltinType::Short:
      Out << "short";
      return;
    case BuiltinType::UShort:
      Out << "ushort";
      return;
    case BuiltinType::Int:
      Out << "int";
      return;
    case BuiltinType::UInt:
      Out << "uint";
      return;
    case BuiltinType::Long:
      Out << "long";
      return;
    case BuiltinType::ULong:
      Out << "ulong";
      return;
    case BuiltinType::Half:
      Out << "half";
      return;
    case BuiltinType::Float:
      Out << "float";
      return;
    case BuiltinType::Double:
      Out << "double";
      return;
    default:
      break;
    }
  }
  Out << '?' << Context.getTypeSizeInChars(Type).getQuantity();
}

using Layouts = std::map<std::string, std::vector<std::string>>;

// Notes the layouts of structs and arrays that kernels take, by value or by pointer: nothing else in the IR tells them.
class NoteLayouts : public ASTConsumer {
  Layouts &Found;

public:
  explicit NoteLayouts(Layouts &Found) : Found(Found) {}

  bool HandleTopLevelDecl(DeclGroupRef Group) override {
    for (Decl *Declared : Group) {
      auto *Function = dyn_cast<FunctionDecl>(Declared);
      if (!Function || !Function->hasAttr<OpenCLKernelAttr>() || !Function->doesThisDeclarationHaveABody())
        continue;
      auto &Arguments = Found[Function->getName().str()];
      Arguments.clear();
      for (ParmVarDecl *Parameter : Function->parameters()) {
        QualType Type = Parameter->getType();
        if (Type->isPointerType())
          Type = Type->getPointeeType();
        std::string Text;
        llvm::raw_string_ostream Out(Text);
        if (Type->isStructureType() || Type->isConstantArrayType())
          describe(Function->getASTContext(), Type, Out);
        Arguments.push_back(Text);
      }
    }
    return true;
  }
};

// Adds the layouts to the other notes on the arguments of kernels: a text for each, empty where there is none.
void addLayouts(llvm::Module &Module, const Layouts &Found) {
  for (const auto &[Name, Arguments] : Found) {
    llvm::Function *Kernel = Module.getFunction(Name);
    bool Any = llvm::any_of(Arguments, [](const std::string &Text) { return !Text.empty(); });
    if (!Kernel || !Any)
      continue;
    std::vector<llvm::Metadata *> Texts;
    for (const std::string &Text : Arguments)
      Texts.push_back(llvm::MDString::get(Module.getContext(), Text));
    Kernel->setMetadata("kernel_arg_layout", llvm::MDNode::get(Module.getContext(), Texts));
  }
}

// Notes where vectors of signed integers are added, subtracted and multiplied, as "line:column": in the IR, only operations
// on scalars say that they are signed.
class NoteSignedVectors : public ASTConsumer, public RecursiveASTVisitor<NoteSignedVectors> {
  const SourceManager &Sources;
  std::set<std::string> &Found;

  void note(const Expr *Operation) {
    const auto *Vector = Operation->getType()->getAs<ExtVectorType>();
    if (!Vector || !Vector->getElementType()->isSignedIntegerType())
      return;
    PresumedLoc At = Sources.getPresumedLoc(Sources.getExpansionLoc(Operation->getExprLoc()));
    if (At.isValid())
      Found.insert((llvm::Twine(At.getLine()) + ":" + llvm::Twine(At.getColumn())).str());
  }

public:
  NoteSignedVectors(const SourceManager &Sources, std::set<std::string> &Found) : Sources(Sources), Found(Found) {}

  bool HandleTopLevelDecl(DeclGroupRef Group) override {
    for (Decl *Declared : Group)
      TraverseDecl(Declared);
    return true;
  }

  bool VisitBinaryOperator(BinaryOperator *Operation) {
    if (Operation->isAdditiveOp() || Operation->getOpcode() == BO_Mul || Operation->getOpcode() == BO_AddAssign ||
        Operation->getOpcode() == BO_SubAssign || Operation->getOpcode() == BO_MulAssign)
      note(Operation);
    return true;
  }

  bool VisitUnaryOperator(UnaryOperator *Operation) {
    if (Operation->isIncrementDecrementOp() || Operation->getOpcode() == UO_Minus)
      note(Operation);
    return true;
  }
};

void addSignedVectors(llvm::Module &Module, const std::set<std::string> &Found) {
  if (Found.empty())
    return;
  llvm::LLVMContext &Context = Module.getContext();
  llvm::NamedMDNode *All = Module.getOrInsertNamedMetadata("mux.signed_vectors");
  for (const std::string &Text : Found)
    All->addOperand(llvm::MDNode::get(Context, {llvm::MDString::get(Context, Text)}));
}

class CompileAction : public EmitLLVMOnlyAction {
  bool &Volatile;

public:
  Layouts ArgumentLayouts;
  std::set<std::string> SignedVectors;

  CompileAction(llvm::LLVMContext *Context, bool &Volatile) : EmitLLVMOnlyAction(Context), Volatile(Volatile) {}

protected:
  bool BeginSourceFileAction(CompilerInstance &Clang) override {
    Clang.getPreprocessor().addPPCallbacks(std::make_unique<NoteVolatile>(Volatile));
    return EmitLLVMOnlyAction::BeginSourceFileAction(Clang);
  }

  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &Clang, StringRef File) override {
    auto CodeGen = EmitLLVMOnlyAction::CreateASTConsumer(Clang, File);
    const auto &Supported = Clang.getTarget().getSupportedOpenCLOpts();
    auto Images = Supported.find("__opencl_c_images");
    if (!CodeGen)
      return CodeGen;
    std::vector<std::unique_ptr<ASTConsumer>> Consumers;
    if (Images == Supported.end() || !Images->second)
      Consumers.push_back(std::make_unique<RefuseImages>(Clang.getDiagnostics()));
    Consumers.push_back(std::make_unique<NoteLayouts>(ArgumentLayouts));
    // Places are of use only to code with lines.
    if (Clang.getCodeGenOpts().getDebugInfo() != llvm::codegenoptions::NoDebugInfo)
      Consumers.push_back(std::make_unique<NoteSignedVectors>(Clang.getSourceManager(), SignedVectors));
    Consumers.push_back(std::move(CodeGen));
    return std::make_unique<MultiplexConsumer>(std::move(Consumers));
  }
};

char *copied(const std::string &Text) {
  char *Copy = static_cast<char *>(malloc(Text.size() + 1));
  memcpy(Copy, Text.c_str(), Text.size() + 1);
  return Copy;
}

void hand(const Lookups &Found, lw_clang_result &Result) {
  Result.Lookups = static_cast<lw_lookup *>(malloc((Found.size() + 1) * sizeof(lw_lookup)));
  for (const auto &[Path, Entry] : Found) {
    // Clang asks for the current directory whatever it compiles.
    if (Path == ".")
      continue;
    bool Read = Entry.Found == LW_READ;
    Result.Lookups[Result.NumLookups++] = {copied(Path), Read ? copied(Entry.Text) : nullptr, Entry.Text.size(),
                                           Entry.Found};
  }
}

} // namespace

extern "C" {

void lw_clang_free_lookups(lw_lookup *Lookups, size_t Count) {
  for (size_t I = 0; I < Count; ++I) {
    free(Lookups[I].Path);
    free(Lookups[I].Text);
  }
  free(Lookups);
}

// Runs `clang -cc1 Args` on the first of Files. All of Files are readable under their paths, and hide files of the
// same path on disk.
lw_clang_result lw_clang_compile(LLVMContextRef Context, const char *const *Args, size_t NumArgs,
                                 const lw_file *Files, size_t NumFiles) {
  std::string Log;
  llvm::raw_string_ostream LogStream(Log);
  lw_clang_result Result = {nullptr, nullptr, 0, 0, false, nullptr, 0, false};
  Lookups Found;

  auto Body = [&] {
    // The overlay gives the memory file system its working directory, so it comes before the files.
    auto Memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
    auto Overlay = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(
        llvm::makeIntrusiveRefCnt<RecordingFileSystem>(Found));
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
      CompileAction Action(llvm::unwrap(Context), Result.Volatile);
      bool Ok = Clang.ExecuteAction(Action);
      if (Ok && Clang.getDiagnostics().getClient()->getNumErrors() == 0)
        if (auto Module = Action.takeModule()) {
          addLayouts(*Module, Action.ArgumentLayouts);
          addSignedVectors(*Module, Action.SignedVectors);
          Result.Module = llvm::wrap(Module.release());
        }
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
    Result.Volatile = true;
    LogStream << Files[0].Path << ": error: " << Crash << '\n';
    free(Crash);
  }
  hand(Found, Result);
  Result.Log = strdup(Log.c_str());
  return Result;
}

} // extern "C"

#ifdef LANEWISE_STATIC
// Debian's clang asks Polly for its passes, which are not linked: there are none.
llvm::PassPluginLibraryInfo getPollyPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "Polly", "", [](llvm::PassBuilder &) {}};
}
#endif
