// SPDX-License-Identifier: Apache-2.0
// Numbers are drawn in f32 for every element type, so that an f64 version of a program starts from the same
// weights.
#include <cmath>

#include "ir/core/philox.h"
#include "ir/ops/random/random_rules.h"

namespace cutset::rules {
namespace {

// Sets each element of the result to number(words, k). `words` is the block of random words of the element,
// and k is its index within the block. A block gives kEach consecutive elements of the whole tensor.
template <int kEach, class Attrs, class F>
Status draw(const Attrs& a, Views in, Views out, F&& number) {
  const uint64_t seed =
      seed_of_step(static_cast<uint64_t>(a.seed), static_cast<uint64_t>(*in[1].as<int64_t>()));
  return dispatch_float(out[0].dtype, [&]<class T>(T) {
    for (int64_t i = 0, n = out[0].elements(); i < n;) {
      const int64_t element = a.first_element + i;
      const auto words =
          philox(seed, static_cast<uint64_t>(a.stream), static_cast<uint64_t>(element / kEach));
      for (int64_t k = element % kEach; k < kEach && i < n; ++k, ++i)
        out[0].as<T>()[i] = static_cast<T>(number(words, static_cast<size_t>(k)));
    }
  });
}

}  // namespace

namespace random_uniform {
Status reference(const Attrs& a, Views in, Views out) {
  const float low = static_cast<float>(a.low), width = static_cast<float>(a.high - a.low);
  return draw<4>(a, in, out, [&](const auto& words, size_t k) {
    const float scaled = width * unit_float(words[k]);
    return low + scaled;
  });
}
}  // namespace random_uniform

namespace random_normal {
// Uses the method of Box and Muller, "A note on the generation of random normal deviates" (1958). Each number
// takes two words.
Status reference(const Attrs& a, Views in, Views out) {
  const float mean = static_cast<float>(a.mean), stddev = static_cast<float>(a.stddev);
  return draw<2>(a, in, out, [&](const auto& words, size_t k) {
    const float u = 1 - unit_float(words[2 * k]), v = unit_float(words[2 * k + 1]);
    const float z = std::sqrt(-2 * std::log(u)) * std::cos(6.28318530717958647692f * v);
    return mean + stddev * z;
  });
}
}  // namespace random_normal

}  // namespace cutset::rules
