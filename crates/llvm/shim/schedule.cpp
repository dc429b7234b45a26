// The order of machine instructions: LLVM's scheduler, which may not make the registers too few.
//
// Before registers are allocated, LLVM's scheduler moves instructions apart from those that wait for them. In a block of
// hundreds of operations on vectors, a round of a hash or a cipher, it so makes more values live at once than there are
// registers, though in the order of the source they fit; and an out-of-order CPU gains nothing by the new order. Such a
// region gets its old order back. No policy but that: where the new order fits, or the old one does not fit
// better, it stays.

#include "llvm/CodeGen/LiveIntervals.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineScheduler.h"
#include "llvm/CodeGen/RegisterClassInfo.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

namespace {

class KeepsPressure final : public ScheduleDAGMILive {
public:
  // Takes the strategy and the mutations of the target's own scheduler.
  KeepsPressure(MachineSchedContext *C, ScheduleDAGMILive *Own)
      : ScheduleDAGMILive(C, std::move(Own->*(&KeepsPressure::SchedImpl))) {
    Mutations = std::move(Own->*(&KeepsPressure::Mutations));
  }

  void schedule() override {
    SmallVector<MachineInstr *, 64> Order;
    for (MachineInstr &I : make_range(RegionBegin, RegionEnd))
      if (!I.isDebugInstr())
        Order.push_back(&I);
    ScheduleDAGMILive::schedule();
    if (ShouldTrackPressure && isWorse())
      restore(Order);
  }

private:
  // Whether values of some kind do not fit their registers, and more of them are live at once than before. One more, of
  // dozens, is worth a shorter wait.
  bool isWorse() const {
    const auto &Before = RegPressure.MaxSetPressure;
    for (unsigned Set = 0; Set < Before.size(); ++Set) {
      unsigned After = std::max(TopPressure.MaxSetPressure[Set], BotPressure.MaxSetPressure[Set]);
      if (20 * After > 21 * Before[Set] && After > RegClassInfo->getRegPressureSetLimit(Set))
        return true;
    }
    return false;
  }

  void restore(ArrayRef<MachineInstr *> Order) {
    MachineBasicBlock::iterator Next = RegionEnd;
    for (MachineInstr *I : reverse(Order)) {
      if (std::next(I->getIterator()) != Next)
        moveInstruction(I, Next);
      Next = I->getIterator();
    }
    placeDebugValues();
  }
};

ScheduleDAGInstrs *createScheduler(MachineSchedContext *C) {
  ScheduleDAGInstrs *Own = C->PassConfig->createMachineScheduler(C);
  switch (C->MF->getTarget().getTargetTriple().getArch()) {
  case Triple::x86_64:
  case Triple::aarch64:
  case Triple::riscv64: {
    auto *Live = Own ? static_cast<ScheduleDAGMILive *>(Own) : createGenericSchedLive(C);
    auto *Ours = new KeepsPressure(C, Live);
    delete Live;
    return Ours;
  }
  default:
    // Machines whose schedulers may be of another kind, in programs that use the same library of LLVM's.
    return Own ? Own : createGenericSchedLive(C);
  }
}

MachineSchedRegistry Registered("lanewise", "LLVM's scheduler, within the registers there are", createScheduler);

} // namespace

// LLVM has no other way to choose a scheduler than this option, which is the process's.
extern "C" void lw_choose_scheduler() {
  auto &Options = cl::getRegisteredOptions();
  auto Found = Options.find("misched");
  if (Found != Options.end() && Found->second->getNumOccurrences() == 0)
    Found->second->addOccurrence(0, "misched", "lanewise");
}
