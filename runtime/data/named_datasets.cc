// SPDX-License-Identifier: Apache-2.0
#include "runtime/data/named_datasets.h"

#include <algorithm>

namespace cutset {
namespace {

// The list is local to a function, so that it exists before the first data set registers itself, whatever the
// order in which files are initialized.
std::vector<NamedDataset>& registered_datasets() {
  static std::vector<NamedDataset> list;
  return list;
}

}  // namespace

RegisterDataset::RegisterDataset(NamedDataset dataset) {
  std::vector<NamedDataset>& list = registered_datasets();
  list.insert(std::ranges::upper_bound(list, dataset.name, {}, &NamedDataset::name), std::move(dataset));
}

const std::vector<NamedDataset>& named_datasets() { return registered_datasets(); }

const NamedDataset* find_named_dataset(const std::string& name) {
  const auto found = std::ranges::find(registered_datasets(), name, &NamedDataset::name);
  return found == registered_datasets().end() ? nullptr : &*found;
}

std::vector<DatasetInput> inputs_of_images() {
  return {{"image", 4, "images", false}, {"label", 1, "a label per image", true}};
}
std::vector<DatasetInput> inputs_of_tokens() {
  return {{"token", 2, "tokens", true}, {"label", 2, "a label per token", true}};
}

}  // namespace cutset
