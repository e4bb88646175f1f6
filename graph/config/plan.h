// SPDX-License-Identifier: Apache-2.0
// A plan: the device of each op of a program and of each variable, and the schedule of a pipeline, as a small
// table that people read and edit. docs/plan-format.md describes the text.
//
// The file is in graph/ because a plan is plain data: it needs no MLIR, and both the frontends and the passes
// read it.
//
// The parser accepts untrusted bytes. It does not recurse, it checks every number, it allocates memory in
// proportion to the text, and every error names the line and the column. Complexity: O(n log n) for n bytes;
// only the names and ids are sorted.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "graph/schedule/lines.h"
#include "graph/schedule/pipeline.h"
#include "graph/schedule/schedule.h"
#include "ir/core/result.h"

namespace cutset {

struct Plan {
  // The device of all ops that share an id in one replica: a forward op and its backward ops. Ids count from
  // 1 in the order in which the user built the graph.
  struct Op {
    int64_t id = 0;
    std::string op;  // the name of one of these ops, such as "conv"
    std::string device;
    int64_t replica = 0;
    std::string note;  // text for people, written as a comment; the parser drops it
    int64_t line = 0;  // the line of the text; 0: the plan does not come from a text
    // The stage of the pipeline, counted from 0; -1: the device has one stage, or the compiler chooses one.
    int64_t stage = -1;
  };
  // The homes of the copies of a variable: devices[r] holds the copy of replica r.
  struct Home {
    std::string variable;
    std::vector<std::string> devices;
    int64_t line = 0;  // as in Op
    // The dimension along which each copy is divided over a tensor axis; -1: none. Only a plan that the
    // session made has this member and the next two. The text of a plan does not have them, because the first
    // compilation chooses them again.
    int axis = -1;
    int64_t unit = 1;  // pieces of the tensor axis end at multiples of this number of elements
    int replica_axis =
        -1;  // the dimension along which the replicas divide the variable, or its pieces; -1: none
  };
  // The order of the actions in each replica that has `micro_batches` micro-batches. Device i of the schedule
  // is position i of the pipeline (graph/partition/device_grid.h), so it stands for one device per copy of
  // the graph.
  struct PipelineSchedule {
    int64_t micro_batches = 0;
    Schedule schedule;
    std::vector<std::string> notes;        // per device: text for people, as in Op
    int64_t line = 0;                      // the line that begins the schedule, as in Op
    std::vector<std::string> phases = {};  // lines for people, as in Op, if a step runs the actions in parts
  };
  // The name of the program for which the plan was made. Empty: the session that runs the compilation made
  // the plan, so the plan is not checked against the program.
  std::string program;
  std::vector<Op> ops;
  std::vector<Home> homes;
  std::vector<PipelineSchedule> schedules;  // at most one per number of micro-batches
};

// The largest number of ops and variables, and the largest number of actions, that the parser accepts. The
// limits of LineReader also hold.
inline constexpr size_t kPlanEntries = size_t{1} << 20,
                        kPlanActions = 3 * static_cast<size_t>(kScheduleCells);
inline constexpr int64_t kPlanReplicas = 4096;  // replicas are numbered from 0 to 4095

// Returns the plan that `text` describes, or an error of code kInvalidData whose `source` is
// "plan:LINE:COLUMN".
Result<Plan> parse_plan(std::string_view text);
// Returns the text of a plan. parse_plan reads the same plan from it, without the notes, and sets each
// `line`.
std::string plan_text(const Plan& plan);

}  // namespace cutset
