// SPDX-License-Identifier: Apache-2.0
// The generator from which the doubles draw their orders.
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

namespace cutset::cuda::doubles {

// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  // Returns a number from 0 to limit - 1.
  uint64_t below(uint64_t limit) { return next() % limit; }
  template <class T>
  void shuffle(std::vector<T>& list) {
    for (size_t i = list.size(); i > 1; --i) std::swap(list[i - 1], list[below(i)]);
  }

 private:
  uint64_t state_;
};

}  // namespace cutset::cuda::doubles
