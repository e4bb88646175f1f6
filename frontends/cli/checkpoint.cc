#include "frontends/cli/checkpoint.h"

#include "frontends/cpp/failure.h"
#include "runtime/execute/finite.h"

namespace cutset::cli {
void save_checkpoint(const Session& session, const std::string& path) {
  for (const std::string& name : session.variables()) {
    const HostTensor value = session.variable(name);
    if (const std::string what = first_non_finite(value); !what.empty())
      raise(execution_failed(
          "the variables are not saved to '" + path + "', which stays as it was: '" + name + "' is " + what,
          "train again from an earlier checkpoint with a smaller --learning-rate"));
  }
  session.save(path);
}

}  // namespace cutset::cli
