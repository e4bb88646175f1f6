// SPDX-License-Identifier: Apache-2.0
#include "frontends/models/heads.h"

#include <cutset/error.h>

#include <string>

namespace cutset::models {

void check_heads(int64_t width, int64_t heads) {
  if (width % heads != 0)
    throw Error(ErrorCode::kInvalidArgument,
                "the size 'width' is " + std::to_string(width) + ", which is not a multiple of the " +
                    std::to_string(heads) + " heads",
                "", "choose --size width and --size heads so that each head has the same number of elements");
}

}  // namespace cutset::models
