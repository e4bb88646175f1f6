// The third check of a function: every step terminates, because no instruction waits for an event, a message or a sum
// that never arrives.
#pragma once
#include "ir/core/result.h"
#include "runtime/program/program.h"

namespace cutset::check {

// Fails with an instruction that would block forever. The function must have passed check_instructions, or come from the
// compiler. It need not be expanded, because roles neither signal nor wait. It takes linear time in the size of the function.
Status check_order(const Function& function);

}  // namespace cutset::check
