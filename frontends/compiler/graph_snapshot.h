// SPDX-License-Identifier: Apache-2.0
// A graph as it was when the snapshot was made, as MLIR bytecode.
#pragma once
#include <string>
#include <vector>

#include "frontends/compiler/graph_values.h"
#include "frontends/cpp/bridge/bridge.h"

namespace cutset {

// A scalar that the session feeds.
struct Scalar {
  std::string name;
  DType type;
  Feed feed;
  double initial;
  BuiltValue value;
};

// The contents of a graph. A builder that copies the graph is made from them.
struct GraphContents {
  std::string bytecode;
  std::vector<InitializedVariable> initialized;
  std::vector<ValuePlace> values;  // by id
  std::vector<Scalar> scalars;
};

// Whether the variable `name` starts with the elements of `first`. If `first` has no elements: whether the
// variable has none.
bool has_elements(const std::vector<InitializedVariable>& initialized, const std::string& name,
                  const std::optional<FirstValue>& first);

std::shared_ptr<const BuiltSnapshot> make_snapshot(GraphContents contents);

}  // namespace cutset
