// SPDX-License-Identifier: Apache-2.0
// The cases of the functions of <cutset/ops.h> that users call.
#include "frontends/cpp/checks/failure.h"
#include "frontends/cpp/graph/append.h"
#include "ir/core/op/op_info.h"
#include "ir/ops/elementwise/elementwise_bodies.h"
#include "tests/sizes/size_case.h"

namespace cutset {
namespace {

using In = std::vector<Tensor>;
using Out = std::vector<Tensor>;

std::vector<SizedInput> pairs(const Sizes& s) { return {{{s.batch, s.length, 5}}, {{s.batch, s.length, 5}}}; }
std::vector<SizedInput> integers(const Sizes& s) {
  return {{{s.batch, s.length}, i32, 0, 4}, {{s.batch, s.length}, i32, 0, 4}};
}

// Adds every op of elementwise_bodies.inc with one or two operands. Operands are f32 if the op accepts f32,
// and otherwise integers. acosh, bitwise_not and where have separate cases.
void add_elementwise(std::vector<SizeCase>& all) {
  for (const ElementwiseBody& body : elementwise_bodies()) {
    const std::string name = body.op;
    if (name == "acosh" || name == "bitwise_not" || name == "where") continue;
    const auto types = [&](DType type) {
      return Types(static_cast<size_t>(body.arity), TensorType{type, {2}});
    };
    const OpInfo& op = *find_op(name);
    const auto of_floats = op.infer(check(FlatAttrs::pack(op.schema, {})).data(), types(f32));
    const bool trains = of_floats.ok() && op.gradient && of_floats->front().dtype == f32;
    all.push_back({name,
                   body.arity == 1  ? rows
                   : of_floats.ok() ? pairs
                                    : integers,
                   [name](Graph&, const In& x) {
                     std::vector<std::vector<Tensor>> operands;
                     for (const Tensor& operand : x) operands.push_back({operand});
                     return Out{append(name.c_str(), operands, {}, std::source_location::current())};
                   },
                   trains});
  }
  all.push_back({"acosh", rows, [](Graph&, const In& x) { return Out{acosh(x[0] + 1)}; }});
  all.push_back(
      {"bitwise_not", integers, [](Graph&, const In& x) { return Out{bitwise_not(x[0]) + x[1]}; }, false});
  all.push_back({"clip", rows, [](Graph&, const In& x) {
                   return Out{clip(x[0], constant(x[0], 0.3), constant(x[0], 0.6))};
                 }});
  all.push_back({"where", pairs,
                 [](Graph&, const In& x) { return Out{cutset::where(greater(x[0], x[1]), x[0], x[1])}; }});
}

void add_along_axes(std::vector<SizeCase>& all) {
  all.push_back(
      {"argmax", rows,
       [](Graph&, const In& x) { return Out{argmax(x[0], {.axis = 1}), argmin(x[0], {.axis = 0})}; }, false});
  all.push_back({"argmin", rows, [](Graph&, const In& x) { return Out{argmin(x[0], {.axis = 1})}; }, false});
  all.push_back({"cumsum", rows, [](Graph&, const In& x) {
                   return Out{cumsum(x[0], {.axis = 1}), cumsum(x[0], {.axis = 0, .reverse = true})};
                 }});
  all.push_back({"cumprod", rows, [](Graph&, const In& x) { return Out{cumprod(x[0], {.axis = 1})}; }});
  all.push_back({"softmax", rows, [](Graph&, const In& x) {
                   return Out{softmax(x[0], {.axis = 1}), softmax(x[0], {.axis = 0})};
                 }});
  all.push_back(
      {"log_softmax", rows, [](Graph&, const In& x) { return Out{log_softmax(x[0], {.axis = 1})}; }});
  all.push_back({"max", rows, [](Graph&, const In& x) { return Out{max(x[0], {0, 1}), max(x[0], 1)}; }});
  all.push_back({"min", rows, [](Graph&, const In& x) { return Out{min(x[0], 1)}; }});
  all.push_back({"prod", rows, [](Graph&, const In& x) { return Out{prod(x[0], 1)}; }});
  all.push_back({"sum_squared_deviations", rows,
                 [](Graph&, const In& x) { return Out{sum_squared_deviations(x[0], mean(x[0], {0, 2}))}; },
                 false, false});
  all.push_back({"top_k", rows, [](Graph&, const In& x) {
                   const auto [values, indices] = top_k(x[0], {.k = 2, .axis = 1});
                   return Out{values, indices};
                 }});
  all.push_back({"tril:above", rows, [](Graph&, const In& x) { return Out{tril(x[0], 1)}; }});
  all.push_back({"transpose", rows,
                 [](Graph&, const In& x) { return Out{transpose(x[0], {.permutation = {2, 0, 1}})}; }});
  all.push_back({"pad:by options", rows, [](Graph&, const In& x) {
                   return Out{ops::pad(x[0], {.axis = 1, .before = 1, .after = 2}),
                              ops::pad(x[0], {.axis = 0, .after = 1})};
                 }});
  all.push_back({"slice:by options", rows, [](Graph&, const In& x) {
                   return Out{ops::slice(x[0], {.axis = 1, .start = 1}),
                              ops::slice(x[0], {.axis = 1, .start = 0, .length = 2})};
                 }});
  all.push_back({"split_with_sizes", rows,
                 [](Graph&, const In& x) { return split_with_sizes(x[0], {.axis = 2, .sizes = {2, 3}}); }});
  all.push_back({"concat", pairs, [](Graph&, const In& x) {
                   return Out{concat({x[0], x[1]}, {.axis = 1}), concat({x[1], x[0]}, {.axis = 0})};
                 }});
  all.push_back(
      {"reshape", rows, [](Graph&, const In& x) { return Out{reshape(x[0], {.shape = {0, -1}})}; }});
  all.push_back(
      {"cast", rows,
       [](Graph&, const In& x) { return Out{cast(x[0] * 9, {.dtype = i32}), cast(x[0], {.dtype = f64})}; },
       false});
  all.push_back(
      {"bitcast", rows, [](Graph&, const In& x) { return Out{bitcast(x[0], {.dtype = i32})}; }, false});
  all.push_back({"detach", rows, [](Graph&, const In& x) { return Out{detach(x[0]) * x[0]}; }});
}

void add_others(std::vector<SizeCase>& all) {
  all.push_back(
      {"one_hot", integers, [](Graph&, const In& x) { return Out{one_hot(x[0], {.depth = 4})}; }, false});
  all.push_back({"gather",
                 [](const Sizes& s) {
                   return std::vector<SizedInput>{{{s.batch, s.length, 5}}, {{s.batch, 2}, i32, 0, 3}};
                 },
                 [](Graph&, const In& x) { return Out{gather(x[0], x[1], {.axis = 1})}; }});
  all.push_back({"gather_elements",
                 [](const Sizes& s) {
                   return std::vector<SizedInput>{{{s.batch, s.length, 5}},
                                                  {{s.batch, s.length, 5}, i32, 0, 3}};
                 },
                 [](Graph&, const In& x) { return Out{gather_elements(x[0], x[1], {.axis = 2})}; }});
  all.push_back({"scatter_elements",
                 [](const Sizes& s) {
                   return std::vector<SizedInput>{{{s.batch, s.length, 5}},
                                                  {{s.batch, s.length, 5}, i32, 0, 3},
                                                  {{s.batch, s.length, 5}}};
                 },
                 [](Graph&, const In& x) {
                   return Out{scatter_elements(x[0], x[1], x[2],
                                               {.axis = 2, .reduction = ScatterElementsReduction::kAdd})};
                 }});
  all.push_back({"matmul",
                 [](const Sizes& s) {
                   return std::vector<SizedInput>{{{s.batch, s.length, 5}}, {{s.batch, 5, s.length}}};
                 },
                 [](Graph&, const In& x) { return Out{matmul(x[0], x[1])}; }});
  all.push_back({"layer_norm", rows, [](Graph& g, const In& x) {
                   const Tensor scale = g.constant(HostTensor({5}, {1.f, 2.f, 3.f, 4.f, 5.f}));
                   return Out{layer_norm(x[0], scale)};
                 }});
  all.push_back(
      {"softmax_cross_entropy",
       [](const Sizes& s) { return std::vector<SizedInput>{{{s.batch, 5}}, {{s.batch}, i32, 0, 5}}; },
       [](Graph&, const In& x) { return Out{softmax_cross_entropy(x[0], x[1])}; }});
  const auto filter = [](Graph& g) {
    return g.variable("filter", f32, {3, 3, 2, 2}, Initializer::uniform(-1, 1));
  };
  all.push_back({"conv", images, [=](Graph& g, const In& x) {
                   return Out{conv(x[0], filter(g), {}, {.stride = {2, 1}, .padding = {1, 1, 1, 1}})};
                 }});
  all.push_back({"conv_transpose", images, [=](Graph& g, const In& x) {
                   return Out{conv_transpose(x[0], filter(g), {}, {.stride = {2, 2}})};
                 }});
  all.push_back({"batch_norm", images, [](Graph& g, const In& x) {
                   const Tensor one = g.constant(HostTensor({3}, {1.f, 2.f, 3.f}));
                   return Out{batch_norm(x[0], one, one, one, one)};
                 }});
  all.push_back({"random_uniform", rows, [](Graph& g, const In& x) {
                   return Out{x[0] + random_uniform(x[0], g.step(), {.seed = 3, .stream = 1}),
                              random_normal(x[0], g.step(), {.seed = 3, .stream = 2})};
                 }});
  all.push_back({"random_normal", rows, [](Graph& g, const In& x) {
                   return Out{x[0] * random_normal(x[0], g.step(), {.seed = 3, .stream = 2})};
                 }});
}

}  // namespace

std::vector<SizeCase> size_cases_of_ops() {
  std::vector<SizeCase> all;
  add_elementwise(all);
  add_along_axes(all);
  add_others(all);
  return all;
}

}  // namespace cutset
