// SPDX-License-Identifier: Apache-2.0
// The encoder of Devlin, Chang, Lee and Toutanova, "BERT: pre-training of deep bidirectional transformers for
// language understanding" (NAACL 2019), with a classifier of sequences. The inputs are "token", i32 [batch,
// sequence_length], where 0 is padding that no position sees; "segment", 0 or 1, of the same shape; and
// "label", i32 [batch]. The variables have the names of BertForSequenceClassification in transformers.
#include <cutset/attention.h>
#include <cutset/constants.h>

#include <algorithm>

#include "frontends/models/blocks.h"
#include "frontends/models/heads.h"

namespace cutset::models {
namespace {

constexpr double kEpsilon = 1e-12;
constexpr double kDropout = 0.1;

// Adds a dense layer over y to x, and normalizes the sum.
Tensor with_dense(Graph& g, const Settings& s, const std::string& layer, const Tensor& x, const Tensor& y) {
  const Tensor out =
      dropout(layer + ".dropout", nn::dense(layer + ".dense", y, s.size("width")), s, kDropout);
  Tensor sum;
  {
    NameScope scope(g, layer);
    sum = x + out;
  }
  return nn::layer_norm(layer + ".LayerNorm", sum, {.epsilon = kEpsilon});
}

// Adds a layer of the encoder: attention to the positions of `seen`, and two dense layers.
Tensor encoder_layer(Graph& g, const Settings& s, const std::string& n, const Tensor& x, const Tensor& seen) {
  const int64_t width = s.size("width");
  const auto projection = [&](const char* what) {
    return nn::dense(n + ".attention.self." + what, x, width);
  };
  const Tensor query = projection("query"), key = projection("key"), value = projection("value");
  Tensor attended;
  {
    NameScope scope(g, n + ".attention.self");
    attended = multi_head_attention(query, key, value, s.size("heads"), seen);
  }
  const Tensor y = with_dense(g, s, n + ".attention.output", x, attended);
  Tensor hidden = nn::dense(n + ".intermediate.dense", y, 4 * width);
  {
    NameScope scope(g, n + ".intermediate");
    hidden = gelu(hidden);
  }
  return with_dense(g, s, n + ".output", y, hidden);
}

}  // namespace

static Graph bert(const Settings& s) {
  Graph g(s.seed);
  const int64_t length = s.size("sequence_length"), width = s.size("width");
  check_heads(width, s.size("heads"));
  Tensor token = g.input("token", i32, {s.batch, length}),
         segment = g.input("segment", i32, {s.batch, length}), label = label_input(g, s);
  const auto table = [&](const char* what, int64_t rows) {
    return g.variable(std::string("bert.embeddings.") + what + "_embeddings.weight", f32, {rows, width},
                      Initializer::normal(0, 0.02));
  };
  Tensor words = table("word", s.size("vocabulary")),
         positions = table("position", std::max<int64_t>(length, 512)), segments = table("token_type", 2);
  Tensor x, seen;
  {
    NameScope scope(g, "bert.embeddings");
    x = gather(words, token) + gather(segments, segment) +
        ops::slice(positions, {.axis = 0, .length = length});
    seen = not_equal(reshape(token, {.shape = {0, 1, 1, -1}}), constant(token, 0));
  }
  x = nn::layer_norm("bert.embeddings.LayerNorm", x, {.epsilon = kEpsilon});
  x = dropout("bert.embeddings.dropout", x, s, kDropout);
  for (int64_t i = 0; i < s.size("layers"); ++i)
    x = encoder_layer(g, s, "bert.encoder.layer." + std::to_string(i), x, seen);
  Tensor first;
  {
    NameScope scope(g, "bert.pooler");
    first = reshape(ops::slice(x, {.axis = 1, .length = 1}), {.shape = {0, -1}});
  }
  Tensor pooled = nn::dense("bert.pooler.dense", first, width);
  {
    NameScope scope(g, "bert.pooler");
    pooled = tanh(pooled);
  }
  pooled = dropout("dropout", pooled, s, kDropout);
  classify(g, {token, segment}, nn::dense("classifier", pooled, s.size("classes")), label, s);
  return g;
}

static const RegisterModel registered_bert(
    {.name = "bert",
     .summary = "the encoder BERT-base with a classifier of sequences (transformers); 109,483,778 parameters",
     .sizes = {{"sequence_length", 128},
               {"vocabulary", 30522},
               {"layers", 12},
               {"width", 768},
               {"heads", 12},
               {"classes", 2}},
     .builder = bert,
     .has_dropout = true});

}  // namespace cutset::models
