#include <cutset/graph.h>

#include <algorithm>
#include <cmath>

#include "frontends/cpp/append.h"
#include "frontends/cpp/graph_state.h"
#include "frontends/cpp/undo.h"
#include "ir/core/names.h"

namespace cutset {

std::vector<Tensor> append(const char* op, const std::vector<Tensor>& operands, const Attributes& attributes,
                           std::source_location where, size_t optional) {
  std::shared_ptr<GraphState> graph;
  std::vector<int> values;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!operands[i]) {
      if (i + optional >= operands.size()) continue;
      const std::vector<const char*> names = find_op(op)->operands;  // the last one may stand for several operands
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
  for (const BuiltValue& v : check(graph->builder->append(op, values, attributes, graph->origin(where))))
    results.emplace_back(graph, v.id, v.type);
  graph->labels.add_op(*find_op(op), operands, attributes, results);
  return results;
}

Graph::Graph(uint64_t seed) : state_("Graph", std::make_shared<GraphState>()) {
  state_->builder = check(load_compiler())->builder();
  state_->seed = seed;
}

static void require_name(const std::string& name, const char* what, std::source_location where) {
  if (const Status status = check_name(name, what); !status.ok()) throw Error(status.error(), where);
}

Tensor Graph::input(const std::string& name, DType dtype, const Shape& shape, std::source_location where) {
  return input(name, dtype, shape, InputOptions{}, where);
}

Tensor Graph::input(const std::string& name, DType dtype, const Shape& shape, const InputOptions& options,
                    std::source_location where) {
  require_name(name, "an input", where);
  if (name.starts_with("cutset."))
    raise({ErrorCode::kInvalidArgument,
           "the name '" + name + "' of an input begins with 'cutset.', as those of sessions do", Error::line_of(where),
           "choose another name"});
  const BuiltValue v = check(state_->builder->input(name, {dtype, shape}, options.batched, state_->origin(where)));
  state_->inputs.emplace_back(name, v.type);
  if (!is_float(dtype)) state_->labels.add_input(v.id, name);
  return {state(), v.id, v.type};
}

// What a session feeds has a name that begins so, and inputs of the caller have none of these.
static constexpr const char* kStepName = "cutset.step";

Tensor Graph::step(std::source_location where) {
  const BuiltValue v = check(state_->builder->scalar(kStepName, i64, Feed::kStep, 0, state_->origin(where)));
  return {state(), v.id, v.type};
}

// As f32, which it is fed as.
static void check_hyper_parameter(const std::string& name, double value, std::source_location where) {
  if (!std::isfinite(static_cast<float>(value)))
    raise({ErrorCode::kInvalidArgument,
           "hyper-parameter '" + name + "' is " + std::to_string(value) + ", which is not a finite f32",
           Error::line_of(where), ""});
}

Tensor Graph::hyper_parameter(const std::string& name, double initial, std::source_location where) {
  require_name(name, "a hyper-parameter", where);
  check_hyper_parameter(name, initial, where);
  const BuiltValue v = check(state_->builder->scalar(name, f32, Feed::kHyperParameter, initial, state_->origin(where)));
  return {state(), v.id, v.type};
}

Undo::Undo(std::shared_ptr<GraphState> graph)
    : graph_(std::move(graph)), mark_(graph_->builder->mark()), variables_(graph_->variables) {}
Undo::~Undo() {
  if (!graph_) return;
  graph_->builder->rewind(mark_);
  graph_->variables = variables_;
}

Tensor Graph::variable(const std::string& name, DType dtype, const Shape& shape, const Initializer& initial,
                       const VariableOptions& options, std::source_location where) {
  require_name(name, "a variable", where);
  const Attributes drawn = {{"seed", static_cast<int64_t>(state_->seed)}, {"stream", state_->variables + 1}};
  std::optional<FirstValue> start;
  auto draw = [&](const char* op, const char* first, const char* second) {
    start = {op, drawn};
    start->attributes.emplace_back(first, initial.a), start->attributes.emplace_back(second, initial.b);
  };
  if (initial.kind == Initializer::Kind::kUniform) draw("random_uniform", "low", "high");
  if (initial.kind == Initializer::Kind::kNormal) draw("random_normal", "mean", "deviation");
  const BuiltValue v =
      check(state_->builder->variable(name, {dtype, shape}, start, options.trainable, state_->origin(where)));
  ++state_->variables;
  return {state(), v.id, v.type};
}

int Graph::own(const Tensor& t, const std::string& what, std::source_location where) const {
  if (t.graph() != state())
    raise({ErrorCode::kInvalidArgument, what + (t ? " belongs to another graph" : " is an empty Tensor"),
           Error::line_of(where), ""});
  return t.value();
}

void Graph::output(const std::string& name, const Tensor& value, std::source_location where) {
  require_name(name, "an output", where);
  const int id = own(value, "the output '" + name + "'", where);
  check(state_->builder->output(name, id, state_->origin(where)));
}

void Graph::function(const std::string& name, const std::vector<Tensor>& inputs,
                     const std::vector<std::pair<std::string, Tensor>>& outputs, std::source_location where) {
  require_name(name, "a function", where);
  std::vector<int> in;
  std::vector<std::pair<std::string, int>> out;
  for (const Tensor& t : inputs) in.push_back(own(t, "an input of the function '" + name + "'", where));
  for (const auto& [output, t] : outputs) {
    require_name(output, "an output", where);
    out.emplace_back(output, own(t, "the output '" + output + "' of the function '" + name + "'", where));
  }
  check(state_->builder->function(name, in, out, state_->origin(where)));
}

void Graph::assign(const Tensor& variable, const Tensor& value, std::source_location where) {
  const int to = own(variable, "the variable", where), from = own(value, "the value assigned to a variable", where);
  check(state_->builder->assign(to, from, state_->origin(where)));
}

void Graph::minimize(const Tensor& loss, const Sgd& optimizer, std::source_location where) {
  if (loss.type().rank() != 0 || !is_float(loss.dtype()))
    raise({ErrorCode::kInvalidArgument,
           "the loss is " + to_string(loss.type()) + ", it must be a scalar of a floating-point type",
           Error::line_of(where), "take its mean"});
  check_hyper_parameter("learning_rate", optimizer.learning_rate, where);
  check_hyper_parameter("momentum", optimizer.momentum, where);
  output("loss", loss, where);
  check(state_->builder->minimize("loss", "sgd",
                                  {{"learning_rate", optimizer.learning_rate}, {"momentum", optimizer.momentum}}));
}

const std::vector<std::pair<std::string, TensorType>>& Graph::inputs() const { return state_->inputs; }
const std::shared_ptr<GraphState>& Graph::state() const { return state_.get(); }
const std::map<std::string, int64_t>& Graph::label_classes() const { return state_->labels.classes(); }
std::string Graph::text() const { return state_->builder->text(); }

On::On(Graph& graph, const std::string& device) : state_(graph.state()), before_(state_->device) {
  state_->device = device;
}
On::~On() { state_->device = before_; }
Scope::Scope(const std::shared_ptr<GraphState>& graph, const std::string& name) : state_(graph) {
  if (!graph) raise(invalid_argument("Scope is given no graph", "an empty Tensor has none"));
  before_ = graph->scope;
  state_->scope = before_.empty() ? name : before_ + "/" + name;
}
Scope::~Scope() { state_->scope = before_; }

}  // namespace cutset
