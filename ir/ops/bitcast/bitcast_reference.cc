#include <cstring>

#include "ir/ops/bitcast/bitcast_rules.h"

namespace cutset::rules::bitcast {

Status reference(const Attrs&, Views in, Views out) {
  const auto bytes = static_cast<size_t>(in[0].elements()) * static_cast<size_t>(size_of(in[0].dtype));
  if (bytes > 0) std::memcpy(out[0].data, in[0].data, bytes);
  return {};
}

}  // namespace cutset::rules::bitcast
