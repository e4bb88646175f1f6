#include "frontends/cli/checkpoint.h"

#include <cmath>

#include "frontends/cpp/graph_state.h"

namespace cutset::cli {
namespace {

template <class T>
int64_t first_not_finite(const HostTensor& t) {
  for (int64_t i = 0, n = t.type().elements(); i < n; ++i)
    if (!std::isfinite(t.as<T>()[i])) return i;
  return -1;
}

}  // namespace

void save_checkpoint(const Session& session, const std::string& path) {
  for (const std::string& name : session.variables()) {
    const HostTensor value = session.variable(name);
    const int64_t at = value.type().dtype == f32   ? first_not_finite<float>(value)
                       : value.type().dtype == f64 ? first_not_finite<double>(value)
                                                   : -1;
    if (at >= 0)
      raise(execution_failed("the variables are not saved to '" + path + "', which stays as it was: element " +
                                 std::to_string(at) + " of '" + name + "' is " + std::to_string(value.at(at)),
                             "train again from an earlier checkpoint with a smaller --learning-rate"));
  }
  session.save(path);
}

}  // namespace cutset::cli
