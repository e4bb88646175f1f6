#include "frontends/cpp/append.h"

#include <algorithm>

#include "frontends/cpp/graph_state.h"

namespace cutset {

std::vector<Tensor> append(const char* op, const std::vector<Tensor>& operands, const Attributes& attributes,
                           std::source_location where, size_t optional) {
  std::shared_ptr<GraphState> graph;
  std::vector<int> values;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!operands[i]) {
      if (i + optional >= operands.size()) continue;
      const std::vector<const char*> names = find_op(op)->operands;  // the last name may belong to several operands
      raise({ErrorCode::kInvalidArgument,
             "operand " + std::to_string(i) + " ('" + names[std::min(i, names.size() - 1)] + "') of '" + op +
                 "' is an empty Tensor",
             Error::line_of(where), "a Tensor is empty until it is assigned, and after it was moved from"});
    }
    if (!graph) graph = operands[i].graph();
    if (graph != operands[i].graph())
      raise({ErrorCode::kInvalidArgument, std::string("the operands of '") + op + "' belong to different graphs",
             Error::line_of(where), ""});
    values.push_back(operands[i].value());
  }
  if (!graph)
    raise({ErrorCode::kInvalidArgument, std::string("'") + op + "' needs an operand", Error::line_of(where), ""});
  std::vector<Tensor> results;
  const auto building = graph->builder.hold();
  for (const BuiltValue& v : check(building->append(op, values, attributes, graph->source(where))))
    results.emplace_back(graph, v.id, v.type);
  graph->labels.add_op(*find_op(op), operands, attributes, results);
  return results;
}

}  // namespace cutset
