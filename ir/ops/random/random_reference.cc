// Drawn in f32 whatever the type, so an f64 twin of a program starts from the same weights.
#include <cmath>

#include "ir/core/philox.h"
#include "ir/ops/random/random_rules.h"

namespace cutset::ops {

namespace random_uniform {
Status reference(const Attrs& a, Views, Views out) {
  const float low = static_cast<float>(a.low), width = static_cast<float>(a.high - a.low);
  return dispatch_float(out[0].dtype, [&]<class T>(T) {
    for (int64_t i = 0, n = out[0].elements(); i < n; i += 4) {
      const auto words =
          philox(static_cast<uint64_t>(a.seed), static_cast<uint64_t>(a.stream), static_cast<uint64_t>(i / 4));
      for (int64_t j = i; j < n && j < i + 4; ++j) {
        const float scaled = width * unit_float(words[size_t(j - i)]);
        out[0].as<T>()[j] = static_cast<T>(low + scaled);
      }
    }
  });
}
}  // namespace random_uniform

namespace random_normal {
// Box and Muller (1958), two words a number.
Status reference(const Attrs& a, Views, Views out) {
  return dispatch_float(out[0].dtype, [&]<class T>(T) {
    for (int64_t i = 0, n = out[0].elements(); i < n; i += 2) {
      const auto words =
          philox(static_cast<uint64_t>(a.seed), static_cast<uint64_t>(a.stream), static_cast<uint64_t>(i / 2));
      for (int64_t j = i; j < n && j < i + 2; ++j) {
        const float u = 1 - unit_float(words[size_t(2 * (j - i))]), v = unit_float(words[size_t(2 * (j - i) + 1)]);
        const float z = std::sqrt(-2 * std::log(u)) * std::cos(6.28318530717958647692f * v);
        out[0].as<T>()[j] = static_cast<T>(static_cast<float>(a.mean) + static_cast<float>(a.deviation) * z);
      }
    }
  });
}
}  // namespace random_normal

}  // namespace cutset::ops
