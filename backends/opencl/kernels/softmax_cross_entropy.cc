// SPDX-License-Identifier: Apache-2.0
#include "backends/opencl/launch.h"
#include "backends/portable/block_sums.h"

namespace cutset::opencl {
namespace {

// There is one work-item per row. LABEL is the type of the labels.
const char* kSource = R"(
FUNCTION float top_of(GLOBAL const float* row, int classes) {
  float top = row[0];
  for (int j = 1; j < classes; j++) top = row[j] > top ? row[j] : top;
  return top;
}
KERNEL(forward)(TENSOR(const float, logits), TENSOR(const LABEL, labels), TENSOR(float, loss), int classes) {
  BIND(const float, logits); BIND(const LABEL, labels); BIND(float, loss);
  int i = ITEM;
  GLOBAL const float* row = logits + i * classes;
  long label = labels[i];
  if (label < 0 || label >= classes) { loss[i] = NAN; return; }
  float top = top_of(row, classes);
  SUM_TERMS(sum, j, classes, exp(row[j] - top));
  loss[i] = log(sum) + top - row[label];
}
KERNEL(backward)(TENSOR(const float, gradient), TENSOR(const float, logits), TENSOR(const LABEL, labels),
                       TENSOR(float, d), int classes) {
  BIND(const float, gradient); BIND(const float, logits); BIND(const LABEL, labels); BIND(float, d);
  int i = ITEM;
  GLOBAL const float* row = logits + i * classes;
  d += i * classes;
  float top = top_of(row, classes);
  SUM_TERMS(sum, j, classes, d[j] = exp(row[j] - top));
  for (int j = 0; j < classes; j++) d[j] = gradient[i] * (d[j] / sum - (j == labels[i] ? 1.0f : 0.0f));
}
)";

std::string source(DType label) {
  return std::string("#define LABEL ") + c_type(label) + kBlockSums + kSource;
}

struct Forward {
  static std::string supports(const abi::Problem& p) {
    return p.in_type(0) == DType::f32 ? "" : "the kernel supports only logits of f32";
  }
  static void build(Launches& list, const abi::Problem& p) {
    list.add(source(p.in_type(1)), "forward", items(p.in_shape(0)[0]),
             {in(0), in(1), out(0), p.in_shape(0)[1]});
  }
};
struct Backward {
  static std::string supports(const abi::Problem& p) {
    return p.in_type(1) == DType::f32 ? "" : "the kernel supports only logits of f32";
  }
  static void build(Launches& list, const abi::Problem& p) {
    list.add(source(p.in_type(2)), "backward", items(p.in_shape(1)[0]),
             {in(0), in(1), in(2), out(0), p.in_shape(1)[1]});
  }
};

}  // namespace

void register_softmax_cross_entropy(abi::KernelTable& kernels) {
  add_kernel<Forward>(kernels, "softmax_cross_entropy");
  add_kernel<Backward>(kernels, "softmax_cross_entropy_backward");
}

}  // namespace cutset::opencl
