// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/language.h"
#include "backends/portable/block_sums.h"

namespace cutset::cuda {
namespace {

// A warp computes a row: each of its threads reads every 32nd class. LABEL is the type of the labels.
const char* const kSource = R"(
FUNCTION float largest_of_warp(float v) {
  for (int d = 16; d > 0; d /= 2) { float other = __shfl_xor_sync(0xffffffffu, v, d); v = other > v ? other : v; }
  return v;
}
FUNCTION float sum_of_warp(float v) {
  for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(0xffffffffu, v, d);
  return v;
}
FUNCTION float top_of(const float* row, int classes) {
  float top = row[0];
  for (int j = threadIdx.x % 32; j < classes; j += 32) top = row[j] > top ? row[j] : top;
  return largest_of_warp(top);
}
FUNCTION float sum_of_exp(const float* row, int classes, float top) {
  int lane = threadIdx.x % 32;
  SUM_TERMS(sum, j, (classes - lane + 31) / 32, exp(row[lane + j * 32] - top));
  return sum_of_warp(sum);
}
KERNEL(forward)(TENSOR(const float, logits), TENSOR(const LABEL, labels), TENSOR(float, loss), int classes, int rows) {
  BIND(const float, logits); BIND(const LABEL, labels); BIND(float, loss);
  int i = ITEM / 32;
  if (i >= rows) return;
  const float* row = logits + i * classes;
  long label = labels[i];
  float top = top_of(row, classes), sum = sum_of_exp(row, classes, top);
  if (threadIdx.x % 32 == 0) loss[i] = label < 0 || label >= classes ? NAN : log(sum) + top - row[label];
}
KERNEL(backward)(TENSOR(const float, gradient), TENSOR(const float, logits), TENSOR(const LABEL, labels),
                 TENSOR(float, d), int classes, int rows) {
  BIND(const float, gradient); BIND(const float, logits); BIND(const LABEL, labels); BIND(float, d);
  int i = ITEM / 32;
  if (i >= rows) return;
  const float* row = logits + i * classes;
  long label = labels[i];
  float top = top_of(row, classes), sum = sum_of_exp(row, classes, top), scale = gradient[i];
  for (int j = threadIdx.x % 32; j < classes; j += 32)
    d[i * classes + j] = scale * (exp(row[j] - top) / sum - (j == label ? 1.0f : 0.0f));
}
)";

std::string source(DType label) {
  return std::string("#define LABEL ") + c_type(label) + kBlockSums + kSource;
}

struct Forward {
  static std::string supports(const abi::Problem& p) {
    return p.in_type(0) == DType::f32 ? "" : std::string("no kernel for ") + name_of(p.in_type(0));
  }
  static void build(Launches& list, const abi::Problem& p) {
    const int64_t rows = p.in_shape(0)[0], classes = p.in_shape(0)[1];
    list.add_flat(source(p.in_type(1)), "forward", rows * 32, {in(0), in(1), out(0), classes, rows});
  }
};
struct Backward {
  static std::string supports(const abi::Problem& p) {
    return p.in_type(1) == DType::f32 ? "" : std::string("no kernel for ") + name_of(p.in_type(1));
  }
  static void build(Launches& list, const abi::Problem& p) {
    const int64_t rows = p.in_shape(1)[0], classes = p.in_shape(1)[1];
    list.add_flat(source(p.in_type(2)), "backward", rows * 32, {in(0), in(1), in(2), out(0), classes, rows});
  }
};

}  // namespace

void register_softmax_cross_entropy(abi::KernelTable& kernels) {
  add_kernel<Forward>(kernels, "softmax_cross_entropy");
  add_kernel<Backward>(kernels, "softmax_cross_entropy_backward");
}

}  // namespace cutset::cuda
