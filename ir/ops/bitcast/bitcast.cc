// SPDX-License-Identifier: Apache-2.0
// The rules of bitcast: infer, shard and cost (ir/core/op/op_info.h).
#include "ir/ops/bitcast/bitcast_rules.h"

namespace cutset::rules::bitcast {

Result<Types> infer(const Attrs& a, const Types& in) {
  const DType from = in[0].dtype, to = static_cast<DType>(a.dtype);
  if (size_of(from) != size_of(to))
    return invalid_argument("C1: elements of " + std::string(name_of(from)) + " have " +
                            std::to_string(size_of(from)) + " bytes, and elements of " + name_of(to) +
                            " have " + std::to_string(size_of(to)));
  if (to == DType::i1 && from != DType::i1)
    return invalid_argument("C2: bytes of " + std::string(name_of(from)) +
                            " are no truth values (cast them)");
  return Types{{to, in[0].shape}};
}
ShardingRule shard(const Attrs&, const Types& in) { return elementwise_rule(in, in[0]); }
Cost cost(const Attrs& a, const Types& in) { return streaming_cost(in, *infer(a, in), 0); }

}  // namespace cutset::rules::bitcast
