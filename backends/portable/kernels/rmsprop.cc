// SPDX-License-Identifier: Apache-2.0
#include "backends/portable/launches.h"
#include "backends/portable/update_source.h"

namespace cutset::portable {
namespace {

const char* const kSquare = R"(
  float gradient = g[i] + *decay * w[i];
  float square = *alpha * s[i] + (1.0f - *alpha) * (gradient * gradient);
)";
const char* const kUpdate = R"(
  float velocity = *momentum * v[i] + gradient / (divisor + *epsilon);
  new_w[i] = w[i] - *rate * velocity;
  new_s[i] = square;
  new_v[i] = velocity;
)";

std::string source() {
  return update_source("rmsprop", {"w", "s", "v", "g", "rate", "alpha", "epsilon", "decay", "momentum"},
                       {"new_w", "new_s", "new_v"},
                       std::string(kSquare) + "  float divisor = sqrt(square);\n" + kUpdate);
}
std::string centered_source() {
  return update_source("centered_rmsprop",
                       {"w", "s", "v", "m", "g", "rate", "alpha", "epsilon", "decay", "momentum"},
                       {"new_w", "new_s", "new_v", "new_m"}, std::string(kSquare) + R"(
  float mean = *alpha * m[i] + (1.0f - *alpha) * gradient;
  float variance = square - mean * mean;
  float divisor = sqrt(variance < 0.0f ? 0.0f : variance);
  new_m[i] = mean;
)" + kUpdate);
}

struct Rmsprop : SupportsF32 {
  static void build(Launches& list, const abi::Problem& p) {
    list.need_exact_division();
    const int64_t n = elements(p.out_shape(0));
    list.add_flat(source(), "rmsprop", n,
                  {in(0), in(1), in(2), in(3), in(4), in(5), in(6), in(7), in(8), out(0), out(1), out(2), n});
  }
};
struct CenteredRmsprop : SupportsF32 {
  static void build(Launches& list, const abi::Problem& p) {
    list.need_exact_division();
    const int64_t n = elements(p.out_shape(0));
    list.add_flat(centered_source(), "centered_rmsprop", n,
                  {in(0), in(1), in(2), in(3), in(4), in(5), in(6), in(7), in(8), in(9), out(0), out(1),
                   out(2), out(3), n});
  }
};

}  // namespace

void register_rmsprop(abi::KernelTable& kernels) {
  add_kernel<Rmsprop>(kernels, "rmsprop");
  add_kernel<CenteredRmsprop>(kernels, "centered_rmsprop");
}

}  // namespace cutset::portable
