// LLVM's models of processors (llvm-mca), as far as a reader of assembly asks for them: what each instruction costs, how many cycles
// one trip of a loop takes, and what bounds it. The Rust side is src/throughput.rs.

#include "guard.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstrAnalysis.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCObjectFileInfo.h"
#include "llvm/MC/MCParser/MCAsmParser.h"
#include "llvm/MC/MCParser/MCTargetAsmParser.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSchedule.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/MCA/Context.h"
#include "llvm/MCA/CustomBehaviour.h"
#include "llvm/MCA/InstrBuilder.h"
#include "llvm/MCA/Pipeline.h"
#include "llvm/MCA/SourceMgr.h"
#include "llvm/MCA/Support.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include <map>

using namespace llvm;

namespace {

struct Located {
  MCInst Inst;
  unsigned Line;
};

// Keeps the instructions of an assembly file with their lines. Directives are parsed, and have no effect.
struct Instructions : MCStreamer {
  SourceMgr &Sources;
  std::vector<Located> List;
  Instructions(MCContext &Context, SourceMgr &Sources) : MCStreamer(Context), Sources(Sources) {}
  bool emitSymbolAttribute(MCSymbol *, MCSymbolAttr) override { return true; }
  void emitCommonSymbol(MCSymbol *, uint64_t, Align) override {}
  void emitZerofill(MCSection *, MCSymbol *, uint64_t, Align, SMLoc) override {}
  bool hasRawTextSupport() const override { return true; }
  void emitRawTextImpl(StringRef) override {}
  void emitInstruction(const MCInst &Inst, const MCSubtargetInfo &) override {
    if (Inst.getLoc().isValid())
      List.push_back({Inst, Sources.FindLineNumber(Inst.getLoc())});
  }
};

// What the model says of one instruction.
struct Cost {
  unsigned MicroOps = 0;
  int Latency = 0;
  double Throughput = 0;
  const MCSchedClassDesc *Class = nullptr;
};

struct Model {
  const MCSubtargetInfo &Info;
  const MCInstrInfo &Names;
  const MCRegisterInfo &Registers;
  const MCInstrAnalysis *Analysis;
  const MCSchedModel &Schedule;

  // The scheduling class of an instruction. That of a variant depends on its operands.
  const MCSchedClassDesc *classOf(const MCInst &Inst) const {
    unsigned Class = Names.get(Inst.getOpcode()).getSchedClass();
    const MCSchedClassDesc *Desc = Schedule.getSchedClassDesc(Class);
    while (Class && Desc->isVariant()) {
      Class = Info.resolveVariantSchedClass(Class, &Inst, &Names, Schedule.getProcessorID());
      Desc = Schedule.getSchedClassDesc(Class);
    }
    return Class && Desc->isValid() ? Desc : nullptr;
  }

  Cost costOf(const MCInst &Inst) const {
    Cost Result;
    Result.Class = classOf(Inst);
    if (!Result.Class)
      return Result;
    Result.MicroOps = Result.Class->NumMicroOps;
    Result.Latency = MCSchedModel::computeInstrLatency(Info, *Result.Class);
    Result.Throughput = MCSchedModel::getReciprocalThroughput(Info, *Result.Class);
    return Result;
  }
};

// The chain of registers that each trip of a loop hands to the next: how many cycles it adds a trip, and which instructions are on it.
struct Recurrence {
  double Cycles = 0;
  std::vector<size_t> On;
};

Recurrence recurrence(const Model &M, ArrayRef<const Located *> Body, ArrayRef<Cost> Costs) {
  // When each register unit is written, by which instruction of which trip, and by which kind of write.
  struct Write {
    int Ready = 0;
    long Node = -1;
    unsigned Kind = 0;
  };
  struct Node {
    size_t At;
    int Start;
    long From;
  };
  const unsigned Trips = 8;
  std::map<unsigned, Write> Units;
  std::vector<Node> Nodes;
  std::vector<long> Last(Trips, -1);
  std::vector<int> End(Trips, 0);
  for (unsigned Trip = 0; Trip < Trips; ++Trip) {
    for (size_t I = 0; I < Body.size(); ++I) {
      const MCInst &Inst = Body[I]->Inst;
      const MCInstrDesc &Desc = M.Names.get(Inst.getOpcode());
      APInt Mask;
      bool Breaks = M.Analysis && (M.Analysis->isZeroIdiom(Inst, Mask, M.Schedule.getProcessorID()) ||
                                   M.Analysis->isDependencyBreaking(Inst, Mask, M.Schedule.getProcessorID()));
      int Start = 0;
      long From = -1;
      auto Read = [&](unsigned Register, unsigned Use) {
        if (!Register || !Costs[I].Class)
          return;
        for (MCRegUnit Unit : M.Registers.regunits(Register)) {
          auto Found = Units.find(Unit);
          if (Found == Units.end() || Found->second.Node < 0)
            continue;
          // The operand of an instruction that also loads is needed later than its address.
          int Ready = Found->second.Ready - M.Info.getReadAdvanceCycles(Costs[I].Class, Use, Found->second.Kind);
          if (Ready > Start) {
            Start = Ready;
            From = Found->second.Node;
          }
        }
      };
      unsigned Defs = Desc.getNumDefs(), Explicit = Desc.getNumOperands() - Defs;
      if (!Breaks) {
        for (unsigned Op = Defs; Op < Inst.getNumOperands(); ++Op)
          if (Inst.getOperand(Op).isReg())
            Read(Inst.getOperand(Op).getReg(), Op - Defs);
        unsigned Use = Explicit;
        for (MCPhysReg Register : Desc.implicit_uses())
          Read(Register, Use++);
      }
      long Self = long(Nodes.size());
      Nodes.push_back({I, Start, From});
      int Latency = Costs[I].Latency;
      if (Start + Latency > End[Trip]) {
        End[Trip] = Start + Latency;
        Last[Trip] = Self;
      }
      unsigned Def = 0;
      auto Written = [&](unsigned Register) {
        if (!Register)
          return;
        unsigned Kind = 0;
        int Ready = Start + Latency;
        if (Costs[I].Class && Def < Costs[I].Class->NumWriteLatencyEntries) {
          const MCWriteLatencyEntry *Entry = M.Info.getWriteLatencyEntry(Costs[I].Class, Def);
          Kind = Entry->WriteResourceID;
          Ready = Start + std::max(0, int(Entry->Cycles));
        }
        ++Def;
        for (MCRegUnit Unit : M.Registers.regunits(Register))
          Units[Unit] = {Ready, Self, Kind};
      };
      for (unsigned Op = 0; Op < Defs && Op < Inst.getNumOperands(); ++Op)
        if (Inst.getOperand(Op).isReg())
          Written(Inst.getOperand(Op).getReg());
      for (MCPhysReg Register : Desc.implicit_defs())
        Written(Register);
    }
  }
  Recurrence Result;
  Result.Cycles = double(End[Trips - 1] - End[Trips / 2 - 1]) / (Trips / 2);
  // The last instructions of a trip need not be on the cycle: what the path visits in the middle trips is.
  std::vector<bool> On(Body.size());
  for (long N = Last[Trips - 1]; N >= 0; N = Nodes[N].From)
    if (size_t Trip = size_t(N) / Body.size(); Trip >= 2 && Trip + 2 < Trips)
      On[Nodes[N].At] = true;
  for (size_t I = 0; I < Body.size(); ++I)
    if (On[I])
      Result.On.push_back(I);
  return Result;
}

void describeLoop(const Model &M, ArrayRef<Located> All, size_t Number, ArrayRef<unsigned> Lines, raw_ostream &OS) {
  SmallVector<const Located *, 0> Body;
  for (const Located &One : All)
    if (std::binary_search(Lines.begin(), Lines.end(), One.Line))
      Body.push_back(&One);
  SmallVector<Cost, 0> Costs;
  SmallVector<unsigned, 64> Usage(M.Schedule.getNumProcResourceKinds());
  unsigned MicroOps = 0;
  for (const Located *One : Body) {
    Costs.push_back(M.costOf(One->Inst));
    const MCSchedClassDesc *Class = Costs.back().Class;
    MicroOps += Costs.back().MicroOps;
    if (!Class)
      continue;
    for (const MCWriteProcResEntry *E = M.Info.getWriteProcResBegin(Class), *End = M.Info.getWriteProcResEnd(Class); E != End; ++E)
      Usage[E->ProcResourceIdx] += E->ReleaseAtCycle;
  }
  if (Body.empty())
    return;

  // The simulation, of enough trips that its start does not count.
  mca::InstrumentManager Instruments(M.Info, M.Names);
  mca::InstrBuilder Builder(M.Info, M.Names, M.Registers, M.Analysis, Instruments, /*CallLatency=*/100);
  std::vector<std::unique_ptr<mca::Instruction>> Sequence;
  unsigned Unknown = 0;
  for (const Located *One : Body) {
    Expected<std::unique_ptr<mca::Instruction>> Made = Builder.createInstruction(One->Inst, {});
    if (Made)
      Sequence.push_back(std::move(*Made));
    else {
      consumeError(Made.takeError());
      ++Unknown;
    }
  }
  double Cycles = 0;
  const unsigned Trips = std::max<unsigned>(10, std::min<unsigned>(100, 20000 / unsigned(Body.size())));
  if (!Sequence.empty()) {
    mca::CircularSourceMgr Source(Sequence, Trips);
    mca::CustomBehaviour Behaviour(M.Info, Source, M.Names);
    mca::PipelineOptions Options(0, 0, 0, 0, 0, 0, /*NoAlias=*/true);
    mca::Context Hardware(M.Registers, M.Info);
    std::unique_ptr<mca::Pipeline> Simulation = M.Schedule.isOutOfOrder()
                                                    ? Hardware.createDefaultPipeline(Options, Source, Behaviour)
                                                    : Hardware.createInOrderPipeline(Options, Source, Behaviour);
    Expected<unsigned> Ran = Simulation->run();
    if (Ran)
      Cycles = double(*Ran) / Trips;
    else
      consumeError(Ran.takeError());
  }

  // The resource that is busy longest, and whether the width of dispatch is narrower still.
  double Busiest = 0;
  unsigned Resource = 0;
  for (unsigned R = 1; R < Usage.size(); ++R) {
    double Busy = double(Usage[R]) / M.Schedule.getProcResource(R)->NumUnits;
    if (Busy > Busiest + 1e-9) {
      Busiest = Busy;
      Resource = R;
    }
  }
  double Dispatch = double(MicroOps) / std::max(1u, M.Schedule.IssueWidth);
  Recurrence Chain = recurrence(M, Body, Costs);
  Cycles = std::max({Cycles, Busiest, Dispatch});
  const char *Bound = Chain.Cycles > std::max(Busiest, Dispatch) ? "latency" : Busiest >= Dispatch ? "resource" : "dispatch";
  OS << "loop " << Number << ' ' << format("%.2f", Cycles) << ' ' << format("%.2f", std::max(Busiest, Dispatch)) << ' '
     << format("%.2f", Chain.Cycles) << ' ' << MicroOps << ' ' << Unknown << ' ' << Bound << ' '
     << (Resource ? M.Schedule.getProcResource(Resource)->Name : "-") << '\n';
  if (StringRef(Bound) == "latency") {
    for (size_t I : Chain.On)
      OS << "by " << Body[I]->Line << '\n';
  } else if (StringRef(Bound) == "resource") {
    for (size_t I = 0; I < Body.size(); ++I) {
      const MCSchedClassDesc *Class = Costs[I].Class;
      if (!Class)
        continue;
      for (const MCWriteProcResEntry *E = M.Info.getWriteProcResBegin(Class), *End = M.Info.getWriteProcResEnd(Class); E != End; ++E)
        if (E->ProcResourceIdx == Resource && E->ReleaseAtCycle)
          OS << "by " << Body[I]->Line << '\n';
    }
  }
}

void describe(const char *Triple, const char *CPU, const char *Features, const char *Assembly, const unsigned *Lines, const size_t *Counts,
              size_t NumLoops, std::string &Text, std::string &Wrong) {
  std::string Error;
  const Target *T = TargetRegistry::lookupTarget(Triple, Error);
  if (!T) {
    Wrong = Error;
    return;
  }
  MCTargetOptions Options;
  std::unique_ptr<MCRegisterInfo> Registers(T->createMCRegInfo(Triple));
  std::unique_ptr<MCAsmInfo> Syntax(T->createMCAsmInfo(*Registers, Triple, Options));
  std::unique_ptr<MCSubtargetInfo> Info(T->createMCSubtargetInfo(Triple, CPU, Features));
  std::unique_ptr<MCInstrInfo> Names(T->createMCInstrInfo());
  std::unique_ptr<MCInstrAnalysis> Analysis(T->createMCInstrAnalysis(Names.get()));
  SourceMgr Sources;
  Sources.AddNewSourceBuffer(MemoryBuffer::getMemBuffer(Assembly, "assembly"), SMLoc());
  std::string Errors;
  Sources.setDiagHandler(
      [](const SMDiagnostic &D, void *To) {
        if (D.getKind() == SourceMgr::DK_Error)
          *static_cast<std::string *>(To) += (D.getMessage() + ": " + D.getLineContents() + "\n").str();
      },
      &Errors);
  MCContext Context(llvm::Triple(Triple), Syntax.get(), Registers.get(), Info.get(), &Sources, &Options);
  std::unique_ptr<MCObjectFileInfo> Objects(T->createMCObjectFileInfo(Context, /*PIC=*/true));
  Context.setObjectFileInfo(Objects.get());
  Instructions Stream(Context, Sources);
  std::unique_ptr<MCAsmParser> Parser(createMCAsmParser(Sources, Context, Stream, *Syntax));
  // The parser takes directives of the target to this streamer, which the other one owns.
  T->createNullTargetStreamer(Stream);
  std::unique_ptr<MCTargetAsmParser> Operands(T->createMCAsmParser(*Info, *Parser, *Names, Options));
  if (!Operands) {
    Wrong = "LLVM reads no assembly of this target";
    return;
  }
  Parser->setTargetParser(*Operands);
  if (Parser->Run(/*NoInitialTextSection=*/false)) {
    Wrong = Errors.empty() ? "the assembly could not be read" : Errors;
    return;
  }
  const MCSchedModel &Schedule = Info->getSchedModel();
  raw_string_ostream OS(Text);
  if (!Schedule.hasInstrSchedModel()) {
    OS << "none\n";
    return;
  }
  Model M{*Info, *Names, *Registers, Analysis.get(), Schedule};
  for (const Located &One : Stream.List) {
    Cost C = M.costOf(One.Inst);
    const MCInstrDesc &Desc = Names->get(One.Inst.getOpcode());
    OS << "inst " << One.Line << ' ' << C.MicroOps << ' ' << C.Latency << ' ' << format("%.2f", C.Throughput) << ' '
       << (Desc.mayLoad() ? 1 : 0) << ' ' << (Desc.mayStore() ? 1 : 0) << '\n';
  }
  for (size_t I = 0; I < NumLoops; Lines += Counts[I++])
    describeLoop(M, Stream.List, I, ArrayRef(Lines, Counts[I]), OS);
}

} // namespace

extern "C" {

// The costs of the instructions of an assembly file, and those of loops, each of which is so many lines in ascending order:
//   none                                                       LLVM has no model of this CPU
//   inst LINE MICROOPS LATENCY THROUGHPUT LOADS STORES         for each instruction
//   loop NUMBER CYCLES BUSY CHAIN MICROOPS UNKNOWN BOUND RESOURCE,  then  by LINE  for each instruction that bounds it
char *lw_throughput(const char *Triple, const char *CPU, const char *Features, const char *Assembly, const unsigned *Lines,
                    const size_t *Counts, size_t NumLoops, char **Error, char **Crash) {
  std::string Text, Wrong;
  if (!guarded([&] { describe(Triple, CPU, Features, Assembly, Lines, Counts, NumLoops, Text, Wrong); }, Crash))
    return nullptr;
  if (Wrong.empty())
    return strdup(Text.c_str());
  *Error = strdup(Wrong.c_str());
  return nullptr;
}

} // extern "C"
