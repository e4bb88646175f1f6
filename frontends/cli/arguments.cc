#include "frontends/cli/arguments.h"

#include "frontends/cpp/failure.h"
#include "runtime/files/npy.h"

namespace cutset::cli {

std::pair<std::string, std::string> sides_of(const std::string& argument, const std::string& option, const char* form) {
  const size_t equals = argument.rfind('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == argument.size())
    raise(invalid_argument(option + " '" + argument + "' is not " + form));
  return {argument.substr(0, equals), argument.substr(equals + 1)};
}

Batch arrays_of(const std::vector<std::string>& arguments, const std::string& option) {
  Batch arrays;
  for (const std::string& argument : arguments) {
    const auto [name, file] = sides_of(argument, option, "NAME=FILE.npy");
    if (arrays.contains(name)) raise(invalid_argument(option + " names '" + name + "' twice"));
    arrays.emplace(name, check(read_npy(file)));
  }
  return arrays;
}

}  // namespace cutset::cli
