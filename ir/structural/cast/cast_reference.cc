#include "ir/core/convert.h"
#include "ir/structural/cast/cast_rules.h"

namespace cutset::rules::cast {

Status reference(const CastAttrs&, Views in, Views out) {
  Status inner;
  CUTSET_TRY(dispatch_all(in[0].dtype, [&]<class From>(From) {
    inner = dispatch_all(out[0].dtype, [&]<class To>(To) {
      for (int64_t i = 0, n = out[0].elements(); i < n; ++i) out[0].as<To>()[i] = convert<To>(in[0].as<From>()[i]);
    });
  }));
  return inner;
}
}  // namespace cutset::rules::cast
