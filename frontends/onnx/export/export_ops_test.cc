// SPDX-License-Identifier: Apache-2.0
// Tests the export of each op: the test problems of the op are exported, imported again, and computed on the
// reference device.
#include <cutset/onnx.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "tests/errors.h"
#include "tests/folder.h"
#include "tests/onnx/op_graphs.h"

namespace cutset::onnx {
namespace {

using namespace cutset::testing;

using ::testing::ElementsAreArray;

class ExportedOps : public Folder {
 protected:
  // Expects that the exported case, imported again, computes what the graph computes.
  void expect_same(const OpInfo& op, const Case& c) {
    const Graph graph = graph_of(op, c);
    export_file(path("m.onnx"), graph, {.function = "f"});
    const Model imported = import_file(path("m.onnx"));
    Case tolerant = c;
    const DType type = c.operands[0].type.dtype;
    tolerant.relative = type == bf16 ? 0.05 : type == f16 ? 0.01 : std::max(c.relative, 1e-5);
    tolerant.absolute = std::max(c.absolute, 1e-6);
    Session before = compile(graph, {.devices = "reference:0", .threads = 1}),
            after = compile(imported.graph, {.devices = "reference:0", .threads = 1});
    for (const auto& operands : operands_of(op, c)) {
      EXPECT_EQ(compare_results(results_of(after, "evaluate", operands), results_of(before, "f", operands),
                                tolerant),
                "")
          << op.name << ", case '" << c.name << "'";
      ++compared_;
    }
  }
  int64_t compared_ = 0;
};

// Returns true for gradients and updates, which no exported function has.
bool is_of_training(const std::string& op) {
  return op.find("backward") != std::string::npos || op == "clip_gradient" || op == "scale_gradient" ||
         find_op(op)->updates > 0;
}

TEST_F(ExportedOps, ComputeTheSameValues) {
  std::set<std::string> without, refused;
  for (const OpInfo* op : all_ops()) {
    if (is_of_training(op->name)) continue;
    const bool exported = !op->cases().no_exporter;
    for (const Case& c : moderate_cases(*op)) {
      if (!exported) {
        EXPECT_THAT(error_of([&] { export_file(path("m.onnx"), graph_of(*op, c), {.function = "f"}); }),
                    ::testing::HasSubstr("there is no exporter"));
        without.insert(op->name);
        continue;
      }
      try {
        expect_same(*op, c);
      } catch (const Error& e) {
        EXPECT_EQ(e.code(), ErrorCode::kUnsupported) << op->name << ", case '" << c.name << "': " << e.what();
        refused.insert(op->name);
      }
    }
    EXPECT_NE(exported, without.contains(op->name)) << op->name << " was not tried";
  }
  EXPECT_GE(without.size(), 8u);
  EXPECT_THAT(refused, ElementsAreArray({"avg_pool", "gather", "gather_elements", "max_pool",
                                         "max_pool_indices", "pow", "reduce_max", "reduce_min",
                                         "scatter_elements", "shift_left", "shift_right"}))
      << "ops that have cases that cannot be exported";
  EXPECT_GT(compared_, 1000);
}

}  // namespace
}  // namespace cutset::onnx
