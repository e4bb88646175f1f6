// SPDX-License-Identifier: Apache-2.0
// Writes the test problems of the ops as exported ONNX models, with operands and expected results, for
// programs that compute them independently of this project (exports.py).
//
//   cutset_onnx_exports FOLDER
//
// FOLDER/OP-NUMBER has model.onnx, and for each list K of operands K-input_0.npy, K-input_1.npy, ...,
// K-output_0.npy, ... Cases that cannot be exported, and cases with types that NumPy does not have, are left
// out.
#include <cutset/onnx.h>

#include <cstdio>
#include <filesystem>

#include "runtime/files/npy.h"
#include "tests/onnx/op_graphs.h"

namespace cutset::testing {
namespace {

bool has_halves(const Case& c) {
  return std::any_of(c.operands.begin(), c.operands.end(),
                     [](const Operand& o) { return o.type.dtype == f16 || o.type.dtype == bf16; });
}

void write_case(const OpInfo& op, const Case& c, const std::string& folder) {
  const Graph graph = graph_of(op, c);
  std::filesystem::create_directories(folder);
  try {
    onnx::export_file(folder + "/model.onnx", graph, {.function = "f"});
    Session session = compile(graph, {.devices = "reference:0", .threads = 1});
    const auto all = operands_of(op, c);
    for (size_t k = 0; k < all.size(); ++k) {
      const auto results = results_of(session, "f", all[k]);
      const std::string stem = folder + "/" + std::to_string(k);
      for (size_t i = 0; i < all[k].size(); ++i)
        check(write_npy(stem + "-input_" + std::to_string(i) + ".npy", all[k][i]));
      for (size_t i = 0; i < results.size(); ++i)
        check(write_npy(stem + "-output_" + std::to_string(i) + ".npy", results[i]));
    }
  } catch (const Error& e) {
    std::filesystem::remove_all(folder);
    if (e.code() != ErrorCode::kUnsupported) throw;
  }
}

}  // namespace

void write_all(const std::string& folder) {
  for (const OpInfo* op : all_ops()) {
    if (op->updates > 0) continue;
    int number = 0;
    for (const Case& c : moderate_cases(*op))
      if (++number; !has_halves(c))
        write_case(*op, c, folder + "/" + op->name + "-" + std::to_string(number));
  }
}

}  // namespace cutset::testing

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: cutset_onnx_exports FOLDER\n");
    return 2;
  }
  try {
    cutset::testing::write_all(argv[1]);
  } catch (const cutset::Error& e) {
    std::fprintf(stderr, "cutset_onnx_exports: %s\n", e.what());
    return 1;
  }
}
