// SPDX-License-Identifier: Apache-2.0
#include "runtime/data/named_datasets.h"

#include <algorithm>

#include "ir/core/registry.h"

namespace cutset {
RegisterDataset::RegisterDataset(NamedDataset dataset) { Registry<NamedDataset>::add(std::move(dataset)); }

const std::vector<NamedDataset>& named_datasets() { return Registry<NamedDataset>::all(); }

const NamedDataset* find_named_dataset(const std::string& name) {
  const auto found = std::ranges::find(named_datasets(), name, &NamedDataset::name);
  return found == named_datasets().end() ? nullptr : &*found;
}

std::vector<DatasetInput> inputs_of_images() {
  return {{"image", 4, "images", false}, {"label", 1, "a label per image", true}};
}
std::vector<DatasetInput> inputs_of_tokens() {
  return {{"token", 2, "tokens", true}, {"label", 2, "a label per token", true}};
}

}  // namespace cutset
