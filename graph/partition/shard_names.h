// SPDX-License-Identifier: Apache-2.0
// The words of the argument `shard` of data(N, shard=WORD).
#pragma once

namespace cutset {

inline constexpr const char* kShardNames[] = {"", "optimizer", "gradients", "parameters"};  // by Data::Shard

}  // namespace cutset
