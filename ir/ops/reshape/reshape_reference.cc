#include <cstring>

#include "ir/ops/reshape/reshape_rules.h"

namespace cutset::rules {
namespace {
Status copy(Views in, Views out) {
  if (in[0].data != out[0].data && in[0].elements() > 0)
    std::memcpy(out[0].data, in[0].data, static_cast<size_t>(in[0].elements() * size_of(in[0].dtype)));
  return {};
}
}  // namespace
namespace reshape {
Status reference(const Attrs&, Views in, Views out) { return copy(in, out); }
}  // namespace reshape
namespace reshape_like {
Status reference(const Attrs&, Views in, Views out) { return copy(in, out); }
}  // namespace reshape_like
}  // namespace cutset::rules
