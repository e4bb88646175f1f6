// SPDX-License-Identifier: Apache-2.0
#include "frontends/cli/options/arguments.h"

#include <algorithm>

#include "frontends/cpp/checks/failure.h"
#include "ir/core/half.h"
#include "runtime/files/npy.h"

namespace cutset::cli {

std::pair<std::string, std::string> sides_of(const std::string& argument, const std::string& option,
                                             const char* form) {
  const size_t equals = argument.rfind('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == argument.size())
    raise(invalid_argument(option + " '" + argument + "' is not " + form));
  return {argument.substr(0, equals), argument.substr(equals + 1)};
}

std::string conversion_to(DType type) {
  // NumPy has no bf16, so arrays of f32 are rounded where a model reads bf16.
  const char* const name = numpy_name(type == DType::bf16 ? DType::f32 : type);
  return name ? "convert the array, with numpy: x.astype('" + std::string(name) + "')"
              : std::string("a .npy file has no elements of the type ") + name_of(type) +
                    "; give a model that reads another type";
}

HostTensor rounded_to_bf16(const HostTensor& floats) {
  HostTensor rounded({DType::bf16, floats.shape()});
  to_halves(floats.as<float>().data(), rounded.as<uint16_t>().data(), rounded.elements(), DType::bf16);
  return rounded;
}

namespace {

constexpr char kArrayForm[] = "NAME=FILE.npy";

}  // namespace

Batch arrays_of(const std::vector<std::string>& arguments, const std::string& option) {
  Batch arrays;
  for (const std::string& argument : arguments) {
    const auto [name, file] = sides_of(argument, option, kArrayForm);
    if (arrays.contains(name)) raise(invalid_argument(option + " names '" + name + "' twice"));
    arrays.emplace(name, check(read_npy(file)));
  }
  return arrays;
}

void add_arrays(OutputFiles& outputs, const std::vector<std::string>& arguments, const std::string& option) {
  for (const std::string& argument : arguments)
    outputs.reads(option, sides_of(argument, option, kArrayForm).second);
}

}  // namespace cutset::cli
