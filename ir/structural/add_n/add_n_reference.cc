#include "ir/structural/add_n/add_n_rules.h"

namespace cutset::rules::add_n {
Status reference(const AddNAttrs&, Views in, Views out) {
  return dispatch_float(out[0].dtype, [&]<class T>(T) {
    for (int64_t i = 0, n = out[0].elements(); i < n; ++i) {
      T sum = in[0].as<T>()[i];
      for (size_t k = 1; k < in.size(); ++k) sum += in[k].as<T>()[i];
      out[0].as<T>()[i] = sum;
    }
  });
}
}  // namespace cutset::rules::add_n
