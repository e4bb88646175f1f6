// SPDX-License-Identifier: Apache-2.0
// Recurrent layers. An op of Cutset reads the products of the sequences and the input weights. An op of ONNX
// reads the factors. So the exporter takes the factors of the product. If operand 0 is no such product, the
// exporter takes operand 0 and the identity matrix.
#include <numeric>
#include <optional>
#include <set>

#include "frontends/onnx/export/exporters.h"

namespace cutset::onnx {
namespace {

// The names of the values that an op of ONNX multiplies and adds: x [batch, steps, features], the weight
// [parts * hidden, features] and the bias [parts * hidden], which may be empty.
struct Projection {
  std::string x, weight, bias;
};

// Returns the factors if operand 0 is reshape_like(matmul(reshape(x, [-1, features]), weight) + bias), which
// the layers of Cutset make.
std::optional<Projection> factors(const ExportedOp& op) {
  const ListedOp* shaped = op.maker(0);
  if (!shaped || shaped->name != "reshape_like") return {};
  Projection p;
  const ListedOp* product = op.maker_of(shaped->operands[0]);
  if (product && product->name == "add") {
    if (op.type_of_value(product->operands[1]).rank() != 1) return {};
    p.bias = op.name_of(product->operands[1]);
    product = op.maker_of(product->operands[0]);
  }
  if (!product || product->name != "matmul") return {};
  std::set<std::string> transposed;
  for (const auto& [name, value] : product->attributes)
    if (std::get<bool>(value)) transposed.insert(name);
  if (transposed != std::set<std::string>{"transpose_y"}) return {};
  const ListedOp* rows = op.maker_of(product->operands[0]);
  if (!rows || rows->name != "reshape") return {};
  const int x = rows->operands[0];
  const Sizes &whole = op.sizes_of(x), &result = op.sizes(0);
  if (whole.size() != 3 || whole[0] != result[0] || whole[1] != result[1] ||
      op.type_of_value(product->operands[0]).shape.back() != whole[2].rest)
    return {};
  p.x = op.name_of(x);
  p.weight = op.name_of(product->operands[1]);
  return p;
}

// An op of ONNX for one direction. `order` has, for each part in the order of ONNX, its index in the order of
// Cutset.
class Layer {
 public:
  Layer(ExportedOp& op, std::vector<size_t> order)
      : op_(op), order_(std::move(order)), hidden_(op.type(1).shape[1]), rows_(hidden_ * parts()) {}

  // Puts the parts of a value along dimension 0 into the order of ONNX.
  std::string ordered(const std::string& value) {
    if (order_.size() == 1) return value;
    const ValueNames parts =
        op_.nodes("Split", {value, op_.list(std::vector<int64_t>(order_.size(), hidden_))}, order_.size(),
                  {{"axis", int64_t{0}}});
    ValueNames sorted;
    for (const size_t i : order_) sorted.push_back(parts[i]);
    return op_.node("Concat", sorted, {{"axis", int64_t{0}}});
  }
  std::string zeros(int64_t count) { return op_.constant(HostTensor({op_.type(0).dtype, {count}})); }
  std::string first(const std::string& value) { return op_.node("Unsqueeze", {value, op_.list({0})}); }

  // Adds the node. `hidden_bias` is the bias of the products with the state, in ONNX's order, or empty.
  // `states` are the initial states. Returns the states after each step, and the last states, as the op of
  // Cutset does.
  Exported run(const char* name, NodeAttributes attributes, const std::string& hidden_bias,
               const ValueNames& states, size_t lengths) {
    if (!op_.sizes(1)[1].is_fixed()) return unsupported("the number of its units depends on the batch");
    const Projection p = projection();
    const bool reverse = op_.flag("reverse");
    ValueNames operands = {op_.node("Transpose", {p.x}, {{"perm", std::vector<int64_t>{1, 0, 2}}}),
                           first(ordered(p.weight)), first(ordered(op_.in(1)))};
    const std::string input_bias = p.bias.empty() ? zeros(rows_) : ordered(p.bias);
    const std::string both = op_.node(
        "Concat", {input_bias, hidden_bias.empty() ? zeros(rows_) : hidden_bias}, {{"axis", int64_t{0}}});
    operands.push_back(first(both));
    Masks masks;
    if (op_.has(lengths)) {
      if (!op_.sizes(0)[1].is_fixed()) return unsupported("the number of its steps depends on the batch");
      masks = masks_of(lengths);
    }
    operands.push_back(masks.lengths);
    for (const std::string& state : states) operands.push_back(first(state));
    attributes.push_back({"hidden_size", hidden_});
    attributes.push_back({"direction", std::string(reverse ? "reverse" : "forward")});
    const ValueNames results = op_.nodes(name, operands, 1 + states.size(), attributes);
    ValueNames last;
    for (size_t i = 0; i < states.size(); ++i) {
      last.push_back(op_.node("Squeeze", {results[i + 1], op_.list({0})}));
      if (!masks.some.empty()) last[i] = op_.node("Where", {masks.some, last[i], states[i]});
    }
    std::string all = op_.node("Transpose", {op_.node("Squeeze", {results[0], op_.list({1})})},
                               {{"perm", std::vector<int64_t>{1, 0, 2}}});
    if (!masks.inside.empty()) {  // after its length, a row keeps its state; ONNX has zeros there
      const std::string state = op_.node("Unsqueeze", {reverse ? states[0] : last[0], op_.list({1})});
      all = op_.node("Where", {masks.inside, all, state});
    }
    last.insert(last.begin(), all);
    return last;
  }

 private:
  // The steps and rows that count: the lengths as i32, from 1 to the number of steps; whether a step is
  // inside its sequence, [batch, steps, 1]; and whether a row has a step, [batch, 1].
  struct Masks {
    std::string lengths, inside, some;
  };

  int64_t parts() const { return static_cast<int64_t>(order_.size()); }

  Masks masks_of(size_t entry) {
    const int64_t steps = op_.type(0).shape[1];
    const std::string lengths = op_.in_as(entry, DType::i64);
    const std::string limited = op_.node("Clip", {lengths, op_.whole(1), op_.whole(steps)});
    HostTensor positions({DType::i64, {steps, 1}});
    std::iota(positions.as<int64_t>().begin(), positions.as<int64_t>().end(), int64_t{0});
    const std::string inside = op_.node(
        "Less", {op_.constant(std::move(positions)), op_.node("Unsqueeze", {lengths, op_.list({1, 2})})});
    const std::string some =
        op_.node("Greater", {op_.node("Unsqueeze", {lengths, op_.list({1})}), op_.whole(0)});
    return {op_.cast(limited, DType::i32), inside, some};
  }

  Projection projection() {
    if (auto found = factors(op_)) return *found;
    HostTensor identity({op_.type(0).dtype, {rows_, rows_}});
    for (int64_t i = 0; i < rows_; ++i) identity.set(i * rows_ + i, 1);
    return {op_.in(0), op_.constant(std::move(identity)), ""};
  }

  ExportedOp& op_;
  std::vector<size_t> order_;
  int64_t hidden_, rows_;
};

// The gates i, f, g and o of Cutset are i, o, f and c in ONNX.
Exported lstm(ExportedOp& op) {
  if (op.needs(1)) return unsupported("ONNX's LSTM does not return the cells after each step");
  Layer layer(op, {0, 3, 1, 2});
  CUTSET_ASSIGN(const ValueNames results, layer.run("LSTM", {}, "", {op.in(2), op.in(3)}, 4));
  return ValueNames{results[0], "", results[1], results[2]};
}

// The gates r, z and n of Cutset are z, r and h in ONNX.
Exported gru(ExportedOp& op) {
  Layer layer(op, {1, 0, 2});
  const std::string bias =
      op.node("Concat", {layer.zeros(2 * op.type(1).shape[1]), op.in(2)}, {{"axis", int64_t{0}}});
  return layer.run("GRU", {{"linear_before_reset", int64_t{op.flag("linear_before_reset")}}}, bias,
                   {op.in(3)}, 4);
}

Exported rnn(ExportedOp& op) {
  const std::string activation = op.text("nonlinearity") == "relu" ? "Relu" : "Tanh";
  return Layer(op, {0}).run("RNN", {{"activations", std::vector<std::string>{activation}}}, "", {op.in(2)},
                            3);
}

}  // namespace

static void export_recurrent(Exporters& table) { table.insert({{"lstm", lstm}, {"gru", gru}, {"rnn", rnn}}); }

static const ExporterFamily kRecurrentExporters(export_recurrent);

}  // namespace cutset::onnx
