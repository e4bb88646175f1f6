// SPDX-License-Identifier: Apache-2.0
// The drawing by op as a graph: the neighbours of each node, and whether an op is forward, backward or an
// update.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "passes/inspect/dot_builder.h"

namespace cutset::passes {

class DotOpGraph {
 public:
  using Neighbours = std::map<std::string, std::vector<std::string>>;
  enum class Pass { kForward, kBackward, kUpdate };

  // `drawing` must stay valid.
  explicit DotOpGraph(const DotBuilder& drawing);

  const DotBuilder& drawing() const { return drawing_; }
  // The nodes from which edges lead to each node, and to which edges lead from it, in the order of the edges.
  const Neighbours& before() const { return before_; }
  const Neighbours& after() const { return after_; }
  // The most scopes that a layer has, at least 1.
  size_t scopes() const { return scopes_; }

  const DotPart& part(const std::string& node) const;
  static const std::vector<std::string>& neighbours(const std::string& node, const Neighbours& of);
  // Forward and backward ops of a micro-batch may have one role. A sum over micro-batches belongs to what it
  // adds: results of forward ops, or gradients, which it prepares for the update.
  Pass pass_of(const std::string& node) const;

 private:
  const DotBuilder& drawing_;
  Neighbours before_, after_;
  size_t scopes_ = 1;
  std::set<std::string> needed_;  // the nodes on which results other than gradients depend
};

}  // namespace cutset::passes
