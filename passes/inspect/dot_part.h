// SPDX-License-Identifier: Apache-2.0
// Describes a node of the drawing by op. The coarser drawings group the nodes by these descriptions
// (dot_groups.h).
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
    // An end of a transfer other than a send: a receive, or the start of an all_reduce or the wait for it.
    kEnd,
    kSum,    // the all_reduce itself
    kDetail  // coarser drawings leave it out: a commit, or an input of a scalar that the session feeds
  };
  Kind kind = Kind::kOp;
  std::string device;           // empty: it has none
  int64_t stage = -1;           // the stage of the pipeline; -1: none
  std::string layer;            // op, variable: its scopes, "layer1/0/conv1"
  std::string role;             // op, variable: "forward", "backward", "update"...
  std::string name;             // the name of the op, the input or the output
  std::string type;             // input: the type of the whole input
  std::string rows;             // input: the type of the rows that the device reads
  bool gradient = false;        // output: whether it is a gradient
  int64_t bytes = 0;            // send, sum: the bytes of its tensors
  int64_t tensors = 1;          // sum: the number of its tensors
  std::vector<int64_t> shards;  // op, send: the micro-batches for which it runs; empty: for the whole batch

  bool is_op() const { return kind == Kind::kOp || kind == Kind::kVariable; }
  bool is_end_of_transfer() const { return kind == Kind::kSend || kind == Kind::kEnd; }
};

}  // namespace cutset::passes
