// SPDX-License-Identifier: Apache-2.0
#include "frontends/cpp/graph/append.h"

#include <cutset/constants.h>

#include <algorithm>

#include "frontends/cpp/graph/graph_state.h"
#include "frontends/cpp/graph/undo.h"
#include "ir/core/check_types.h"
#include "runtime/device/op_libraries.h"

namespace cutset {

[[noreturn]] static void raise_empty(size_t operand, const std::string& name, const char* function,
                                     std::source_location source) {
  raise({ErrorCode::kInvalidArgument,
         "operand " + std::to_string(operand) + " ('" + name + "') of '" + function + "' is an empty Tensor",
         Error::line_of(source), "a Tensor is empty until it is assigned, and after it was moved from"});
}

void require_tensor(const Tensor& x, const char* function, std::source_location source) {
  if (!x.defined()) raise_empty(0, "x", function, source);
}

std::vector<Tensor> append(const char* op, const std::vector<std::vector<Tensor>>& operands,
                           Attributes attributes, std::source_location source) {
  const OpInfo* found = find_op(op);
  if (!found) {
    check(load_op_libraries());  // says why the library of the op was refused
    raise({ErrorCode::kUnavailable, std::string("there is no op '") + op + "'", Error::line_of(source),
           "link the program to the op library that defines it"});
  }
  const OpInfo& info = *found;
  std::shared_ptr<GraphState> graph;
  std::vector<Tensor> operands_of_op;
  std::vector<int> values;
  IntList segments;  // how many operands of each name are given
  int flexible = 0;  // how many names are optional or variadic
  for (size_t n = 0; n < operands.size(); ++n) {
    const OperandInfo& name = info.operands[n];
    flexible += name.kind != OperandInfo::Kind::kRequired;
    segments.push_back(0);
    for (const Tensor& operand : operands[n]) {
      if (!operand.defined()) {
        if (name.kind == OperandInfo::Kind::kOptional) continue;
        raise_empty(values.size(), name.name, op, source);
      }
      if (!graph) graph = operand.graph();
      if (graph != operand.graph())
        raise({ErrorCode::kInvalidArgument,
               std::string("the operands of '") + op + "' belong to different graphs", Error::line_of(source),
               ""});
      values.push_back(operand.value());
      operands_of_op.push_back(operand);
      ++segments.back();
    }
  }
  if (!graph)
    raise({ErrorCode::kInvalidArgument, std::string("'") + op + "' needs an operand", Error::line_of(source),
           ""});
  if (flexible > 1) attributes.emplace_back(kOperandSegments, segments);
  std::vector<Tensor> results;
  const auto building = graph->builder.hold();
  for (const BuiltValue& v : check(building->append(op, values, attributes, graph->source(source))))
    results.emplace_back(graph, v.id, v.type);
  graph->labels.add_op(info, operands_of_op, attributes, results);
  return results;
}

std::vector<Tensor> append_beside_numbers(const char* op, const std::vector<Tensor>& before,
                                          const std::vector<TensorOrNumber>& alike,
                                          std::source_location source) {
  std::vector<std::vector<Tensor>> operands;
  for (const Tensor& x : before) operands.push_back({x});
  const auto is_number = [](const TensorOrNumber& x) { return x.number().has_value(); };
  if (std::ranges::none_of(alike, is_number)) {
    for (const TensorOrNumber& x : alike) operands.push_back({x.tensor()});
    return append(op, operands, {}, source);
  }
  const auto like = std::ranges::find_if(alike, [](const TensorOrNumber& x) { return x.tensor().defined(); });
  const bool typed = like != alike.end();
  const Tensor first = typed ? like->tensor() : before.empty() ? Tensor() : before[0];
  if (!first.defined()) {
    const auto empty = std::ranges::find_if_not(alike, is_number);
    if (empty != alike.end())
      raise_empty(before.size() + static_cast<size_t>(empty - alike.begin()), "x", op, source);
    raise(invalid_argument(std::string("'") + op + "' has numbers and no tensor as operands",
                           "give one tensor; graph.constant() makes a tensor of a number"),
          source);
  }
  Undo undo(first.graph());
  for (const TensorOrNumber& x : alike) {
    if (!x.number()) {
      operands.push_back({x.tensor()});
      continue;
    }
    Number value = *x.number();
    value.source = source;
    Graph graph(first.graph());
    operands.push_back({constant(graph, value, typed ? first.dtype() : DType::f32)});
  }
  std::vector<Tensor> results = append(op, operands, {}, source);
  undo.keep();
  return results;
}

std::vector<int64_t> sizes_of(const AxisSizes& sizes, const Tensor& x) {
  return sizes.list(static_cast<size_t>(std::max(x.type().rank() - 2, 0)));
}

Tensor constant_of(const std::shared_ptr<GraphState>& graph, const HostTensor& elements,
                   std::source_location source) {
  const BuiltValue v =
      check(graph->builder->constant(elements.type(), elements.bytes(), graph->source(source)), source);
  return {graph, v.id, v.type};
}

Tensor type_only(const Tensor& x, const TensorType& type, std::source_location source) {
  check(check_type(type), source);
  const BuiltValue v = check(x.graph()->builder->type_only(type, x.graph()->source(source)), source);
  return {x.graph(), v.id, v.type};
}

}  // namespace cutset
