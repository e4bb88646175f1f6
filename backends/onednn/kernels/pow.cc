// SPDX-License-Identifier: Apache-2.0
// Powers with one exponent. If the exponent is a whole number up to 8, computes products with vector
// instructions. With another exponent, all threads call std::pow.
#include <cmath>
#include <string>

#include "backends/onednn/for_each_processor.h"
#include "backends/onednn/primitive.h"

namespace cutset::onednn {
namespace {

// Computes x to the power of a whole number with products.
CUTSET_FOR_EACH_PROCESSOR
void whole_powers_of_all(const float* a, int64_t power, float* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    float product = 1, square = a[i];
    for (int64_t left = power; left > 0; left /= 2, square *= square)
      product = left % 2 ? product * square : product;
    y[i] = product;
  }
}

// Powers with one exponent, which is often 2 or 3.
class Power : public abi::NoScratch {
 public:
  static std::string supports(const cutset_device_info&, const abi::Problem& p) {
    if (abi::type_of(p.tensor(1)).elements() != 1 || p.in_shape(1).size() > p.in_shape(0).size())
      return "the kernel supports only one exponent";
    return p.only_f32();
  }
  Power(cutset_device, const abi::Problem& p) : elements_(abi::type_of(p.tensor(0)).elements()) {}
  void enqueue(cutset_queue queue, const abi::Operands& at) {
    const auto* a = static_cast<const float*>(abi::address(at.in[0]));
    const float exponent = *static_cast<const float*>(abi::address(at.in[1]));
    auto* y = static_cast<float*>(abi::address(at.out[0]));
    const bool is_small_integer =
        exponent >= 0 && exponent <= kLargestWhole && exponent == std::floor(exponent);
    parallel_for_large(queue, elements_, kLeastElements, [&](int64_t first, int64_t last) {
      if (is_small_integer)
        return whole_powers_of_all(a + first, static_cast<int64_t>(exponent), y + first, last - first);
      for (int64_t i = first; i < last; ++i) y[i] = std::pow(a[i], exponent);
    });
  }

 private:
  static constexpr float kLargestWhole = 8;  // more products would add more rounding errors than std::pow has
  static constexpr int64_t kLeastElements = 8192;  // per thread
  int64_t elements_;
};

}  // namespace

void register_pow(abi::KernelTable& kernels) { add_kernel<Power>(kernels, "pow", "pow.vectors"); }

}  // namespace cutset::onednn
