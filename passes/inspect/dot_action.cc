// SPDX-License-Identifier: Apache-2.0
#include "passes/inspect/dot_action.h"

#include "passes/passes.h"

using namespace mlir;

namespace cutset::passes {

std::string type_text(Type type) {
  auto t = ir::tensor_type(type);
  return t ? to_string(*t) : "?";
}

std::string type_of_input(func::FuncOp function, unsigned argument) {
  auto type = ir::tensor_type(function.getArgumentTypes()[argument]);
  if (!type) return "?";
  auto rows = function.getArgAttrOfType<IntegerAttr>(argument, kRows);
  auto batch = function.getArgAttrOfType<IntegerAttr>(argument, kBatchDimension);
  const auto dimension = static_cast<size_t>(batch ? batch.getInt() : 0);
  if (rows && dimension < type->shape.size()) type->shape[dimension] = rows.getInt();
  return to_string(*type);
}

bool is_fed(func::FuncOp function, int argument) {
  const auto i = static_cast<unsigned>(argument);
  return argument >= 0 && (function.getArgAttr(i, kStep) || function.getArgAttr(i, kHyperParameter));
}

namespace {

// Returns the index of the argument of the function for an input, or -1 if there is none.
int argument_of(func::FuncOp function, StringRef input) {
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (auto name = function.getArgAttrOfType<StringAttr>(i, kInput); name && name.getValue() == input)
      return static_cast<int>(i);
  return -1;
}

}  // namespace

void describe_action(Operation& action, func::FuncOp function, DotNode& n, DotPart& part) {
  const auto set = [&](DotPart::Kind kind, const std::string& title,
                       std::initializer_list<std::string> lines) {
    part.kind = kind;
    n.lines[0] = title;
    n.lines.insert(n.lines.end(), lines);
  };
  if (isa<ir::CommitOp>(action)) part.kind = DotPart::Kind::kDetail;
  if (auto input = dyn_cast<ir::InputOp>(action)) {
    const int argument = argument_of(function, input.getName());
    set(is_fed(function, argument) ? DotPart::Kind::kDetail : DotPart::Kind::kInput,
        "input " + input.getName().str(), {type_text(input.getValue().getType())});
    part.name = input.getName().str();
    part.rows = type_text(input.getValue().getType());
    if (argument >= 0) part.type = type_of_input(function, static_cast<unsigned>(argument));
  }
  if (auto output = dyn_cast<ir::OutputOp>(action)) {
    set(DotPart::Kind::kOutput, "output " + output.getName().str(), {});
    part.name = output.getName().str();
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      if (auto name = function.getResultAttrOfType<StringAttr>(i, kOutput);
          name && name.getValue() == part.name)
        part.gradient |= static_cast<bool>(function.getResultAttr(i, kGradient));
  }
  if (auto send = dyn_cast<ir::SendOp>(action)) {
    set(DotPart::Kind::kSend, "send to " + send.getTo().str(),
        {"channel " + std::to_string(send.getChannel())});
    part.bytes = ir::tensor_type(send.getValue().getType())->bytes();
    auto call = send.getValue().getDefiningOp<ir::CallOp>();
    if (auto shard = call ? call.getShard() : std::nullopt) {
      part.shards = {static_cast<int64_t>(*shard)};
      n.lines.push_back("micro-batch " + std::to_string(*shard));
    }
  }
  if (auto recv = dyn_cast<ir::RecvOp>(action))
    set(DotPart::Kind::kEnd, "recv from " + recv.getFrom().str(),
        {"channel " + std::to_string(recv.getChannel())});
  if (auto start = dyn_cast<ir::AllReduceStartOp>(action))
    set(DotPart::Kind::kEnd, "start", {"all_reduce " + std::to_string(start.getCollective())});
  if (auto wait = dyn_cast<ir::AllReduceWaitOp>(action))
    set(DotPart::Kind::kEnd, "wait", {"all_reduce " + std::to_string(wait.getCollective())});
}

}  // namespace cutset::passes
