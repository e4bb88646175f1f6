// SPDX-License-Identifier: Apache-2.0
#include "backends/portable/launches.h"
#include "ir/ops/one_hot/one_hot_attrs.h"

namespace cutset::portable {
namespace {

struct OneHot {
  static std::string supports(const abi::Problem& p) { return only(p, {DType::i32, DType::i64, DType::f32}); }
  static void build(Launches& list, const abi::Problem& p) {
    const int64_t n = elements(p.out_shape(0));
    list.add_flat(std::string("#define LABEL ") + c_type(p.in_type(0)) +
                      "\nKERNEL(one_hot)(TENSOR(const LABEL, labels), TENSOR(float, y), int depth, int n) { "
                      "BIND(const LABEL, labels); BIND(float, y); int i = ITEM; "
                      "if (i < n) y[i] = i % depth == labels[i / depth]; }",
                  "one_hot", n, {in(0), out(0), p.attributes<OneHotAttrs>().depth, n});
  }
};

}  // namespace

void register_one_hot(abi::KernelTable& kernels) { add_kernel<OneHot>(kernels, "one_hot"); }

}  // namespace cutset::portable
