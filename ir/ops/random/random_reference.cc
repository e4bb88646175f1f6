// Drawn in f32 whatever the type, so an f64 twin of a program starts from the same weights.
#include <cmath>

#include "ir/core/philox.h"
#include "ir/ops/random/random_rules.h"

namespace cutset::ops {
namespace {

// Draws out[i] = number(words, k) for element first + i, the k-th of the kEach that a block of words gives.
template <int kEach, class Attrs, class F>
Status draw(const Attrs& a, Views in, Views out, F&& number) {
  const uint64_t seed = seed_of_step(static_cast<uint64_t>(a.seed), static_cast<uint64_t>(*in[1].as<int64_t>()));
  return dispatch_float(out[0].dtype, [&]<class T>(T) {
    for (int64_t i = 0, n = out[0].elements(); i < n;) {
      const int64_t element = a.first_element + i;
      const auto words = philox(seed, static_cast<uint64_t>(a.stream), static_cast<uint64_t>(element / kEach));
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
// Box and Muller (1958), two words a number.
Status reference(const Attrs& a, Views in, Views out) {
  const float mean = static_cast<float>(a.mean), deviation = static_cast<float>(a.deviation);
  return draw<2>(a, in, out, [&](const auto& words, size_t k) {
    const float u = 1 - unit_float(words[2 * k]), v = unit_float(words[2 * k + 1]);
    const float z = std::sqrt(-2 * std::log(u)) * std::cos(6.28318530717958647692f * v);
    return mean + deviation * z;
  });
}
}  // namespace random_normal

}  // namespace cutset::ops
