// SPDX-License-Identifier: Apache-2.0
// Graphs of one op each, from the test problems of the ops, for tests of the export to ONNX.
#pragma once
#include <cutset/graph.h>
#include <cutset/session.h>

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/cpp/checks/failure.h"
#include "frontends/cpp/graph/graph_state.h"
#include "ir/core/op/op_info.h"
#include "runtime/kernels/conformance.h"

namespace cutset::testing {

// Returns a graph whose function "f" computes the case. Its inputs are "x0", "x1", ..., and its outputs are
// "y0", "y1", ... The cells after each step of an LSTM are not an output, because ONNX does not have them.
inline Graph graph_of(const OpInfo& op, const Case& c) {
  Graph g;
  std::vector<Tensor> inputs;
  std::vector<int> values;
  for (size_t i = 0; i < c.operands.size(); ++i) {
    const TensorType& type = c.operands[i].type;
    inputs.push_back(
        g.input("x" + std::to_string(i), type.dtype, type.shape, {.batch_dimension = std::nullopt}));
    values.push_back(inputs.back().value());
  }
  std::vector<std::pair<std::string, Tensor>> outputs;
  const OpSource source = g.state()->source(std::source_location::current());
  const auto results = check(g.state()->builder->append(op.name, values, c.attributes, source));
  for (size_t i = 0; i < results.size(); ++i)
    if (op.variadic_results || std::string_view(op.results[i]) != "cells")
      outputs.emplace_back("y" + std::to_string(outputs.size()),
                           Tensor(g.state(), results[i].id, results[i].type));
  g.function("f", inputs, outputs);
  return g;
}

// Returns the results "y0", "y1", ... of a function, whose operands are the inputs "x0", "x1", ...
inline std::vector<HostTensor> results_of(Session& session, const std::string& function,
                                          const std::vector<HostTensor>& operands) {
  Batch batch;
  for (size_t i = 0; i < operands.size(); ++i) batch.emplace("x" + std::to_string(i), operands[i]);
  const Outputs outputs = session.run(function, batch);
  std::vector<HostTensor> results;
  for (size_t i = 0; i < outputs.size(); ++i) results.push_back(outputs["y" + std::to_string(i)]);
  return results;
}

// Returns lists of operands of a case. The first list is random. If the case has at most 700 elements, there
// are more lists, which differ from the first in the middle element of one operand:
// - NaN, infinity and -infinity in an operand of type f32,
// - numbers that are out of the range of indices in an operand of type i32 or i64.
//
// Convolutions and recurrent layers have the first list only: a program may multiply NaN with the zeros of
// padding or of a matrix, which the reference skips.
inline std::vector<std::vector<HostTensor>> operands_of(const OpInfo& op, const Case& c) {
  std::vector<std::vector<HostTensor>> all = {draw_operands(c, 3)};
  int64_t elements = 0;
  for (const Operand& operand : c.operands) elements += operand.type.elements();
  const std::string_view folder = op.folder;
  if (elements > 700 || folder.find("conv") != folder.npos || folder.ends_with("recurrent")) return all;
  for (size_t i = 0; i < c.operands.size(); ++i) {
    const DType type = c.operands[i].type.dtype;
    const int64_t middle = c.operands[i].type.elements() / 2;
    if (op.reads_type_only(i) || c.operands[i].type.elements() == 0) continue;
    for (const double value : {std::nan(""), HUGE_VAL, -HUGE_VAL, 100000., -100000.}) {
      if (type != (std::abs(value) == 100000 ? type == DType::i32 ? DType::i32 : DType::i64 : DType::f32))
        continue;
      all.push_back(all[0]);
      all.back()[i].set(middle, value);
    }
  }
  return all;
}

// Returns the fixed cases of an op and some random cases, without cases of more than 20,000 elements.
inline std::vector<Case> moderate_cases(const OpInfo& op) {
  const OpCases cases = op.cases();
  std::vector<Case> list = cases.fixed;
  PhiloxSequence random(29, 5);
  for (int i = 0; i < 3; ++i) list.push_back(cases.random(random));
  std::erase_if(list, [](const Case& c) {
    int64_t elements = 0;
    for (const Operand& operand : c.operands) elements += operand.type.elements();
    return elements > 20000;
  });
  return list;
}

}  // namespace cutset::testing
