// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/matmul/matmul_rules.h"

namespace cutset::rules::matmul {

static Case product(std::string name, Shape x, Shape y, bool tx, bool ty) {
  return {name, {{"transpose_x", tx}, {"transpose_y", ty}}, {{{f32, x}}, {{f32, y}}}, 2e-5,
          1e-5, "sums of up to 800 products in f32"};
}

OpCases cases() {
  OpCases all;
  all.fixed = {product("dense", {16, 800}, {100, 800}, false, true),
               product("dense input gradient", {16, 50}, {50, 80}, false, false),
               product("dense weight gradient", {16, 50}, {16, 80}, true, false),
               product("both transposed", {7, 5}, {3, 7}, true, true),
               product("odd sizes", {13, 17}, {17, 31}, false, false),
               product("one row", {1, 9}, {9, 33}, false, false),
               product("one column", {9, 4}, {4, 1}, false, false),
               product("stack", {3, 4, 5}, {3, 5, 6}, false, false),
               product("stack times matrix", {3, 4, 5}, {5, 6}, false, false),
               product("broadcast stacks", {2, 1, 4, 5}, {3, 6, 5}, false, true),
               product("many rows", {131, 17}, {17, 65}, false, false),
               product("no rows", {0, 5}, {5, 3}, false, false),
               product("no columns", {4, 5}, {0, 5}, false, true),
               product("nothing to add", {4, 0}, {0, 20}, false, false),
               product("nothing to add, transposed", {0, 4}, {3, 0}, true, true),
               product("no matrices", {0, 4, 5}, {5, 6}, false, false)};
  all.random = [](PhiloxSequence& r) {
    auto one_to = [&](uint64_t n) { return 1 + static_cast<int64_t>(r.below(n)); };
    bool tx = r.below(2), ty = r.below(2);
    int64_t m = one_to(6), n = one_to(6), k = one_to(6);
    Shape x = tx ? Shape{k, m} : Shape{m, k}, y = ty ? Shape{n, k} : Shape{k, n};
    if (r.below(3) == 0) {
      int64_t b = one_to(3);
      x.insert(x.begin(), b);
      if (r.below(2)) y.insert(y.begin(), r.below(2) ? b : 1);
    }
    return product("random", x, y, tx, ty);
  };
  return sharded(all, "broadcast stacks", "0 - > 0; - 0 > 1; 2 - > 2; - 1 > 3; 3 2 > +");
}

}  // namespace cutset::rules::matmul
