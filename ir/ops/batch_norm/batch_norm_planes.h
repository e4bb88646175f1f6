// SPDX-License-Identifier: Apache-2.0
// The planes of a tensor whose dimension 1 is the channel.
#pragma once
#include <cstdint>
#include <span>

namespace cutset {

// A tensor [samples, channels, pixels]. A plane has the pixels of one channel of one sample.
struct ChannelPlanes {
  int64_t samples = 1, channels = 1, pixels = 1;
  // `shape` has rank 2 or more.
  explicit ChannelPlanes(std::span<const int64_t> shape) : samples(shape[0]), channels(shape[1]) {
    for (int64_t d : shape.subspan(2)) pixels *= d;
  }
};

}  // namespace cutset
