// SPDX-License-Identifier: Apache-2.0
// Compares the converters of LSTM, GRU and RNN with ONNX's formulas, computed number by number: attributes
// and operands that the node tests of ONNX do not have, and nodes that are refused.
#include <cutset/onnx.h>
#include <cutset/session.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "frontends/onnx/import/test/model_bytes.h"
#include "tests/errors.h"

namespace cutset::onnx {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kSteps = 3, kBatch = 2, kFeatures = 2, kHidden = 2, kDirections = 2;

using Numbers = std::vector<float>;
Numbers numbers(size_t count, double seed) {
  Numbers list(count);
  for (size_t i = 0; i < count; ++i)
    list[i] = static_cast<float>(0.9 * std::sin(seed + 0.7 * static_cast<double>(i)));
  return list;
}

// A bidirectional node with all operands.
struct Problem {
  const char* op;
  size_t parts;
  bool batch_first = false, input_forget = false, peepholes = false, linear_before_reset = false;
  float clip = 0;
  const char* activation = nullptr;  // the activation function of RNN
  std::vector<std::string> functions =
      {};  // the functions of one direction, with the parameters of value_of()
  Numbers x, w, r, b, h, c, p;
  std::vector<int32_t> lengths = {3, 2};
};
Problem filled(Problem p) {
  const size_t rows = p.parts * kHidden;
  p.x = numbers(kSteps * kBatch * kFeatures, 1);
  p.w = numbers(kDirections * rows * kFeatures, 2);
  p.r = numbers(kDirections * rows * kHidden, 3);
  p.b = numbers(kDirections * 2 * rows, 4);
  p.h = numbers(kDirections * kBatch * kHidden, 5);
  p.c = numbers(kDirections * kBatch * kHidden, 6);
  p.p = numbers(kDirections * 3 * kHidden, 7);
  return p;
}

// Y [steps, directions, batch, hidden], and Y_h and Y_c [directions, batch, hidden].
struct Outcome {
  std::vector<double> y = std::vector<double>(kSteps * kDirections * kBatch * kHidden), h, c;
};
double logistic(double v) { return 1 / (1 + std::exp(-v)); }

// Computes an activation function with parameters that are not the defaults. kParameters has the parameters:
// alpha and beta, or NaN.
double value_of(const std::string& function, double v) {
  if (function == "Affine") return 0.5 * v - 0.1;
  if (function == "Elu") return v < 0 ? 0.6 * (std::exp(v) - 1) : v;
  if (function == "HardSigmoid") return std::clamp(0.3 * v + 0.4, 0.0, 1.0);
  if (function == "LeakyRelu") return v < 0 ? 0.1 * v : v;
  if (function == "Relu") return std::max(v, 0.0);
  if (function == "ScaledTanh") return 0.7 * std::tanh(1.1 * v);
  if (function == "Softplus") return std::log(1 + std::exp(v));
  if (function == "Softsign") return v / (1 + std::fabs(v));
  if (function == "ThresholdedRelu") return v > 0.05 ? v : 0;
  return function == "Sigmoid" ? logistic(v) : std::tanh(v);
}
const std::map<std::string, std::pair<float, float>> kParameters = {
    {"Affine", {0.5f, -0.1f}},  {"Elu", {0.6f, NAN}},         {"HardSigmoid", {0.3f, 0.4f}},
    {"LeakyRelu", {0.1f, NAN}}, {"ScaledTanh", {0.7f, 1.1f}}, {"ThresholdedRelu", {0.05f, NAN}}};

// Computes the formulas of ONNX, with the parts in the order of ONNX.
Outcome computed(const Problem& p) {
  const std::string op = p.op;
  const size_t rows = p.parts * kHidden, limit = kHidden;
  Outcome out;
  const auto activated = [&](size_t i, double v) {
    return p.functions.empty() ? (i == 0 && op != "RNN" ? logistic(v) : std::tanh(v))
                               : value_of(p.functions[i], v);
  };
  const auto clipped = [&](double v) { return p.clip > 0 ? std::clamp<double>(v, -p.clip, p.clip) : v; };
  for (size_t d = 0; d < kDirections; ++d)
    for (size_t n = 0; n < kBatch; ++n) {
      std::vector<double> h(limit), c(limit);
      for (size_t j = 0; j < limit; ++j) {
        h[j] = p.h[(d * kBatch + n) * limit + j];
        c[j] = p.c[(d * kBatch + n) * limit + j];
      }
      for (int64_t k = 0; k < p.lengths[n]; ++k) {
        const auto t = static_cast<size_t>(d ? p.lengths[n] - 1 - k : k);
        const auto of_x = [&](size_t part, size_t j) {
          const size_t row = part * limit + j;
          double sum = p.b[d * 2 * rows + row];
          for (size_t i = 0; i < kFeatures; ++i)
            sum += double{p.w[(d * rows + row) * kFeatures + i]} * p.x[(t * kBatch + n) * kFeatures + i];
          return sum;
        };
        const auto of_h = [&](size_t part, size_t j, const std::vector<double>& state) {
          const size_t row = part * limit + j;
          double sum = p.b[d * 2 * rows + rows + row];
          for (size_t i = 0; i < limit; ++i) sum += double{p.r[(d * rows + row) * limit + i]} * state[i];
          return sum;
        };
        const auto both = [&](size_t part, size_t j) { return of_x(part, j) + of_h(part, j, h); };
        const auto seen = [&](size_t part, size_t j) {
          return p.peepholes ? double{p.p[(d * 3 + part) * limit + j]} : 0;
        };
        std::vector<double> next(limit), z(limit), reset(limit);
        for (size_t j = 0; op == "LSTM" && j < limit; ++j) {  // i, o, f, c; the peepholes i, o, f
          const double i = activated(0, clipped(both(0, j) + seen(0, j) * c[j]));
          const double f = p.input_forget ? 1 - i : activated(0, clipped(both(2, j) + seen(2, j) * c[j]));
          c[j] = f * c[j] + i * activated(1, clipped(both(3, j)));
          next[j] = activated(0, clipped(both(1, j) + seen(1, j) * c[j])) * activated(2, c[j]);
        }
        if (op == "GRU") {  // z, r, h
          for (size_t j = 0; j < limit; ++j) {
            z[j] = activated(0, clipped(both(0, j)));
            reset[j] = activated(0, clipped(both(1, j)));
          }
          std::vector<double> product(limit);
          for (size_t j = 0; j < limit; ++j) product[j] = reset[j] * h[j];
          for (size_t j = 0; j < limit; ++j) {
            const double again = p.linear_before_reset ? reset[j] * of_h(2, j, h) : of_h(2, j, product);
            next[j] = (1 - z[j]) * activated(1, clipped(of_x(2, j) + again)) + z[j] * h[j];
          }
        }
        for (size_t j = 0; op == "RNN" && j < limit; ++j) {
          const double sum = clipped(both(0, j));
          next[j] = p.activation ? std::max(sum, 0.0) : activated(0, sum);
        }
        h = next;
        for (size_t j = 0; j < limit; ++j) out.y[((t * kDirections + d) * kBatch + n) * limit + j] = h[j];
      }
      out.h.insert(out.h.end(), h.begin(), h.end());
      out.c.insert(out.c.end(), c.begin(), c.end());
    }
  return out;
}

// Exchanges the first two dimensions of a tensor [first, batch, rest...] if the batch comes first.
template <class T>
std::vector<T> exchanged(const std::vector<T>& from, size_t first, size_t rest) {
  std::vector<T> to;
  for (size_t n = 0; n < kBatch; ++n)
    for (size_t d = 0; d < first; ++d)
      for (size_t i = 0; i < rest; ++i) to.push_back(from[(d * kBatch + n) * rest + i]);
  return to;
}

// Returns a model of one node whose result number `result` is y.
Message model_of(const Problem& p, int result, const std::vector<Message>& attributes = {}) {
  const auto rows = static_cast<int64_t>(p.parts) * kHidden;
  const bool lstm = std::string(p.op) == "LSTM";
  Message n;
  for (const char* input : {"x", "w", "r", "b", "lengths", "h"}) n.text(1, input);
  if (lstm) n.text(1, "c").text(1, p.peepholes ? "p" : "");
  for (int i = 0; i < result; ++i) n.text(2, "");
  n.text(2, "y").text(4, p.op);
  const auto add = [&](const Message& a) { n.nested(5, a); };
  add(attribute("direction", "bidirectional"));
  add(attribute("hidden_size", kHidden));
  if (p.batch_first) add(attribute("layout", int64_t{1}));
  if (p.clip > 0) add(attribute("clip", p.clip));
  if (p.input_forget) add(attribute("input_forget", int64_t{1}));
  if (p.linear_before_reset) add(attribute("linear_before_reset", int64_t{1}));
  if (p.activation) add(attribute("activations", std::vector<std::string>(kDirections, p.activation)));
  if (!p.functions.empty()) {
    std::vector<std::string> names;
    std::vector<float> alphas, betas;
    for (int64_t d = 0; d < kDirections; ++d)
      for (const std::string& name : p.functions) {
        names.push_back(name);
        const auto found = kParameters.find(name);
        if (found == kParameters.end()) continue;
        alphas.push_back(found->second.first);
        if (!std::isnan(found->second.second)) betas.push_back(found->second.second);
      }
    add(attribute("activations", names));
    add(attribute("activation_alpha", alphas));
    add(attribute("activation_beta", betas));
  }
  for (const Message& a : attributes) add(a);
  const std::vector<int64_t> state = p.batch_first ? std::vector<int64_t>{kBatch, kDirections, kHidden}
                                                   : std::vector<int64_t>{kDirections, kBatch, kHidden};
  const auto state_of = [&](const char* name, const Numbers& v) {
    return tensor(name, kFloat, state, raw(p.batch_first ? exchanged(v, kDirections, kHidden) : v));
  };
  return model({n},
               {tensor("w", kFloat, {kDirections, rows, kFeatures}, raw(p.w)),
                tensor("r", kFloat, {kDirections, rows, kHidden}, raw(p.r)),
                tensor("b", kFloat, {kDirections, 2 * rows}, raw(p.b)),
                tensor("lengths", kInt32, {kBatch}, raw(p.lengths)), state_of("h", p.h), state_of("c", p.c),
                tensor("p", kFloat, {kDirections, 3 * kHidden}, raw(p.p))},
               value("x", p.batch_first ? std::vector<int64_t>{kBatch, kSteps, kFeatures}
                                        : std::vector<int64_t>{kSteps, kBatch, kFeatures}));
}
HostTensor run(const Problem& p, int result) {
  const Model imported = import_model(bytes_of(model_of(p, result)));
  Session session = compile(imported.graph, {.devices = "reference:0"});
  Batch batch;
  if (p.batch_first)
    batch.emplace("x", HostTensor({kBatch, kSteps, kFeatures}, exchanged(p.x, kSteps, kFeatures)));
  else
    batch.emplace("x", HostTensor({kSteps, kBatch, kFeatures}, p.x));
  return session.run("evaluate", batch)["y"];
}

TEST(OnnxRecurrent, ComputesTheFormulas) {
  std::vector<Problem> all = {
      {"LSTM", 4},
      {"LSTM", 4, true, true, true, false, 0.5f},
      {"LSTM", 4, false, false, true},
      {"GRU", 3, true},
      {"GRU", 3, false, false, false, true},
      {"GRU", 3, true, false, false, false, 0.4f},
      {"GRU", 3, false, false, false, true, 0.4f},
      {"RNN", 1, true},
      {"RNN", 1, false, false, false, false, 0.3f, "Relu"},
      {"RNN", 1, false, false, false, false, 0, "relu"},
  };
  const auto with = [&](Problem p, std::vector<std::string> functions) {
    p.functions = std::move(functions);
    all.push_back(std::move(p));
  };
  with({"LSTM", 4}, {"HardSigmoid", "Relu", "LeakyRelu"});  // Keras writes the first two
  with({"LSTM", 4, true, false, true, false, 0.5f}, {"Sigmoid", "Softsign", "Elu"});
  with({"LSTM", 4}, {"Affine", "Tanh", "ThresholdedRelu"});
  with({"GRU", 3}, {"HardSigmoid", "Tanh"});
  with({"GRU", 3, true, false, false, true}, {"Sigmoid", "ScaledTanh"});
  with({"RNN", 1}, {"Affine"});
  with({"RNN", 1, true}, {"Softplus"});
  for (size_t i = 0; i < all.size(); ++i) {
    SCOPED_TRACE(i);
    const Problem p = filled(all[i]);
    const Outcome want = computed(p);
    const bool lstm = std::string(p.op) == "LSTM";
    for (int result = 0; result < (lstm ? 3 : 2); ++result) {
      const HostTensor got = run(p, result);
      std::vector<double> expected = result == 0 ? want.y : result == 1 ? want.h : want.c;
      if (p.batch_first)
        expected =
            exchanged(expected, static_cast<size_t>(result ? kDirections : kSteps * kDirections), kHidden);
      ASSERT_EQ(static_cast<size_t>(got.elements()), expected.size());
      for (size_t e = 0; e < expected.size(); ++e)
        EXPECT_NEAR(got.at(static_cast<int64_t>(e)), expected[e], 2e-6)
            << "result " << result << "[" << e << "]";
    }
  }
}

TEST(OnnxRecurrent, RefusesWhatItCannotCompute) {
  const auto error = [](Problem p, const std::vector<Message>& attributes) {
    return testing::error_of([&] { import_model(bytes_of(model_of(filled(p), 0, attributes))); });
  };
  const Problem lstm{"LSTM", 4}, gru{"GRU", 3}, rnn{"RNN", 1};
  const auto activations = [](const std::vector<std::string>& names) {
    return std::vector<Message>{attribute("activations", names)};
  };
  EXPECT_THAT(error(lstm, activations({"Sigmoid", "Tanh", "Gelu", "Sigmoid", "Tanh", "Tanh"})),
              HasSubstr("the activation 'Gelu'"));
  EXPECT_THAT(error(rnn, activations({"Tanh", "Affine"})),
              HasSubstr("'Affine' has an alpha, which is missing"));
  const auto parameters = [&](const std::vector<std::string>& names, const std::vector<float>& alphas) {
    std::vector<Message> all = activations(names);
    all.push_back(attribute("activation_alpha", alphas));
    return error(rnn, all);
  };
  EXPECT_EQ(parameters({"Elu", "Tanh"}, {2}), "no error");
  EXPECT_EQ(parameters({"Elu", "Tanh"}, {2, 0}), "no error");
  EXPECT_THAT(parameters({"Tanh", "Elu"}, {2, 3}), HasSubstr("ONNX does not define which element is whose"));
  EXPECT_THAT(parameters({"Tanh", "Elu"}, {2, 3, 4}), HasSubstr("activation_alpha has 3 elements"));
  EXPECT_THAT(error(lstm, activations({"Sigmoid", "Tanh", "Tanh"})),
              HasSubstr("there are 3 activations for 2 directions"));
  EXPECT_EQ(error(lstm, activations({"sigmoid", "tanh", "TANH", "Sigmoid", "Tanh", "Tanh"})), "no error");
  Problem short_weight = filled(lstm);
  short_weight.parts = 3;
  EXPECT_THAT(testing::error_of([&] { import_model(bytes_of(model_of(filled(short_weight), 0))); }),
              HasSubstr("it needs 2 directions of 4 parts"));
  EXPECT_THAT(error(gru, {attribute("clip", -1.0f)}), HasSubstr("clip is -1"));
}

}  // namespace
}  // namespace cutset::onnx
