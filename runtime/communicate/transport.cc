// SPDX-License-Identifier: Apache-2.0
#include "runtime/communicate/transport.h"

namespace cutset {

std::string to_string(const MessageHeader& h) {
  return "program " + std::to_string(h.program) + ", epoch " + std::to_string(h.epoch) + ", channel " +
         std::to_string(h.channel) + ", step " + std::to_string(h.step) + ", " + std::to_string(h.bytes) +
         " bytes of " + name_of(static_cast<DType>(h.dtype));
}

}  // namespace cutset
