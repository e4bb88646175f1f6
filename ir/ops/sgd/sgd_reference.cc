#include "ir/ops/sgd/sgd_rules.h"

namespace cutset::ops::sgd {

Status reference(const SgdAttrs& a, Views in, Views out) {
  return dispatch_float(in[0].dtype, [&]<class T>(T) {
    const T rate = static_cast<T>(a.learning_rate), momentum = static_cast<T>(a.momentum);
    for (int64_t i = 0, n = in[0].elements(); i < n; ++i) {
      const T v = momentum * in[1].as<T>()[i] + in[2].as<T>()[i];
      out[0].as<T>()[i] = in[0].as<T>()[i] - rate * v;
      out[1].as<T>()[i] = v;
    }
  });
}

}  // namespace cutset::ops::sgd
