// SPDX-License-Identifier: Apache-2.0
#include <cutset/graph.h>

#include <algorithm>
#include <limits>

#include "frontends/cpp/graph/add_variable.h"
#include "frontends/cpp/graph/append.h"
#include "frontends/cpp/graph/freeze.h"
#include "frontends/cpp/graph/graph_state.h"
#include "frontends/cpp/graph/minimize.h"
#include "ir/core/names.h"

namespace cutset {

Graph::Graph(uint64_t seed) : state_("Graph", std::make_shared<GraphState>()) {
  state_->builder = check(load_compiler())->builder();
  state_->seed = seed;
}

Graph::Graph(std::shared_ptr<GraphState> state) : state_("Graph", std::move(state)) {}

Tensor Graph::constant(const HostTensor& value, std::source_location source) {
  return constant_of(state(), value, source);
}

Tensor Graph::input(const std::string& name, DType dtype, const Shape& shape, std::source_location source) {
  return input(name, dtype, shape, InputOptions{}, source);
}

Tensor Graph::input(const std::string& name, DType dtype, const Shape& shape, const InputOptions& options,
                    std::source_location source) {
  check(check_name(name, "an input"), source);
  if (name.starts_with("cutset."))
    raise({ErrorCode::kInvalidArgument,
           "the name '" + name +
               "' of an input begins with 'cutset.', which is reserved for the inputs that the session feeds",
           Error::line_of(source), "choose another name"});
  for (const int64_t size : shape)
    if (size < 0)
      raise({ErrorCode::kInvalidArgument,
             "input '" + name + "' has the shape " + to_string(shape) + ", and a size cannot be negative",
             Error::line_of(source),
             "give any size for the batch; a session compiles the graph again for other sizes"});
  const auto building = state_->builder.hold();
  const BuiltValue v = check(building->input(name, {dtype, shape}, options.batch_dimension,
                                             options.several_rows_per_sample, state_->source(source)));
  state_->inputs.emplace_back(name, v.type);
  if (!is_float(dtype)) state_->labels.add_input(v.id, name, options.batch_dimension);
  return {state(), v.id, v.type};
}

// The names of the inputs that the session feeds begin with "cutset.". The names of other inputs do not.
static constexpr const char* kStepName = "cutset.step";

Tensor Graph::step(std::source_location source) {
  const BuiltValue v = check(state_->builder->scalar(kStepName, i64, Feed::kStep, 0, state_->source(source)));
  return {state(), v.id, v.type};
}

Tensor Graph::hyper_parameter(const std::string& name, double initial, std::source_location source) {
  check(check_name(name, "a hyper-parameter"), source);
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  (void)checked_range({name, initial, -kInfinite, kInfinite}, source);
  const BuiltValue v =
      check(state_->builder->scalar(name, f32, Feed::kHyperParameter, initial, state_->source(source)));
  return {state(), v.id, v.type};
}

Tensor Graph::variable(const std::string& name, DType dtype, const Shape& shape, const Initializer& initial,
                       const VariableOptions& options, std::source_location source) {
  const Attributes seeds = {{"seed", static_cast<int64_t>(state_->seed)}, {"stream", state_->variables + 1}};
  std::optional<FirstValue> start;
  auto draw = [&](const char* op, const Attributes& parameters) {
    start = {.drawn = {op, seeds}};
    Attributes& attributes = start->drawn.attributes;
    attributes.insert(attributes.end(), parameters.begin(), parameters.end());
  };
  if (initial.kind == Initializer::Kind::kUniform)
    draw("random_uniform", {{"low", initial.low}, {"high", initial.high}});
  if (initial.kind == Initializer::Kind::kNormal)
    draw("random_normal", {{"mean", initial.mean}, {"stddev", initial.stddev}});
  if (start && !is_float(dtype))
    raise({ErrorCode::kInvalidArgument,
           "variable '" + name + "' is " + name_of(dtype) +
               ", and its initializer draws numbers of a floating-point type only",
           Error::line_of(source), "use Initializer::zeros() and Session::set_variable()"});
  return add_variable(*this, name, {dtype, shape}, start, options, source);
}

Tensor Graph::variable(const std::string& name, HostTensor initial, const VariableOptions& options,
                       std::source_location source) {
  FirstValue first;
  first.elements = std::make_shared<const HostTensor>(std::move(initial));
  return add_variable(*this, name, first.elements->type(), first, options, source);
}

Tensor Graph::variable(const std::string& name, std::source_location source) const {
  const auto found = state_->variables_by_name.find(name);
  if (found == state_->variables_by_name.end()) {
    std::vector<std::string> names;
    for (const auto& [other, value] : state_->variables_by_name) names.push_back(other);
    raise({ErrorCode::kInvalidArgument, "there is no variable '" + name + "'", Error::line_of(source),
           hint_of_names(name, names)});
  }
  return {state(), found->second.id, found->second.type};
}

int Graph::own(const Tensor& t, const std::string& what, std::source_location source) const {
  if (t.graph() != state())
    raise({ErrorCode::kInvalidArgument,
           what + (t.defined() ? " belongs to another graph" : " is an empty Tensor"), Error::line_of(source),
           ""});
  return t.value();
}

void Graph::output(const std::string& name, const Tensor& value, std::source_location source) {
  check(check_name(name, "an output"), source);
  const int id = own(value, "the output '" + name + "'", source);
  check(state_->builder->output(name, id, state_->source(source)));
}

void Graph::function(const std::string& name, const std::vector<Tensor>& inputs,
                     const std::vector<std::pair<std::string, Tensor>>& outputs,
                     std::source_location source) {
  check(check_name(name, "a function"), source);
  std::vector<int> in;
  std::vector<std::pair<std::string, int>> out;
  for (const Tensor& t : inputs) in.push_back(own(t, "an input of the function '" + name + "'", source));
  for (const auto& [output, t] : outputs) {
    check(check_name(output, "an output"), source);
    out.emplace_back(output, own(t, "the output '" + output + "' of the function '" + name + "'", source));
  }
  check(state_->builder->function(name, in, out, state_->source(source)));
}

void Graph::assign(const Tensor& variable, const Tensor& value, const std::string& function,
                   std::source_location source) {
  check(check_name(function, "a function"), source);
  const int to = own(variable, "the variable", source),
            from = own(value, "the value assigned to a variable", source);
  check(state_->builder->assign(to, from, function, state_->source(source)));
}

Tensor Graph::when_training(const Tensor& training, const Tensor& otherwise, std::source_location source) {
  const int first = own(training, "the value for training", source),
            second = own(otherwise, "the other value", source);
  const BuiltValue v = check(state_->builder->when_training(first, second, state_->source(source)));
  return {state(), v.id, v.type};
}

void Graph::shard(const Tensor& variable, const Sharding& sharding, std::source_location source) {
  const int divided = own(variable, "the variable", source);
  if (sharding.axis != "tensor")
    raise({ErrorCode::kInvalidArgument, "there is no axis '" + sharding.axis + "' that divides variables",
           Error::line_of(source), "use the axis \"tensor\""});
  check(state_->builder->shard(divided, sharding.dimension, state_->source(source)));
}

void Graph::minimize(const Tensor& loss, const Sgd& optimizer, const MinimizeOptions& options,
                     std::source_location source) {
  minimize(loss, Optimizer(optimizer), options, source);
}

void Graph::minimize(const Tensor& loss, const Optimizer& optimizer, const MinimizeOptions& options,
                     std::source_location source) {
  own(loss, "the loss", source);
  if (std::ranges::find(state_->minimizing, options.function) != state_->minimizing.end())
    raise({ErrorCode::kInvalidArgument, "minimize made the function '" + options.function + "' before",
           Error::line_of(source),
           "to minimize two losses with one optimizer, minimize their sum, with detach() where a loss must "
           "not train a variable; for a second optimizer, give its function a name: {.variables = "
           "{\"generator\"}, .function = \"train_generator\"}"});
  if (loss.type().rank() != 0 || !is_float(loss.dtype()))
    raise({ErrorCode::kInvalidArgument,
           "the loss is " + to_string(loss.type()) + ", it must be a scalar of a floating-point type",
           Error::line_of(source), "take its mean"});
  Minimized result = minimized(*state_.get(), loss.value(), optimizer, options, source);
  check(state_->builder->minimize(result.minimization, state_->source(source)));
  state_->scalars.merge(result.ranges);
  state_->group_rates.merge(result.group_rates);
  state_->minimizing.push_back(options.function);
}

std::vector<std::string> Graph::freeze(const std::vector<std::string>& names, std::source_location source) {
  return freeze_variables(*state_.get(), names, /*others=*/false, source);
}
std::vector<std::string> Graph::freeze_except(const std::vector<std::string>& names,
                                              std::source_location source) {
  return freeze_variables(*state_.get(), names, /*others=*/true, source);
}

static void refuse_second_call(bool called, const char* what, std::source_location source) {
  if (called)
    raise({ErrorCode::kInvalidArgument, std::string(what) + " was called before", Error::line_of(source),
           "call it once for a graph"});
}

void Graph::clip_gradients(const GradientClipping& clipping, std::source_location source) {
  refuse_second_call(state_->clips, "clip_gradients", source);
  if (!clipping.value && !clipping.norm)
    raise({ErrorCode::kInvalidArgument, "clip_gradients has no limit", Error::line_of(source),
           "set value or norm"});
  for (const auto& [name, limit] :
       {std::pair("clip_value", clipping.value), std::pair("clip_norm", clipping.norm)})
    if (limit) state_->scalars[name] = checked_range({name, *limit, kAboveZero}, source);
  state_->builder->clip_gradients(clipping.value, clipping.norm);
  state_->clips = true;
}

void Graph::average_weights(const WeightAverage& average, std::source_location source) {
  refuse_second_call(state_->averages, "average_weights", source);
  const ValueRange range = checked_range({"average_decay", average.decay, 0, 1}, source);
  if (std::find(average.functions.begin(), average.functions.end(), "train") != average.functions.end())
    raise({ErrorCode::kInvalidArgument, "'train' cannot read the averages of the variables that it trains",
           Error::line_of(source), ""});
  state_->builder->average_weights(average.decay, average.functions);
  state_->scalars["average_decay"] = range;
  state_->averages = true;
}

const std::vector<std::pair<std::string, TensorType>>& Graph::inputs() const { return state_->inputs; }
const std::shared_ptr<GraphState>& Graph::state() const { return state_.get(); }
const std::map<std::string, int64_t>& Graph::label_classes() const { return state_->labels.classes(); }
std::string Graph::text() const { return state_->builder->text(); }

DeviceScope::DeviceScope(const Graph& graph, const std::string& device) : state_(graph.state()) {
  state_->devices.begin(this, device);
}
DeviceScope::~DeviceScope() { state_->devices.end(this); }

NameScope::NameScope(const Graph& graph, const std::string& name) : state_(graph.state()) {
  std::string path = name;
  std::replace(path.begin(), path.end(), '.', '/');
  state_->names.begin(this, std::move(path));
}
NameScope::~NameScope() { state_->names.end(this); }

}  // namespace cutset
