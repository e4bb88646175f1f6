// SPDX-License-Identifier: Apache-2.0
#include "passes/inspect/dot_groups.h"

#include <algorithm>

#include "ir/core/number_text.h"
#include "passes/inspect/dot_group_texts.h"
#include "passes/inspect/dot_op_graph.h"

namespace cutset::passes {
namespace {

using Kind = DotPart::Kind;
using Neighbours = DotOpGraph::Neighbours;
using Pass = DotOpGraph::Pass;

// Returns the first scopes of a layer: "layer1/0" for two scopes of "layer1/0/conv1".
std::string first_scopes(const std::string& layer, size_t scopes) {
  size_t end = 0;
  for (size_t i = 0; i < scopes && end != std::string::npos; ++i) end = layer.find('/', i == 0 ? 0 : end + 1);
  return layer.substr(0, end);
}

// Makes one drawing of groups.
class GroupDrawer {
 public:
  // A group has the first `scopes` scopes of its layers. `blocks`: one group has all updates of a device.
  GroupDrawer(const DotOpGraph& ops, size_t scopes, bool blocks)
      : ops_(ops), scopes_(scopes), blocks_(blocks) {}

  DotGraph run() {
    result_.title = ops_.drawing().graph().title;
    result_.warnings = ops_.drawing().graph().warnings;
    for (const DotNode& n : ops_.drawing().graph().nodes) {
      const DotPart& part = ops_.part(n.id);
      const bool unplaced = part.kind == Kind::kVariable && part.device.empty();  // before `cut`
      if (part.is_op() && !unplaced && part.role != "check") add_op(n.id, part);
      if (part.kind == Kind::kInput || part.kind == Kind::kOutput) add_port(n.id, part);
    }
    for (const DotGroup& group : groups_) add_lines(result_.nodes[group.node].lines, group);
    add_values();
    label_rows();
    add_sums();
    add_transfers();
    result_.legend = legend_of(result_);
    return std::move(result_);
  }

 private:
  static std::string id_of(const std::string& device, int64_t stage, const std::string& title) {
    return device + "|" + std::to_string(stage) + "|" + title;
  }

  // Returns the stage of an op. The sum of a forward result over micro-batches is in the stage of this
  // result.
  int64_t stage_of(const std::string& id, const DotPart& part, Pass pass) const {
    if (part.stage >= 0 || pass != Pass::kForward || part.role != "accumulate") return part.stage;
    for (const std::string& added : DotOpGraph::neighbours(id, ops_.before()))
      if (ops_.part(added).stage >= 0) return ops_.part(added).stage;
    return -1;
  }

  void add_op(const std::string& id, const DotPart& part) {
    const Pass pass = ops_.pass_of(id);
    const bool together = blocks_ && pass == Pass::kUpdate;
    const std::string forward_title = part.layer.empty() ? "other" : first_scopes(part.layer, scopes_);
    std::string title = forward_title;
    if (pass == Pass::kBackward) title += " backward";
    if (pass == Pass::kUpdate) title = together ? "updates" : title + " update";
    const int64_t stage = together ? -1 : stage_of(id, part, pass);
    const std::string group = id_of(part.device, stage, title);
    const auto [at, fresh] = index_.try_emplace(group, groups_.size());
    if (fresh) {
      groups_.push_back({.node = result_.nodes.size()});
      result_.nodes.push_back({.id = group,
                               .clusters = ops_.drawing().clusters_of(part.device, stage),
                               .lines = {title},
                               .fill = pass == Pass::kBackward ? kDotBackward
                                       : pass == Pass::kUpdate ? kDotUpdate
                                                               : ""});
    }
    group_of_[id] = group;
    if (pass == Pass::kBackward) forward_of_[group] = id_of(part.device, stage, forward_title);
    if (together) updates_.insert(group);
    DotGroup& drawn = groups_[at->second];
    drawn.shards.insert(part.shards.begin(), part.shards.end());
    if (part.kind == Kind::kVariable) return;
    auto count = std::ranges::find(drawn.counts, part.name, &std::pair<std::string, int>::first);
    if (count == drawn.counts.end()) count = drawn.counts.insert(count, {part.name, 0});
    ++count->second;
  }

  // Adds an input or an output, which is one node for all devices and micro-batches.
  void add_port(const std::string& id, const DotPart& part) {
    const std::string title = (part.kind == Kind::kInput ? "input " : "output ") + part.name;
    group_of_[id] = title;
    if (!index_.try_emplace(title, std::string::npos).second) return;
    result_.nodes.push_back({.id = title, .lines = {title}, .fill = kDotPort, .round = true});
    if (!part.type.empty()) result_.nodes.back().lines.push_back(part.type);
  }

  // Adds the groups next to a node in one direction. Sends, receives and other ends of transfers are followed
  // to the groups beyond them.
  void find_groups(const std::string& node, const Neighbours& next, std::vector<std::string>& found) const {
    for (const std::string& id : DotOpGraph::neighbours(node, next))
      if (const auto group = group_of_.find(id); group != group_of_.end()) {
        if (std::ranges::find(found, group->second) == found.end()) found.push_back(group->second);
      } else if (ops_.part(id).is_end_of_transfer()) {
        find_groups(id, next, found);
      }
  }
  std::vector<std::string> groups_next_to(const std::string& node, const Neighbours& next) const {
    std::vector<std::string> found;
    find_groups(node, next, found);
    return found;
  }

  DotEdge& edge(const std::string& from, const std::string& to) {
    const auto [number, fresh] = edges_.try_emplace({from, to}, result_.edges.size());
    if (fresh) result_.edges.push_back({.from = from, .to = to});
    return result_.edges[number->second];
  }

  // Labels the edges from inputs with the rows that the devices and micro-batches read, if these are not the
  // whole inputs.
  void label_rows() {
    std::map<std::pair<std::string, std::string>, std::map<std::string, std::set<std::string>>>
        reads;  // types -> nodes
    for (const DotEdge& e : ops_.drawing().graph().edges) {
      const DotPart& source = ops_.part(e.from);
      const auto to = group_of_.find(e.to);
      if (source.kind == Kind::kInput && to != group_of_.end() && !source.rows.empty() &&
          source.rows != source.type)
        reads[{group_of_.at(e.from), to->second}][source.rows].insert(e.from);
    }
    for (const auto& [ends, types] : reads) {
      const auto drawn = edges_.find(ends);
      if (drawn == edges_.end()) continue;
      std::string& label = result_.edges[drawn->second].label;
      for (const auto& [type, nodes] : types)
        label += (label.empty() ? "" : "\n") +
                 (nodes.size() > 1 ? std::to_string(nodes.size()) + " micro-batches x " : "") + type;
    }
  }

  // Removes the backward groups whose forward groups are in the list, too: each pair is a dotted edge
  // instead.
  void drop_read_again(std::vector<std::string>& groups) {
    std::vector<std::string> left;
    for (const std::string& group : groups) {
      const auto forward = forward_of_.find(group);
      if (forward != forward_of_.end() && std::ranges::find(groups, forward->second) != groups.end())
        edge(forward->second, group).dotted = true;
      else
        left.push_back(group);
    }
    groups = std::move(left);
  }

  // Merges the all_reduces with the same senders and readers into one node. In a drawing by block, all sums
  // that only updates read are one node, whoever sends them, and a sum that a block reads has no edge to the
  // updates.
  void add_sums() {
    struct Sum {
      std::vector<std::string> members, from, to;
      int64_t bytes = 0, tensors = 0;
    };
    std::map<std::pair<std::set<std::string>, std::set<std::string>>, Sum> sums;
    for (const DotNode& n : ops_.drawing().graph().nodes) {
      const DotPart& part = ops_.part(n.id);
      if (part.kind != Kind::kSum) continue;
      const auto from = groups_next_to(n.id, ops_.before());
      auto to = groups_next_to(n.id, ops_.after());
      const auto updates = [&](const std::string& group) { return updates_.contains(group); };
      const bool only_updates = std::ranges::all_of(to, updates);
      drop_read_again(to);
      if (blocks_ && !only_updates) std::erase_if(to, updates);
      std::set<std::string> senders(from.begin(), from.end());
      if (blocks_ && only_updates) senders.clear();  // one node has the gradients of all blocks
      Sum& sum = sums[{std::move(senders), {to.begin(), to.end()}}];
      sum.members.push_back(n.id);
      sum.to = to;
      for (const std::string& group : from)
        if (std::ranges::find(sum.from, group) == sum.from.end()) sum.from.push_back(group);
      sum.bytes += part.bytes;
      sum.tensors += part.tensors;
    }
    for (const auto& [ends, sum] : sums) {
      const std::string& id = sum.members.front();
      const size_t members = sum.members.size();
      result_.nodes.push_back(
          {.id = id,
           .lines = {members > 1 ? std::to_string(members) + " all_reduces" : "all_reduce",
                     counted(static_cast<size_t>(sum.tensors), "tensor") + ", " + bytes_text(sum.bytes)},
           .fill = kDotTransfer,
           .round = true});
      for (const std::string& member : sum.members) group_of_[member] = id;
      for (const std::string& group : sum.from) edge(group, id).cut = true;
      for (const std::string& group : sum.to)
        if (const auto edge_back = edges_.find({group, id}); edge_back != edges_.end())
          result_.edges[edge_back->second].both = true;
        else
          edge(id, group).cut = true;
    }
  }

  // Adds an edge for each value that passes from group to group without a transfer. Before `cut`, this
  // includes values that go to another device. If a backward group reads values that its forward group has
  // computed or read, one dotted edge from the forward group stands for all these values.
  void add_values() {
    struct Passed {
      std::string from, to;  // groups
      bool crosses;          // whether they are on different devices
    };
    std::vector<Passed> values;
    std::set<std::pair<std::string, std::string>> passed;
    for (const DotEdge& e : ops_.drawing().graph().edges) {
      const auto from = group_of_.find(e.from), to = group_of_.find(e.to);
      if (e.invisible || from == group_of_.end() || to == group_of_.end() || from->second == to->second)
        continue;
      const DotPart &sender = ops_.part(e.from), &reader = ops_.part(e.to);
      const bool crosses = sender.is_op() && reader.is_op() && sender.device != reader.device;
      values.push_back({from->second, to->second, crosses});
      passed.emplace(from->second, to->second);
    }
    for (const auto& [from, to, crosses] : values) {
      const auto forward = forward_of_.find(to);
      const bool again = forward != forward_of_.end() && index_.contains(forward->second) &&
                         (from == forward->second || passed.contains({from, forward->second}));
      if (again)
        edge(forward->second, to).dotted = true;
      else
        edge(from, to).cut |= crosses;
    }
  }

  // Adds an edge per pair of groups for the sends from one group to the other. If several groups read the
  // same tensor, its bytes count only for the edge to the first of these groups. The tensors that several
  // blocks send to the updates of a device have one node between the blocks and the updates.
  void add_transfers() {
    std::map<std::pair<std::string, std::string>, DotLink> links;
    for (const DotNode& n : ops_.drawing().graph().nodes) {
      const DotPart& part = ops_.part(n.id);
      if (part.kind != Kind::kSend) continue;
      auto from = groups_next_to(n.id, ops_.before()), to = groups_next_to(n.id, ops_.after());
      drop_read_again(to);
      if (from.empty() || to.empty()) continue;
      if (std::ranges::all_of(to, [&](const std::string& group) { return updates_.contains(group); }))
        from = {collected(from, part.device, to.front())};
      for (const std::string& source : from)
        for (const std::string& target : to)
          if (source != target) edge(source, target).cut = true;
      DotLink& link = links[{from.front(), to.front()}];
      link.bytes += part.bytes;
      ++link.tensors;
      link.shards.insert(part.shards.begin(), part.shards.end());
    }
    for (const auto& [ends, link] : links)
      if (const auto drawn = edges_.find(ends); drawn != edges_.end())
        result_.edges[drawn->second].label = text_of(link);
  }

  // Returns the node for the tensors that blocks of `device` send to `updates`. Adds an edge from each of
  // these blocks to the node.
  std::string collected(const std::vector<std::string>& blocks, const std::string& device,
                        const std::string& updates) {
    const std::string id = device + " to " + updates;
    if (index_.try_emplace(id, std::string::npos).second)
      result_.nodes.push_back({.id = id, .lines = {"for the updates"}, .fill = kDotTransfer, .round = true});
    for (const std::string& block : blocks) {
      DotEdge& thin = edge(block, id);
      thin.cut = thin.dotted = true;
    }
    return id;
  }

  const DotOpGraph& ops_;
  const size_t scopes_;
  const bool blocks_;
  DotGraph result_;
  std::vector<DotGroup> groups_;
  std::map<std::string, size_t> index_;            // id of a group or a port -> its index
  std::map<std::string, std::string> group_of_;    // id of a node of the drawing by op -> id
  std::set<std::string> updates_;                  // the ids of the groups with all updates of a device
  std::map<std::string, std::string> forward_of_;  // id of a backward group -> id of its forward group
  std::map<std::pair<std::string, std::string>, size_t> edges_;  // {from, to} -> index of the edge
};

size_t nodes_per_device(const DotGraph& graph) {
  std::map<std::string, size_t> nodes;
  size_t most = 0;
  for (const DotNode& n : graph.nodes)
    if (!n.clusters.empty()) most = std::max(most, ++nodes[n.clusters.front()]);
  return most;
}

}  // namespace

GroupedDrawings group_drawing(const DotBuilder& drawing) {
  const DotOpGraph ops(drawing);
  GroupedDrawings drawings{.layers = GroupDrawer(ops, ops.scopes(), false).run(), .blocks = {}};
  size_t scopes = std::max<size_t>(ops.scopes() - 1, 1);
  drawings.blocks = GroupDrawer(ops, scopes, true).run();
  while (scopes > 1 && nodes_per_device(drawings.blocks) > kMostNodesPerDevice)
    drawings.blocks = GroupDrawer(ops, --scopes, true).run();
  const size_t of_layers = nodes_per_device(drawings.layers);
  drawings.many_layers = of_layers > kMostNodesPerDevice && nodes_per_device(drawings.blocks) < of_layers;
  return drawings;
}

}  // namespace cutset::passes
