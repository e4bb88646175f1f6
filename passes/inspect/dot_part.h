// SPDX-License-Identifier: Apache-2.0
// What a node of the drawing by op is. The coarser drawings group the nodes by this (dot_groups.h).
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace cutset::passes {

struct DotPart {
  enum class Kind {
    kOp,
    kVariable,  // a read or an assignment
    kInput,
    kOutput,
    kSend,
    kEnd,    // of a transfer other than a send: a receive, or the start of an all_reduce or the wait for it
    kSum,    // the all_reduce itself
    kDetail  // coarser drawings leave it out: a commit, or an input of a scalar that the session feeds
  };
  Kind kind = Kind::kOp;
  std::string device;     // empty: it has none
  int64_t stage = -1;     // of the pipeline; -1: none
  std::string layer;      // of an op or a variable: its scopes, "layer1/0/conv1"
  std::string role;       // of an op or a variable: "forward", "backward", "update"...
  std::string name;       // of the op, the input or the output
  std::string type;       // of an input: that of the whole input
  std::string rows;       // of an input of a device: the type of the rows that it reads
  bool gradient = false;  // of an output: it is a gradient
  int64_t bytes = 0;      // of a send or a sum: those of its tensors
  int64_t tensors = 1;    // of a sum
  std::vector<int64_t>
      shards;  // of an op or a send: the micro-batches for which it runs; empty: for the whole batch

  bool is_op() const { return kind == Kind::kOp || kind == Kind::kVariable; }
  bool is_end_of_transfer() const { return kind == Kind::kSend || kind == Kind::kEnd; }
};

}  // namespace cutset::passes
