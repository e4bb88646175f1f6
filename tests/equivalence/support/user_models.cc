// SPDX-License-Identifier: Apache-2.0
#include "tests/equivalence/support/user_models.h"

#include <cutset/attention.h>
#include <cutset/recurrent.h>

#include <cmath>
#include <vector>

namespace cutset::testing {
namespace {

// Returns a residual network with four blocks. Two of them have stride 2, and their shortcuts are
// convolutions.
Graph residual() {
  Graph g(1);
  Tensor x = g.input("image", f32, {5, 3, 12, 12}), y = g.input("label", i32, {5});
  Tensor h = relu(nn::conv("stem", x, {.out_channels = 4, .kernel_size = 3, .padding = 1}));
  auto block = [&](const std::string& n, const Tensor& in, int64_t filters, int64_t stride) {
    Tensor a = relu(
        nn::conv(n + ".c1", in, {.out_channels = filters, .kernel_size = 3, .stride = stride, .padding = 1}));
    Tensor b = nn::conv(n + ".c2", a, {.out_channels = filters, .kernel_size = 3, .padding = 1});
    const bool straight = stride == 1 && in.shape()[1] == filters;
    return relu(b + (straight ? in
                              : nn::conv(n + ".skip", in,
                                         {.out_channels = filters, .kernel_size = 1, .stride = stride})));
  };
  h = block("b1", h, 4, 1);
  h = block("b2", h, 6, 2);
  h = block("b3", h, 6, 1);
  h = block("b4", h, 8, 2);
  Tensor logits = nn::dense("fc", mean(h, {2, 3}), 7);
  g.output("logits", logits);
  g.minimize(mean(softmax_cross_entropy(logits, y)), Sgd{.learning_rate = 0.05, .momentum = 0.9});
  return g;
}

Tensor normalized(Graph& g, const std::string& n, const Tensor& x) {
  const int64_t size = x.shape().back();
  Tensor gain = g.variable(n + ".gain", f32, {size}, Initializer::uniform(0.9, 1.1));
  Tensor bias = g.variable(n + ".bias", f32, {size}, Initializer::zeros());
  return layer_norm(x, gain, bias, {.axis = -1, .epsilon = 1e-5});
}
Tensor linear(Graph& g, const std::string& n, const Tensor& x, int64_t out) {
  const int64_t in = x.shape().back();
  const double bound = 1 / std::sqrt(static_cast<double>(in));
  Tensor w = g.variable(n + ".weight", f32, {out, in}, Initializer::uniform(-bound, bound));
  Tensor b = g.variable(n + ".bias", f32, {out}, Initializer::uniform(-bound, bound));
  return matmul(x, w, {.transpose_y = true}) + b;
}

// Returns a transformer with two blocks and two heads, whose embedding is shared with the output layer. The
// gradient of the bias of a key is a sum that cancels to zero.
Graph transformer() {
  constexpr int64_t kBatch = 6, kTime = 5, kWords = 11, kSize = 8, kHeads = 2;
  Graph g(2);
  Tensor ids = g.input("ids", i32, {kBatch, kTime}), label = g.input("label", i32, {kBatch, kTime});
  Tensor words = g.variable("words.weight", f32, {kWords, kSize}, Initializer::normal(0, 0.3));
  Tensor places = g.variable("places.weight", f32, {kTime, kSize}, Initializer::normal(0, 0.3));
  Tensor x = gather(words, ids) + places;
  auto heads = [&](const Tensor& t) {
    return transpose(reshape(t, {.shape = {0, 0, kHeads, kSize / kHeads}}), {.permutation = {0, 2, 1, 3}});
  };
  for (int i = 0; i < 2; ++i) {
    const std::string n = "block" + std::to_string(i);
    NameScope scope(g, n);
    Tensor a = normalized(g, n + ".ln1", x);
    Tensor q = heads(linear(g, n + ".q", a, kSize)), k = heads(linear(g, n + ".k", a, kSize)),
           v = heads(linear(g, n + ".v", a, kSize));
    Tensor o = reshape(transpose(attention(q, k, v).output, {.permutation = {0, 2, 1, 3}}),
                       {.shape = {0, 0, kSize}});
    x = x + linear(g, n + ".o", o, kSize);
    Tensor m = normalized(g, n + ".ln2", x);
    x = x + linear(g, n + ".m2", relu(linear(g, n + ".m1", m, 2 * kSize)), kSize);
  }
  Tensor logits = matmul(normalized(g, "last", x), words, {.transpose_y = true});
  g.output("logits", logits);
  Tensor loss =
      mean(softmax_cross_entropy(reshape(logits, {.shape = {-1, kWords}}), reshape(label, {.shape = {-1}})));
  g.minimize(loss, Sgd{.learning_rate = 0.1, .momentum = 0.9});
  return g;
}

// Returns an LSTM over 100 time steps, so each weight is used 100 times. Each gate has its own variables.
Graph lstm_over_time() {
  constexpr int64_t kBatch = 6, kTime = 100, kFeatures = 2, kSize = 4;
  Graph g(3);
  Tensor x = g.input("x", f32, {kBatch, kTime, kFeatures}), y = g.input("label", i32, {kBatch});
  const auto uniform = Initializer::uniform(-0.5, 0.5);
  std::vector<Tensor> wx, wh, b;
  for (char c : std::string("ifgo")) {
    const std::string n(1, c);
    wx.push_back(g.variable(n + ".wx", f32, {kSize, kFeatures}, uniform));
    wh.push_back(g.variable(n + ".wh", f32, {kSize, kSize}, uniform));
    b.push_back(g.variable(n + ".b", f32, {kSize}, uniform));
  }
  const auto all = [](const std::vector<Tensor>& gates) { return concat(gates, {.axis = 0}); };
  Tensor h = lstm(x, {.input = all(wx), .hidden = all(wh), .input_bias = all(b)}).state;
  Tensor logits = nn::dense("fc", h, 4);
  g.output("logits", logits);
  g.minimize(mean(softmax_cross_entropy(logits, y)), Sgd{.learning_rate = 0.2, .momentum = 0.9});
  return g;
}

// Returns a model with two data inputs and two heads. Each head has its own loss.
Graph two_losses() {
  constexpr int64_t kBatch = 9;
  Graph g(5);
  Tensor image = g.input("image", f32, {kBatch, 1, 8, 8}), vector = g.input("vector", f32, {kBatch, 10});
  Tensor label = g.input("label", i32, {kBatch}), target = g.input("target", f32, {kBatch, 2});
  Tensor conv = relu(nn::conv("conv", image, {.out_channels = 4, .kernel_size = 3}));
  Tensor a = relu(nn::dense("a", flatten(conv), 24)), b = relu(nn::dense("b", vector, 24));
  Tensor h = a * b + a + b;
  Tensor logits = nn::dense("logits", h, 4), off = nn::dense("values", h, 2) - target;
  Tensor first = mean(softmax_cross_entropy(logits, label)), second = mean(off * off);
  g.output("first", first);
  g.output("second", second);
  g.minimize(first + ops::scale(second, {.factor = 0.5}), Sgd{.learning_rate = 0.05, .momentum = 0.9});
  return g;
}

// Returns a number in [0, 1): splitmix64 (Steele, Lea and Flood, 2014) of the FNV-1a hash of the name and the
// index.
double unit(const std::string& name, int64_t i) {
  uint64_t z = 0xcbf29ce484222325u;
  for (const char c : name) z = (z ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  z += (static_cast<uint64_t>(i) + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return static_cast<double>((z ^ z >> 31) >> 11) * 0x1p-53;
}

}  // namespace

HostTensor user_variable(const std::string& name, const TensorType& type) {
  double fan_in = 1;
  for (size_t d = 1; d < type.shape.size(); ++d) fan_in *= static_cast<double>(type.shape[d]);
  const double bound = type.rank() < 2 ? 0.1 : 1 / std::sqrt(fan_in);
  const bool gain = name.size() > 5 && name.substr(name.size() - 5) == ".gain";
  HostTensor value({f32, type.shape});
  for (int64_t i = 0; i < type.elements(); ++i)
    value.as<float>()[i] = static_cast<float>(gain + bound * (2 * unit(name, i) - 1));
  return value;
}

Batch user_batch(const Graph& graph, int step) {
  Batch batch;
  for (const auto& [name, type] : graph.inputs()) {
    HostTensor t(type);
    for (int64_t i = 0; i < type.elements(); ++i) {
      const double u = unit(name + "#" + std::to_string(step), i);
      if (type.dtype == f32)
        t.as<float>()[i] = static_cast<float>(2 * u - 1);
      else
        t.as<int32_t>()[i] = static_cast<int32_t>(u * static_cast<double>(graph.label_classes().at(name)));
    }
    batch.emplace(name, std::move(t));
  }
  return batch;
}

const std::vector<UserModel>& user_models() {
  static const std::vector<UserModel> models = {
      {"residual", residual, {1.97578931219, 1.97872345899, 1.91422139856, 1.91204029407, 1.90245982175}},
      {"transformer", transformer, {2.56985779057, 2.653093558, 2.44537747464, 2.31269182074, 2.48729752342}},
      {"lstm", lstm_over_time, {1.38783056026, 1.40510715259, 1.3807853832, 1.30627938075, 1.26145945253}},
      {"two_losses", two_losses, {1.52659330871, 1.61866298304, 1.60600783701, 1.38023546511, 1.4433092298}},
  };
  return models;
}

}  // namespace cutset::testing
