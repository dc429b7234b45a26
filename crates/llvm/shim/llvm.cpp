// What LLVM's C API lacks, as C functions. Nothing here has a policy: each function is one step that a pass, the
// linker or the loader asks for. The Rust side of every function is in src/ffi.rs.
//
// Text handed out (`char **`) is allocated with strdup and freed by the caller with LLVMDisposeMessage. A function with `char **Crash`
// is guarded (guard.h): if LLVM crashed in it, *Crash is set and the result means nothing.

#include "guard.h"
#include "llvm-c/Analysis.h"
#include "llvm-c/BitReader.h"
#include "llvm-c/BitWriter.h"
#include "llvm-c/Core.h"
#include "llvm-c/IRReader.h"
#include "llvm-c/TargetMachine.h"
#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/ExecutionEngine/Orc/Core.h"
#include "llvm/ExecutionEngine/Orc/DebugObjectManagerPlugin.h"
#include "llvm/ExecutionEngine/Orc/EPCDebugObjectRegistrar.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/ExecutorProcessControl.h"
#include "llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h"
#include "llvm/ExecutionEngine/Orc/Debugging/PerfSupportPlugin.h"
#include "llvm/ExecutionEngine/Orc/TargetProcess/JITLoaderGDB.h"
#include "llvm/ExecutionEngine/Orc/TargetProcess/JITLoaderPerf.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Linker/Linker.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/StandardInstrumentations.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Scalar/Scalarizer.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/LowerAtomic.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;

static void setText(char **Out, const std::string &Text) {
  if (Out)
    *Out = strdup(Text.c_str());
}

namespace {
// Collects error messages of one operation; notes and remarks pass.
struct CaptureDiagnostics : DiagnosticHandler {
  std::string &Text;
  explicit CaptureDiagnostics(std::string &Text) : Text(Text) {}
  bool handleDiagnostics(const DiagnosticInfo &DI) override {
    if (DI.getSeverity() != DS_Error)
      return true;
    raw_string_ostream OS(Text);
    DiagnosticPrinterRawOStream Printer(OS);
    DI.print(Printer);
    OS << '\n';
    return true;
  }
};
struct ScopedCapture {
  LLVMContext &Ctx;
  std::unique_ptr<DiagnosticHandler> Old;
  ScopedCapture(LLVMContext &Ctx, std::string &Text) : Ctx(Ctx), Old(Ctx.getDiagnosticHandler()) {
    Ctx.setDiagnosticHandler(std::make_unique<CaptureDiagnostics>(Text));
  }
  ~ScopedCapture() { Ctx.setDiagnosticHandler(std::move(Old)); }
};

// Replaces types, and those that are made of them.
struct TypeReplacer : ValueMapTypeRemapper {
  DenseMap<Type *, Type *> Map;
  Type *remapType(Type *Ty) override {
    auto Known = Map.find(Ty);
    if (Known != Map.end())
      return Known->second;
    SmallVector<Type *, 8> Parts;
    bool Changed = false;
    for (Type *Part : Ty->subtypes()) {
      Parts.push_back(remapType(Part));
      Changed |= Parts.back() != Part;
    }
    Type *New = Ty;
    if (Changed) {
      if (auto *F = dyn_cast<FunctionType>(Ty))
        New = FunctionType::get(Parts[0], ArrayRef(Parts).drop_front(), F->isVarArg());
      else if (auto *A = dyn_cast<ArrayType>(Ty))
        New = ArrayType::get(Parts[0], A->getNumElements());
      else if (auto *S = dyn_cast<StructType>(Ty))
        New = StructType::get(Ty->getContext(), Parts, S->isPacked());
    }
    Map[Ty] = New;
    return New;
  }
};

// Every type of a module's functions and of the values in them, each once.
struct TypeCollector {
  SetVector<Type *> Types;
  void add(Type *Ty) {
    if (Types.insert(Ty))
      for (Type *Part : Ty->subtypes())
        add(Part);
  }
  void add(Function &F) {
    add(F.getFunctionType());
    for (auto &I : instructions(F)) {
      add(I.getType());
      for (Value *Operand : I.operands())
        add(Operand->getType());
      if (auto *Call = dyn_cast<CallBase>(&I))
        add(Call->getFunctionType());
      if (auto *Alloca = dyn_cast<AllocaInst>(&I))
        add(Alloca->getAllocatedType());
      if (auto *Gep = dyn_cast<GetElementPtrInst>(&I))
        add(Gep->getSourceElementType());
    }
  }
};
} // namespace

// ---- Targets ----------------------------------------------------------------------------------------------------

extern "C" {

void lw_initialize_native_target() {
  InitializeNativeTarget();
  InitializeNativeTargetAsmPrinter();
  InitializeNativeTargetAsmParser();
}

// All targets that are linked: with LLVM's archives, only the native one is.
void lw_initialize_all_targets() {
#ifndef LANEWISE_STATIC
  InitializeAllTargetInfos();
  InitializeAllTargets();
  InitializeAllTargetMCs();
  InitializeAllAsmPrinters();
  InitializeAllAsmParsers();
#endif
}

// Whether the machine has a feature, by itself or by its CPU.
LLVMBool lw_machine_has(LLVMTargetMachineRef Machine, const char *Feature) {
  const MCSubtargetInfo *Info = reinterpret_cast<TargetMachine *>(Machine)->getMCSubtargetInfo();
  // checkFeatures would complain on standard error about names that another architecture has.
  for (const SubtargetFeatureKV &Known : Info->getAllProcessorFeatures())
    if (StringRef(Known.Key) == Feature)
      return Info->getFeatureBits().test(Known.Value);
  return false;
}

// The names of all CPUs (Features: of all features) of a triple's architecture, a line each. Null if there is no such
// architecture.
char *lw_names(const char *Triple, LLVMBool Features) {
  std::string Error;
  const Target *T = TargetRegistry::lookupTarget(Triple, Error);
  if (!T)
    return nullptr;
  std::unique_ptr<MCSubtargetInfo> Info(T->createMCSubtargetInfo(Triple, "", ""));
  if (!Info)
    return nullptr;
  std::string Text;
  if (Features)
    for (const SubtargetFeatureKV &Feature : Info->getAllProcessorFeatures())
      Text += std::string(Feature.Key) + "\n";
  else
    for (const SubtargetSubTypeKV &CPU : Info->getAllProcessorDescriptions())
      Text += std::string(CPU.Key) + "\n";
  return strdup(Text.c_str());
}

} // extern "C"

// ---- Functions and blocks ----------------------------------------------------------------------------------------

extern "C" {

// Clones the body, attributes, metadata and debug information of Old into the empty function New, with Old's
// arguments replaced by Args. Blocks and instructions keep their order.
void lw_clone_function_into(LLVMValueRef New, LLVMValueRef Old, LLVMValueRef *Args, char **Crash) {
  guarded(
      [&] {
        auto *NewF = unwrap<Function>(New);
        auto *OldF = unwrap<Function>(Old);
        ValueToValueMapTy Map;
        unsigned I = 0;
        for (auto &A : OldF->args())
          Map[&A] = unwrap(Args[I++]);
        SmallVector<ReturnInst *, 4> Returns;
        CloneFunctionInto(NewF, OldF, Map, CloneFunctionChangeType::LocalChangesOnly, Returns);
      },
      Crash);
}

// Clones blocks of a function behind its others. Values that are defined elsewhere stay as they are. The copies are written to Out.
void lw_clone_blocks(LLVMBasicBlockRef *Blocks, unsigned Count, LLVMBasicBlockRef *Out, char **Crash) {
  guarded(
      [&] {
        ValueToValueMapTy Map;
        SmallVector<BasicBlock *, 16> Copies;
        for (unsigned I = 0; I < Count; I++) {
          auto *Block = unwrap(Blocks[I]);
          auto *Copy = CloneBasicBlock(Block, Map, ".quiet", Block->getParent());
          Map[Block] = Copy;
          Copies.push_back(Copy);
          Out[I] = wrap(Copy);
        }
        remapInstructionsInBlocks(Copies, Map);
      },
      Crash);
}

LLVMBasicBlockRef lw_split_block(LLVMValueRef Before, const char *Name) {
  auto *I = unwrap<Instruction>(Before);
  return wrap(I->getParent()->splitBasicBlock(I->getIterator(), Name));
}

// Tells the PHIs of Block that Pred no longer branches to it.
void lw_remove_predecessor(LLVMBasicBlockRef Block, LLVMBasicBlockRef Pred) {
  unwrap(Block)->removePredecessor(unwrap(Pred), /*KeepOneInputPHIs=*/true);
}

LLVMBool lw_remove_unreachable_blocks(LLVMValueRef F, char **Crash) {
  bool Changed = false;
  guarded([&] { Changed = EliminateUnreachableBlocks(*unwrap<Function>(F), nullptr, /*KeepOneInputPHIs=*/false); },
          Crash);
  return Changed;
}

// The target extension types of a module's functions and of the values in them. Returns how many there are, and writes up to Max.
unsigned lw_target_types(LLVMModuleRef M, LLVMTypeRef *Out, unsigned Max) {
  TypeCollector Collector;
  for (auto &F : *unwrap(M))
    Collector.add(F);
  for (auto &G : unwrap(M)->globals())
    Collector.add(G.getValueType());
  unsigned Count = 0;
  for (Type *Ty : Collector.Types)
    if (isa<TargetExtType>(Ty) && Count++ < Max)
      Out[Count - 1] = wrap(Ty);
  return Count;
}

// Replaces each type of From by that of To at its place, in all functions. A function with another type by then is a new one with
// the name, the attributes and the body of the old one.
void lw_replace_types(LLVMModuleRef M, LLVMTypeRef *From, LLVMTypeRef *To, unsigned Count, char **Crash) {
  guarded(
      [&] {
        TypeReplacer Replacer;
        for (unsigned I = 0; I < Count; ++I)
          Replacer.Map[unwrap(From[I])] = unwrap(To[I]);
        SmallVector<Function *, 16> Functions;
        for (auto &F : *unwrap(M))
          Functions.push_back(&F);
        ValueToValueMapTy Values;
        SmallVector<Function *, 16> Bodies;
        for (Function *F : Functions) {
          auto *Ty = cast<FunctionType>(Replacer.remapType(F->getFunctionType()));
          if (Ty == F->getFunctionType()) {
            Bodies.push_back(F);
            continue;
          }
          auto *New = Function::Create(Ty, F->getLinkage(), F->getAddressSpace());
          unwrap(M)->getFunctionList().insert(F->getIterator(), New);
          New->takeName(F);
          New->copyAttributesFrom(F);
          New->copyMetadata(F, 0);
          F->clearMetadata();
          New->splice(New->begin(), F);
          for (auto [OldArg, NewArg] : zip(F->args(), New->args())) {
            NewArg.takeName(&OldArg);
            Values[&OldArg] = &NewArg;
          }
          F->replaceAllUsesWith(New);
          Bodies.push_back(New);
        }
        for (Function *F : Bodies)
          if (!F->isDeclaration())
            RemapFunction(*F, Values, RF_NoModuleLevelChanges | RF_IgnoreMissingLocals, &Replacer);
        for (Function *F : Functions)
          if (F->use_empty() && !is_contained(Bodies, F))
            F->eraseFromParent();
      },
      Crash);
}

// Inlines the call. Returns false with a reason if LLVM cannot.
LLVMBool lw_inline_call(LLVMValueRef Call, char **Why, char **Crash) {
  bool Done = false;
  guarded(
      [&] {
        InlineFunctionInfo Info;
        auto Result = InlineFunction(*unwrap<CallBase>(Call), Info);
        Done = Result.isSuccess();
        if (!Done)
          setText(Why, Result.getFailureReason());
      },
      Crash);
  return Done;
}

void lw_move_before(LLVMValueRef I, LLVMValueRef Before) {
  auto *B = unwrap<Instruction>(Before);
  unwrap<Instruction>(I)->moveBefore(*B->getParent(), B->getIterator());
}

// Attributes of the function itself (not of its parameters or result), and its other properties but the linkage.
void lw_copy_function_attributes(LLVMValueRef To, LLVMValueRef From) {
  auto *T = unwrap<Function>(To);
  auto *F = unwrap<Function>(From);
  AttrBuilder B(T->getContext(), F->getAttributes().getFnAttrs());
  T->addFnAttrs(B);
  if (F->hasGC())
    T->setGC(F->getGC());
}

void lw_copy_param_attributes(LLVMValueRef To, unsigned ToIdx, LLVMValueRef From, unsigned FromIdx) {
  auto *T = unwrap<Function>(To);
  auto *F = unwrap<Function>(From);
  T->addParamAttrs(ToIdx, AttrBuilder(T->getContext(), F->getAttributes().getParamAttrs(FromIdx)));
}

// Turns constant expressions that use Constant, directly or not, into instructions at their uses in functions.
void lw_expand_constant_users(LLVMValueRef C, char **Crash) {
  guarded([&] { convertUsersOfConstantsToInstructions({unwrap<Constant>(C)}); }, Crash);
}

// Makes the atomic instruction's synchronisation scope the whole system.
// Lets objects that are loaded apart from each other have a variable in common.
void lw_share_global(LLVMValueRef G) {
  auto *V = unwrap<GlobalVariable>(G);
  V->setComdat(nullptr);
  V->setVisibility(GlobalValue::DefaultVisibility);
  V->setLinkage(GlobalValue::ExternalLinkage);
  // The other object may be far away.
  V->setDSOLocal(false);
}

void lw_set_system_scope(LLVMValueRef I) {
  auto *Inst = unwrap<Instruction>(I);
  if (auto *L = dyn_cast<LoadInst>(Inst))
    L->setSyncScopeID(SyncScope::System);
  else if (auto *S = dyn_cast<StoreInst>(Inst))
    S->setSyncScopeID(SyncScope::System);
  else if (auto *R = dyn_cast<AtomicRMWInst>(Inst))
    R->setSyncScopeID(SyncScope::System);
  else if (auto *X = dyn_cast<AtomicCmpXchgInst>(Inst))
    X->setSyncScopeID(SyncScope::System);
  else if (auto *F = dyn_cast<FenceInst>(Inst))
    F->setSyncScopeID(SyncScope::System);
}

// Adds a node to a function's metadata of this kind, which may hold several.
void lw_add_function_metadata(LLVMValueRef F, unsigned Kind, LLVMMetadataRef Node) {
  unwrap<Function>(F)->addMetadata(Kind, *unwrap<MDNode>(Node));
}

// The function's metadata of this kind: returns how many there are, writes at most Max.
unsigned lw_function_metadata(LLVMValueRef F, unsigned Kind, LLVMMetadataRef *Out, unsigned Max) {
  SmallVector<MDNode *, 4> Nodes;
  unwrap<GlobalObject>(F)->getMetadata(Kind, Nodes);
  for (unsigned I = 0; I < Nodes.size() && I < Max; ++I)
    Out[I] = wrap(Nodes[I]);
  return Nodes.size();
}

void lw_copy_function_metadata(LLVMValueRef To, LLVMValueRef From, LLVMBool WithDebug) {
  SmallVector<std::pair<unsigned, MDNode *>, 8> All;
  unwrap<Function>(From)->getAllMetadata(All);
  for (auto &[Kind, Node] : All)
    if (Kind != LLVMContext::MD_dbg || WithDebug)
      unwrap<Function>(To)->addMetadata(Kind, *Node);
}

unsigned lw_metadata_num_operands(LLVMMetadataRef Node) { return unwrap<MDNode>(Node)->getNumOperands(); }

LLVMMetadataRef lw_metadata_operand(LLVMMetadataRef Node, unsigned I) {
  return wrap(unwrap<MDNode>(Node)->getOperand(I).get());
}

// The value inside a ValueAsMetadata, or null.
LLVMValueRef lw_metadata_value(LLVMMetadataRef M) {
  auto *V = M ? dyn_cast<ValueAsMetadata>(unwrap(M)) : nullptr;
  return V ? wrap(V->getValue()) : nullptr;
}

// The text of an MDString, or null.
const char *lw_metadata_string(LLVMMetadataRef M, size_t *Len) {
  auto *S = M ? dyn_cast<MDString>(unwrap(M)) : nullptr;
  if (!S)
    return nullptr;
  *Len = S->getLength();
  return S->getString().data();
}

LLVMBool lw_metadata_is_node(LLVMMetadataRef M) { return M && isa<MDNode>(unwrap(M)); }

// ---- Vectors -----------------------------------------------------------------------------------------------------

// The type of Width values of a type: of vectors, one that has them side by side.
static Type *widened(Type *T, ElementCount Width) {
  if (auto *V = dyn_cast<FixedVectorType>(T))
    return VectorType::get(V->getElementType(), Width * V->getNumElements());
  return VectorType::isValidElementType(T) ? VectorType::get(T, Width) : T;
}

// A constant in all lanes of a scalable vector.
LLVMValueRef lw_const_scalable_splat(LLVMValueRef Value, unsigned Lanes) {
  return wrap(ConstantVector::getSplat(ElementCount::getScalable(Lanes), unwrap<Constant>(Value)));
}

// The constant that all lanes of a constant vector have, or null.
LLVMValueRef lw_const_splat_value(LLVMValueRef Vector) { return wrap(unwrap<Constant>(Vector)->getSplatValue()); }

// The intrinsic that does for vectors of Width what this call of an intrinsic does for scalars or short vectors, or null. Bit I
// of Scalar says that argument I stays a scalar.
LLVMValueRef lw_widen_intrinsic(LLVMValueRef Call, unsigned Width, LLVMBool Scalable, uint64_t *Scalar) {
  auto *CI = unwrap<CallInst>(Call);
  Intrinsic::ID ID = CI->getIntrinsicID();
  if (ID == Intrinsic::not_intrinsic || !isTriviallyVectorizable(ID))
    return nullptr;
  auto Widen = [&](Type *T) -> Type * {
    return Scalable ? VectorType::get(T, ElementCount::getScalable(Width)) : widened(T, ElementCount::getFixed(Width));
  };
  SmallVector<Type *, 4> Types;
  *Scalar = 0;
  if (isVectorIntrinsicWithOverloadTypeAtArg(ID, -1)) {
    if (!VectorType::isValidElementType(CI->getType()->getScalarType()))
      return nullptr;
    Types.push_back(Widen(CI->getType()));
  }
  for (unsigned I = 0; I < CI->arg_size(); ++I) {
    Type *T = CI->getArgOperand(I)->getType();
    bool IsScalar = isVectorIntrinsicWithScalarOpAtArg(ID, I);
    if (IsScalar)
      *Scalar |= uint64_t(1) << I;
    if (isVectorIntrinsicWithOverloadTypeAtArg(ID, I))
      Types.push_back(IsScalar ? T : Widen(T));
  }
  return wrap(Intrinsic::getDeclaration(CI->getModule(), ID, Types));
}

// The lanes that vectors of `vscale` times as many have on the CPU that code is tuned for: what `vscale` is there.
unsigned lw_tuned_vscale(LLVMTargetMachineRef Machine, LLVMValueRef F) {
  auto *TM = reinterpret_cast<TargetMachine *>(Machine);
  return TM->getTargetTransformInfo(*unwrap<Function>(F)).getVScaleForTuning().value_or(1);
}

// What each instruction of a function costs as it is, and in vectors of Width, by the target's own estimates of throughput.
// What has no vector form costs as much as all lanes one by one, of which there are Lanes.
void lw_costs(LLVMTargetMachineRef Machine, LLVMValueRef F, LLVMValueRef *Insts, unsigned Count, unsigned Width,
              LLVMBool Scalable, unsigned Lanes, double *Scalar, double *Vector, char **Crash) {
  auto Body = [&] {
    auto *TM = reinterpret_cast<TargetMachine *>(Machine);
    TargetTransformInfo TTI = TM->getTargetTransformInfo(*unwrap<Function>(F));
    const auto Kind = TargetTransformInfo::TCK_RecipThroughput;
    auto Widen = [&](Type *T) { return widened(T, ElementCount::get(Width, Scalable)); };
    for (unsigned N = 0; N < Count; ++N) {
      auto *I = unwrap<Instruction>(Insts[N]);
      InstructionCost One = TTI.getInstructionCost(I, Kind), Wide = InstructionCost::getInvalid();
      Type *VT = Widen(I->getType());
      if (auto *BO = dyn_cast<BinaryOperator>(I)) {
        Wide = TTI.getArithmeticInstrCost(BO->getOpcode(), VT, Kind, TTI.getOperandInfo(BO->getOperand(0)),
                                          TTI.getOperandInfo(BO->getOperand(1)));
      } else if (isa<UnaryOperator>(I)) {
        Wide = TTI.getArithmeticInstrCost(I->getOpcode(), VT, Kind);
      } else if (auto *C = dyn_cast<CmpInst>(I)) {
        Type *OT = Widen(C->getOperand(0)->getType());
        Wide = TTI.getCmpSelInstrCost(C->getOpcode(), OT, VT, C->getPredicate(), Kind);
      } else if (isa<SelectInst>(I)) {
        Type *CT = Widen(I->getOperand(0)->getType());
        Wide = TTI.getCmpSelInstrCost(I->getOpcode(), VT, CT, CmpInst::BAD_ICMP_PREDICATE, Kind);
      } else if (auto *C = dyn_cast<CastInst>(I)) {
        Wide = TTI.getCastInstrCost(C->getOpcode(), VT, Widen(C->getSrcTy()), TTI.getCastContextHint(C), Kind);
      } else if (auto *II = dyn_cast<IntrinsicInst>(I)) {
        SmallVector<Type *, 4> Types;
        SmallVector<const Value *, 4> Args;
        for (auto &A : II->args()) {
          Types.push_back(Widen(A->getType()));
          Args.push_back(A);
        }
        Wide = TTI.getIntrinsicInstrCost(IntrinsicCostAttributes(II->getIntrinsicID(), VT, Args, Types), Kind);
      }
      Scalar[N] = One.isValid() ? double(*One.getValue()) : 1;
      Vector[N] = Wide.isValid() ? double(*Wide.getValue()) : Scalar[N] * Lanes;
    }
  };
  guarded(Body, Crash);
}

// Copies no-wrap, exact and fast-math flags to an instruction that does the same for more lanes.
void lw_copy_flags(LLVMValueRef To, LLVMValueRef From) {
  if (auto *T = dyn_cast<Instruction>(unwrap(To)))
    T->copyIRFlags(unwrap(From));
}

// Makes an instruction give a value where its flags would have made it poison.
void lw_drop_poison_flags(LLVMValueRef I) { unwrap<Instruction>(I)->dropPoisonGeneratingFlags(); }

// ---- Debug information -------------------------------------------------------------------------------------------

// Gives To, a function that wraps From, a subprogram of its own with From's name, file and line.
void lw_copy_subprogram(LLVMValueRef To, LLVMValueRef From) {
  auto *T = unwrap<Function>(To);
  DISubprogram *SP = unwrap<Function>(From)->getSubprogram();
  if (!SP || T->getSubprogram())
    return;
  auto *New = DISubprogram::getDistinct(
      SP->getContext(), SP->getScope(), SP->getName(), T->getName(), SP->getFile(), SP->getLine(), SP->getType(),
      SP->getScopeLine(), nullptr, 0, 0, SP->getFlags() | DINode::FlagArtificial, SP->getSPFlags(), SP->getUnit());
  T->setSubprogram(New);
}

// Declares a variable of Alloca's function, for debuggers: an array of Count unsigned integers of 64 bits at Alloca.
void lw_declare_array(LLVMValueRef Alloca, const char *Name, unsigned Count) {
  auto *A = unwrap<AllocaInst>(Alloca);
  Function *F = A->getFunction();
  DISubprogram *SP = F->getSubprogram();
  if (!SP || SP->getUnit()->getEmissionKind() == DICompileUnit::NoDebug)
    return;
  DIBuilder B(*F->getParent(), /*AllowUnresolved=*/false, SP->getUnit());
  auto *Element = B.createBasicType("ulong", 64, dwarf::DW_ATE_unsigned);
  auto Subscripts = B.getOrCreateArray({B.getOrCreateSubrange(0, Count)});
  auto *Type = B.createArrayType(Count * 64, 64, Element, Subscripts);
  auto *Variable = B.createAutoVariable(SP, Name, SP->getFile(), SP->getLine(), Type, /*AlwaysPreserve=*/false,
                                        DINode::FlagArtificial);
  auto *Where = DILocation::get(F->getContext(), SP->getLine(), 0, SP);
  B.insertDeclare(A, Variable, B.createExpression(), Where, A->getNextNode());
}

// Keeps the code generator from scheduling what is before I after it, or the other way round: an annotation becomes a
// label, and no instruction is moved across a label.
void lw_fix_order_at(LLVMValueRef I) {
  auto *Inst = unwrap<Instruction>(I);
  LLVMContext &C = Inst->getContext();
  Function *Annotation = Intrinsic::getDeclaration(Inst->getModule(), Intrinsic::codeview_annotation);
  auto *Text = MetadataAsValue::get(C, MDTuple::get(C, MDString::get(C, "order")));
  CallInst::Create(Annotation, {Text}, "", Inst->getIterator());
}

// Gives every instruction of F that has no location the line of F's subprogram, so that calls in it may be inlined.
void lw_fill_debug_locations(LLVMValueRef F) {
  auto *Fn = unwrap<Function>(F);
  DISubprogram *SP = Fn->getSubprogram();
  if (!SP)
    return;
  auto *Loc = DILocation::get(Fn->getContext(), SP->getLine(), 0, SP);
  for (auto &B : *Fn)
    for (auto &I : B)
      if (!I.getDebugLoc())
        I.setDebugLoc(Loc);
}

// The line and column of an instruction's location, 0 without one.
unsigned lw_debug_line(LLVMValueRef I, unsigned *Column) {
  auto *Inst = dyn_cast<Instruction>(unwrap(I));
  if (!Inst || !Inst->getDebugLoc())
    return 0;
  *Column = Inst->getDebugLoc().getCol();
  return Inst->getDebugLoc().getLine();
}

// The instruction that B inserts before; null at the end of a block.
LLVMValueRef lw_insertion_point(LLVMBuilderRef B) {
  auto *Builder = unwrap(B);
  auto *Block = Builder->GetInsertBlock();
  return Block && Builder->GetInsertPoint() != Block->end() ? wrap(&*Builder->GetInsertPoint()) : nullptr;
}

// The stack of an instruction's location, innermost first: a line of line, column, file and function, separated by
// tabs, for each of the inlined functions and the one it is in. Null without a location; free it with
// LLVMDisposeMessage.
char *lw_debug_stack(LLVMValueRef I) {
  auto *Inst = dyn_cast<Instruction>(unwrap(I));
  if (!Inst || !Inst->getDebugLoc())
    return nullptr;
  std::string Text;
  for (DILocation *L = Inst->getDebugLoc(); L; L = L->getInlinedAt()) {
    auto *SP = L->getScope()->getSubprogram();
    Text += std::to_string(L->getLine()) + "\t" + std::to_string(L->getColumn()) + "\t" + L->getFilename().str() +
            "\t" + (SP ? SP->getName().str() : "") + "\n";
  }
  return LLVMCreateMessage(Text.c_str());
}

// Makes the declared variables that live at Old live at New + Offset, or, if Deref, at the address stored in New, plus
// Offset.
LLVMBool lw_replace_debug_declare(LLVMValueRef Old, LLVMValueRef New, LLVMBool Deref, int Offset) {
  auto *N = unwrap(New);
  auto *I = dyn_cast<Instruction>(unwrap(Old));
  if (!I)
    return false;
  DIBuilder DIB(*I->getModule(), /*AllowUnresolved=*/false);
  return replaceDbgDeclare(unwrap(Old), N, DIB, Deref ? DIExpression::DerefBefore : DIExpression::ApplyOffset, Offset);
}

LLVMBool lw_has_debug_declare(LLVMValueRef V) {
  return !findDbgDeclares(unwrap(V)).empty() || !findDVRDeclares(unwrap(V)).empty();
}

// Clang says of every variable of a SPIR module which address space it is in; a debugger of a machine with one address
// space does not understand that. Takes it out of all expressions.
static DIExpression *flatten(DIExpression *Old) {
  ArrayRef<uint64_t> Ops = Old->getElements();
  SmallVector<uint64_t, 8> New;
  for (size_t I = 0; I < Ops.size(); ++I) {
    bool IsSpace = I + 3 < Ops.size() && Ops[I] == dwarf::DW_OP_constu && Ops[I + 2] == dwarf::DW_OP_swap &&
                   Ops[I + 3] == dwarf::DW_OP_xderef;
    if (IsSpace)
      I += 3;
    else
      New.push_back(Ops[I]);
  }
  return New.size() == Ops.size() ? Old : DIExpression::get(Old->getContext(), New);
}

void lw_flatten_debug_addresses(LLVMModuleRef M) {
  for (auto &F : *unwrap(M))
    for (auto &B : F)
      for (auto &I : B) {
        for (DbgVariableRecord &Record : filterDbgVars(I.getDbgRecordRange()))
          Record.setExpression(flatten(Record.getExpression()));
        if (auto *Intrinsic = dyn_cast<DbgVariableIntrinsic>(&I))
          Intrinsic->setExpression(flatten(Intrinsic->getExpression()));
      }
  for (auto &G : unwrap(M)->globals()) {
    SmallVector<DIGlobalVariableExpression *, 1> Old;
    G.getDebugInfo(Old);
    if (Old.empty())
      continue;
    G.eraseMetadata(LLVMContext::MD_dbg);
    for (auto *E : Old)
      G.addDebugInfo(DIGlobalVariableExpression::get(G.getContext(), E->getVariable(), flatten(E->getExpression())));
  }
}

char *lw_print_with_use_lists(LLVMModuleRef M) {
  std::string Text;
  raw_string_ostream OS(Text);
  unwrap(M)->print(OS, nullptr, /*ShouldPreserveUseListOrder=*/true);
  return strdup(OS.str().c_str());
}

LLVMBool lw_strip_debug_info(LLVMModuleRef M, char **Crash) {
  bool Changed = false;
  guarded([&] { Changed = StripDebugInfo(*unwrap(M)); }, Crash);
  return Changed;
}

// ---- Passes ------------------------------------------------------------------------------------------------------

// What LLVM's passes ask for analyses.
namespace {
struct Analyses {
  PassBuilder PB;
  LoopAnalysisManager LAM;
  FunctionAnalysisManager FAM;
  CGSCCAnalysisManager CGAM;
  ModuleAnalysisManager MAM;
  explicit Analyses(LLVMTargetMachineRef Machine, PassInstrumentationCallbacks *PIC = nullptr)
      : PB(reinterpret_cast<TargetMachine *>(Machine), PipelineTuningOptions(), std::nullopt, PIC) {
    PB.registerModuleAnalyses(MAM);
    PB.registerCGSCCAnalyses(CGAM);
    PB.registerFunctionAnalyses(FAM);
    PB.registerLoopAnalyses(LAM);
    PB.crossRegisterProxies(LAM, FAM, CGAM, MAM);
  }
};
} // namespace

// Runs function passes, in LLVM's syntax, on one function only.
LLVMBool lw_run_function_passes(LLVMValueRef F, const char *Pipeline, LLVMTargetMachineRef Machine, char **Error,
                                char **Crash) {
  bool Done = false;
  guarded(
      [&] {
        Analyses A(Machine);
        FunctionPassManager FPM;
        if (auto E = A.PB.parsePassPipeline(FPM, Pipeline))
          return setText(Error, toString(std::move(E)));
        FPM.run(*unwrap<Function>(F), A.FAM);
        Done = true;
      },
      Crash);
  return Done;
}

// Notes at loops with loops inside that only their innermost loops are to be unrolled at run time: LLVM would copy the
// loop over rows of work-items eight times, each with its loop over a row.
namespace {
struct KeepOuterLoops : PassInfoMixin<KeepOuterLoops> {
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &FAM) {
    for (Loop *L : FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder())
      if (!L->isInnermost())
        addStringMetadataToLoop(L, "llvm.loop.unroll.runtime.disable");
    return PreservedAnalyses::all();
  }
};
} // namespace

// Runs a pipeline in LLVM's syntax, with the pass `keep-outer-loops`. Functions that are not to be optimised (`optnone`)
// are left alone.
LLVMBool lw_run_module_passes(LLVMModuleRef M, const char *Pipeline, LLVMTargetMachineRef Machine, char **Error,
                              char **Crash) {
  bool Done = false;
  guarded(
      [&] {
        Module *Mod = unwrap(M);
        PassInstrumentationCallbacks PIC;
        Analyses A(Machine, &PIC);
        StandardInstrumentations SI(Mod->getContext(), /*DebugLogging=*/false);
        SI.registerCallbacks(PIC, &A.MAM);
        A.PB.registerPipelineParsingCallback(
            [](StringRef Name, FunctionPassManager &FPM, ArrayRef<PassBuilder::PipelineElement>) {
              if (Name != "keep-outer-loops")
                return false;
              FPM.addPass(KeepOuterLoops());
              return true;
            });
        ModulePassManager MPM;
        if (auto E = A.PB.parsePassPipeline(MPM, Pipeline))
          return setText(Error, toString(std::move(E)));
        MPM.run(*Mod, A.MAM);
        Done = true;
      },
      Crash);
  return Done;
}

// Reverses the order of a module's functions.
void lw_reverse_functions(LLVMModuleRef M) {
  auto &Functions = unwrap(M)->getFunctionList();
  SmallVector<Function *, 16> Old;
  for (auto &F : Functions)
    Old.push_back(&F);
  for (auto *F : reverse(Old)) {
    F->removeFromParent();
    Functions.push_back(F);
  }
}

// Splits operations on vectors, loads and stores too, into operations on their elements.
void lw_scalarize(LLVMValueRef F, LLVMTargetMachineRef Machine, char **Crash) {
  guarded(
      [&] {
        Analyses A(Machine);
        ScalarizerPassOptions Options;
        Options.ScalarizeVariableInsertExtract = true;
        Options.ScalarizeLoadStore = true;
        ScalarizerPass(Options).run(*unwrap<Function>(F), A.FAM);
      },
      Crash);
}

// Notes at the latch of a loop that it is not to be vectorized, and not to be unrolled.
void lw_leave_loop(LLVMValueRef Branch, LLVMBool Rolled) {
  auto *I = unwrap<Instruction>(Branch);
  LLVMContext &C = I->getContext();
  auto Flag = [&](const char *Name, bool Value) {
    return MDNode::get(C, {MDString::get(C, Name), ConstantAsMetadata::get(ConstantInt::getBool(C, Value))});
  };
  SmallVector<Metadata *, 3> Ops{nullptr, Flag("llvm.loop.vectorize.enable", false)};
  if (Rolled)
    Ops.push_back(MDNode::get(C, MDString::get(C, "llvm.loop.unroll.disable")));
  MDNode *Loop = MDNode::getDistinct(C, Ops);
  Loop->replaceOperandWith(0, Loop);
  I->setMetadata(LLVMContext::MD_loop, Loop);
}

// Replaces an atomicrmw or cmpxchg by plain loads, operations and stores.
void lw_lower_atomic(LLVMValueRef I) {
  auto *Inst = unwrap<Instruction>(I);
  if (auto *RMW = dyn_cast<AtomicRMWInst>(Inst))
    lowerAtomicRMWInst(RMW);
  else
    lowerAtomicCmpXchgInst(cast<AtomicCmpXchgInst>(Inst));
}

// ---- Reading and writing -----------------------------------------------------------------------------------------

// Reads IR, text or bitcode. Null with a reason if that fails.
LLVMModuleRef lw_parse_ir(LLVMContextRef Context, const char *Bytes, size_t Size, const char *Name, char **Error,
                          char **Crash) {
  LLVMModuleRef M = nullptr;
  bool Failed = true;
  auto Body = [&] {
    // The parser takes the buffer.
    auto Buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(Bytes, Size, Name);
    Failed = LLVMParseIRInContext(Context, Buffer, &M, Error);
  };
  return guarded(Body, Crash) && !Failed ? M : nullptr;
}

// Reads the body of a function, and of all that it refers to, of a module whose bodies are read when they are needed.
static Error readWithCallees(Function &Root) {
  SmallVector<const Constant *> Work{&Root};
  SmallPtrSet<const Constant *, 32> Seen{&Root};
  auto Visit = [&](const User &U) {
    for (const Use &Operand : U.operands())
      if (auto *C = dyn_cast<Constant>(Operand); C && Seen.insert(C).second)
        Work.push_back(C);
  };
  while (!Work.empty()) {
    const Constant *C = Work.pop_back_val();
    Visit(*C);
    if (auto *F = dyn_cast<Function>(C)) {
      if (auto E = const_cast<Function *>(F)->materialize())
        return E;
      for (const Instruction &I : instructions(*F))
        Visit(I);
    }
  }
  return Error::success();
}

// Reads bitcode. Null if it is none. With the name of a function, functions that it does not need are left
// out.
LLVMModuleRef lw_parse_bitcode(LLVMContextRef Context, const char *Bytes, size_t Size, const char *Name, char **Error,
                               char **Crash) {
  LLVMModuleRef M = nullptr;
  auto Body = [&] {
    std::string Text;
    ScopedCapture Capture(*unwrap(Context), Text);
    auto Buffer = MemoryBuffer::getMemBuffer(StringRef(Bytes, Size), "bitcode", /*RequiresNullTerminator=*/false);
    SmallVector<Function *> Unwanted;
    auto Read = [&]() -> Expected<std::unique_ptr<Module>> {
      auto Parsed = getLazyBitcodeModule(*Buffer, *unwrap(Context));
      if (!Parsed)
        return Parsed;
      Function *Wanted = Name ? (*Parsed)->getFunction(Name) : nullptr;
      if (Wanted) {
        if (auto E = readWithCallees(*Wanted))
          return std::move(E);
        for (Function &F : **Parsed)
          if (F.isMaterializable()) {
            F.deleteBody();
            Unwanted.push_back(&F);
          }
      }
      if (auto E = (*Parsed)->materializeAll())
        return std::move(E);
      for (Function *F : Unwanted)
        if (F->use_empty())
          F->eraseFromParent();
      return Parsed;
    };
    auto Parsed = Read();
    if (Parsed)
      M = wrap(Parsed->release());
    else
      setText(Error, toString(Parsed.takeError()));
  };
  return guarded(Body, Crash) ? M : nullptr;
}

// Whether the module is well-formed; if not, *Error says what is wrong.
LLVMBool lw_verify(LLVMModuleRef M, char **Error, char **Crash) {
  bool Broken = false;
  auto Body = [&] {
    // Printing what is wrong is as dangerous as verifying.
    std::string Text;
    raw_string_ostream OS(Text);
    Broken = verifyModule(*unwrap(M), &OS);
    if (Broken)
      setText(Error, Text);
  };
  return guarded(Body, Crash) && !Broken;
}

LLVMMemoryBufferRef lw_to_bitcode(LLVMModuleRef M, char **Crash) {
  LLVMMemoryBufferRef Memory = nullptr;
  guarded([&] { Memory = LLVMWriteBitcodeToMemoryBuffer(M); }, Crash);
  return Memory;
}

char *lw_to_text(LLVMModuleRef M, char **Crash) {
  char *Text = nullptr;
  guarded([&] { Text = LLVMPrintModuleToString(M); }, Crash);
  return Text;
}

LLVMModuleRef lw_clone_module(LLVMModuleRef M, char **Crash) {
  LLVMModuleRef Clone = nullptr;
  guarded([&] { Clone = LLVMCloneModule(M); }, Crash);
  return Clone;
}

// ---- Linking and code generation ---------------------------------------------------------------------------------

// Generates code into memory. Null with a reason if LLVM reports an error, which would end the process if none listened.
LLVMMemoryBufferRef lw_emit(LLVMTargetMachineRef Machine, LLVMModuleRef M, LLVMCodeGenFileType Kind, char **Error,
                            char **Crash) {
  std::string Text;
  LLVMMemoryBufferRef Memory = nullptr;
  auto Body = [&] {
    ScopedCapture Capture(unwrap(M)->getContext(), Text);
    char *Message = nullptr;
    if (LLVMTargetMachineEmitToMemoryBuffer(Machine, M, Kind, &Message, &Memory)) {
      Memory = nullptr;
      Text += Message ? Message : "LLVM generates no code";
      LLVMDisposeMessage(Message);
    }
  };
  if (!guarded(Body, Crash))
    return nullptr;
  if (Text.empty())
    return Memory;
  if (Memory)
    LLVMDisposeMemoryBuffer(Memory);
  setText(Error, Text);
  return nullptr;
}

// Links Source into Dest and destroys Source. OnlyNeeded takes just the definitions Dest refers to, and makes them
// internal.
LLVMBool lw_link_modules(LLVMModuleRef Dest, LLVMModuleRef Source, LLVMBool OnlyNeeded, char **Error, char **Crash) {
  std::string Text;
  bool Failed = true;
  auto Internalize = [](Module &M, const StringSet<> &Linked) {
    for (auto &Entry : Linked)
      if (auto *G = M.getNamedValue(Entry.getKey()))
        if (!G->isDeclaration() && !G->hasLocalLinkage())
          G->setLinkage(GlobalValue::InternalLinkage);
  };
  auto Body = [&] {
    ScopedCapture Capture(unwrap(Dest)->getContext(), Text);
    std::unique_ptr<Module> Src(unwrap(Source));
    if (OnlyNeeded)
      Failed = Linker::linkModules(*unwrap(Dest), std::move(Src), Linker::LinkOnlyNeeded, Internalize);
    else
      Failed = Linker::linkModules(*unwrap(Dest), std::move(Src));
  };
  if (!guarded(Body, Crash))
    return false;
  if (Failed)
    setText(Error, Text);
  return !Failed;
}

// ---- The loader --------------------------------------------------------------------------------------------------

struct lw_jit {
  std::unique_ptr<orc::ExecutionSession> Session;
  std::unique_ptr<orc::ObjectLinkingLayer> Layer;
  orc::JITDylib *Support = nullptr;
  std::atomic<unsigned> Next{0};
};

static LLVMBool fail(Error E, char **Text) {
  setText(Text, toString(std::move(E)));
  return false;
}

// A loader whose objects find, in this order: each other's symbols, the given helpers, the process.
// With Perf, it writes what `perf inject --jit` reads.
lw_jit *lw_jit_create(const char *const *Names, void *const *Addresses, size_t Count, LLVMBool Perf,
                      LLVMBool Debugged, char **Error) {
  auto EPC = orc::SelfExecutorProcessControl::Create();
  if (!EPC) {
    fail(EPC.takeError(), Error);
    return nullptr;
  }
  auto Jit = std::make_unique<lw_jit>();
  Jit->Session = std::make_unique<orc::ExecutionSession>(std::move(*EPC));
  Jit->Session->setErrorReporter([](llvm::Error E) { consumeError(std::move(E)); });
  Jit->Layer = std::make_unique<orc::ObjectLinkingLayer>(*Jit->Session,
                                                         Jit->Session->getExecutorProcessControl().getMemMgr());
  // Debuggers are told of objects with debug information, and of all where one runs the process, for the names of kernels.
  auto Registrar = std::make_unique<orc::EPCDebugObjectRegistrar>(
      *Jit->Session, orc::ExecutorAddr::fromPtr(&llvm_orc_registerJITLoaderGDBAllocAction));
  Jit->Layer->addPlugin(std::make_unique<orc::DebugObjectManagerPlugin>(
      *Jit->Session, std::move(Registrar), /*RequireDebugSections=*/!Debugged, /*AutoRegisterCode=*/true));
  if (Perf) {
    auto At = [](auto *F) { return orc::ExecutorAddr::fromPtr(F); };
    Jit->Layer->addPlugin(std::make_unique<orc::PerfSupportPlugin>(
        Jit->Session->getExecutorProcessControl(), At(&llvm_orc_registerJITLoaderPerfStart),
        At(&llvm_orc_registerJITLoaderPerfEnd), At(&llvm_orc_registerJITLoaderPerfImpl), /*EmitDebugInfo=*/true,
        /*EmitUnwindInfo=*/false));
  }
  Jit->Support = &Jit->Session->createBareJITDylib("support");
  orc::SymbolMap Symbols;
  for (size_t I = 0; I < Count; ++I)
    Symbols[Jit->Session->intern(Names[I])] = {orc::ExecutorAddr::fromPtr(Addresses[I]), JITSymbolFlags::Exported};
  if (auto E = Jit->Support->define(orc::absoluteSymbols(std::move(Symbols)))) {
    fail(std::move(E), Error);
    cantFail(Jit->Session->endSession());
    return nullptr;
  }
  auto Process = orc::DynamicLibrarySearchGenerator::GetForCurrentProcess('\0');
  if (!Process) {
    fail(Process.takeError(), Error);
    cantFail(Jit->Session->endSession());
    return nullptr;
  }
  Jit->Support->addGenerator(std::move(*Process));
  return Jit.release();
}

void lw_jit_dispose(lw_jit *Jit) {
  cantFail(Jit->Session->endSession());
  delete Jit;
}

// Loads an ELF object and finds its symbols. The result is what lw_jit_unload takes. The object sees the symbols of another one
// too, if there is one; that has to stay as long.
void *lw_jit_load(lw_jit *Jit, const char *Object, size_t Size, void *Other, const char *const *Names,
                  uint64_t *Addresses, size_t Count, char **Error) {
  auto &ES = *Jit->Session;
  auto &Dylib = ES.createBareJITDylib("object" + std::to_string(Jit->Next++));
  if (Other)
    Dylib.addToLinkOrder(*static_cast<orc::JITDylib *>(Other));
  Dylib.addToLinkOrder(*Jit->Support);
  auto Unload = [&](llvm::Error E) -> void * {
    fail(std::move(E), Error);
    cantFail(ES.removeJITDylib(Dylib));
    return nullptr;
  };
  if (auto E = Jit->Layer->add(Dylib, MemoryBuffer::getMemBufferCopy(StringRef(Object, Size), "kernel")))
    return Unload(std::move(E));
  for (size_t I = 0; I < Count; ++I) {
    auto Symbol = ES.lookup({&Dylib}, ES.intern(Names[I]));
    if (!Symbol)
      return Unload(Symbol.takeError());
    Addresses[I] = Symbol->getAddress().getValue();
  }
  return &Dylib;
}

void lw_jit_unload(lw_jit *Jit, void *Dylib) {
  if (auto E = Jit->Session->removeJITDylib(*static_cast<orc::JITDylib *>(Dylib)))
    consumeError(std::move(E));
}

} // extern "C"
