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
  // Return, for each node, the nodes from which edges lead to it (before) and the nodes to which edges lead
  // from it (after), in the order of the edges.
  const Neighbours& before() const { return before_; }
  const Neighbours& after() const { return after_; }
  // Returns the largest number of scopes of a layer, which is at least 1.
  size_t scopes() const { return scopes_; }

  const DotPart& part(const std::string& node) const;
  static const std::vector<std::string>& neighbours(const std::string& node, const Neighbours& of);
  // Returns the pass to which an op belongs. The role does not tell the pass, because forward and backward
  // ops of a micro-batch may be in one role. A sum of results of forward ops over micro-batches is forward,
  // and a sum of gradients belongs to the update.
  Pass pass_of(const std::string& node) const;

 private:
  const DotBuilder& drawing_;
  Neighbours before_, after_;
  size_t scopes_ = 1;
  std::set<std::string> needed_;  // the nodes on which results other than gradients depend
};

}  // namespace cutset::passes
