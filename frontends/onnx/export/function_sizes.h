// SPDX-License-Identifier: Apache-2.0
// The sizes of the values of a function as functions of the batch, for models that run with any batch.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "frontends/cpp/bridge/bridge.h"

namespace cutset::onnx {

// A size of a value: per_sample * batch + rest.
struct Size {
  int64_t per_sample = 0, rest = 0;
  bool is_fixed() const { return per_sample == 0; }
  auto operator<=>(const Size&) const = default;
};
using Sizes = std::vector<Size>;

// A function and the sizes of all its values.
struct SizedFunction {
  ListedFunction function;
  std::vector<Sizes> sizes;  // by value
  // The index in function.inputs of an input whose size along its batch dimension is the batch. Empty: all
  // sizes are fixed.
  std::optional<size_t> batch_input;
  std::string why_fixed;  // why all sizes are fixed, if they are
};

// Lists a function of a graph for several sizes of the batch, and finds out how its sizes depend on the
// batch. The batch is open if the lists have the same ops and constants, and each size is the same affine
// function of the batch in all lists. Otherwise, and without `open_batch`, all sizes are fixed to the sizes
// in the graph.
Result<SizedFunction> list_with_sizes(const GraphSnapshot& graph, const std::string& function,
                                      bool open_batch);

}  // namespace cutset::onnx
