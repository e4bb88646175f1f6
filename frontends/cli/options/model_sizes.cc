// SPDX-License-Identifier: Apache-2.0
#include "frontends/cli/options/model_sizes.h"

#include <charconv>

#include "frontends/cli/options/arguments.h"
#include "frontends/cpp/checks/failure.h"

namespace cutset::cli {

void ModelSizes::add_to(CLI::App& app) {
  app.add_option("--size", arguments, "a size of the model, such as image_size or classes")
      ->type_name("NAME=N")
      ->take_all();
}

std::map<std::string, int64_t> ModelSizes::by_name() const {
  std::map<std::string, int64_t> sizes;
  for (const std::string& item : arguments) {
    const auto [name, number] = sides_of(item, "--size", "NAME=N");
    int64_t size = 0;
    const char* const end = number.data() + number.size();
    if (const auto parsed = std::from_chars(number.data(), end, size);
        parsed.ec != std::errc() || parsed.ptr != end || size < 0)
      raise(invalid_argument("--size '" + item + "' is not NAME=N"));
    if (!sizes.emplace(name, size).second) raise(invalid_argument("the size '" + name + "' is given twice"));
  }
  return sizes;
}

}  // namespace cutset::cli
