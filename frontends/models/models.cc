// SPDX-License-Identifier: Apache-2.0
#include "frontends/models/models.h"

#include <algorithm>

#include "ir/core/names.h"
#include "ir/core/registry.h"

namespace cutset::models {
namespace {

// Returns the names of models or of sizes.
std::vector<std::string> list_of_names(const auto& named) {
  std::vector<std::string> names;
  for (const auto& n : named) names.emplace_back(n.name);
  return names;
}

}  // namespace

RegisterModel::RegisterModel(Model model) { Registry<Model>::add(std::move(model)); }

const std::vector<Model>& all() { return Registry<Model>::all(); }

std::vector<std::string> names() { return list_of_names(all()); }

const Model& find(const std::string& name) {
  for (const Model& m : all())
    if (name == m.name) return m;
  throw Error(ErrorCode::kInvalidArgument, "unknown model '" + name + "'", "",
              "the models are " + list_and_nearest(name, names()));
}

Graph Model::build(Settings settings) const {
  constexpr int64_t kLargest = int64_t{1} << 24;  // no product of three sizes overflows
  for (const auto& [size_name, value] : settings.sizes) {
    if (std::none_of(sizes.begin(), sizes.end(), [&](const Size& s) { return size_name == s.name; }))
      throw Error(ErrorCode::kInvalidArgument,
                  "the model '" + std::string(name) + "' has no size '" + size_name + "'", "",
                  "its sizes are " + list_and_nearest(size_name, list_of_names(sizes)));
    if (value < 1 || value > kLargest)
      throw Error(ErrorCode::kInvalidArgument, "the size '" + size_name + "' is " + std::to_string(value), "",
                  "give a number from 1 to " + std::to_string(kLargest));
  }
  if (!has_dropout && settings.dropout.value_or(0) != 0)
    throw Error(ErrorCode::kInvalidArgument, "the model '" + std::string(name) + "' has no dropout layers",
                "", "leave out --dropout");
  for (const Size& s : sizes) settings.sizes.emplace(s.name, s.value);
  return builder(settings);
}

}  // namespace cutset::models
