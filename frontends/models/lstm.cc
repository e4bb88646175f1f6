// SPDX-License-Identifier: Apache-2.0
// A language model with recurrent layers (Zaremba, Sutskever and Vinyals, "Recurrent neural network
// regularization", arXiv:1409.2329, 2014), without dropout. The inputs are "token" and "label", i32 [batch,
// sequence_length]; a label is the next token.
#include <cutset/recurrent_layers.h>

#include "frontends/models/blocks.h"

namespace cutset::models {

static Graph lstm(const Settings& s) {
  Graph g(s.seed);
  const int64_t words = s.size("vocabulary"), width = s.size("width");
  const Shape shape = {s.batch, s.size("sequence_length")};
  Tensor token = g.input("token", i32, shape), label = g.input("label", i32, shape);
  Tensor x = nn::embedding("embedding", token, {.vocabulary = words, .width = width});
  x = nn::lstm("lstm", x, {.hidden = width, .layers = s.size("layers"), .batch_first = true}).output;
  x = reshape(x, {.shape = {-1, width}});
  classify(g, {token}, nn::dense("head", x, words), label, s);
  return g;
}

static const RegisterModel registered_lstm(
    {.name = "lstm",
     .summary = "a language model: an embedding, one LSTM layer and a dense layer; 4,728,832 parameters",
     .sizes = {{"sequence_length", 128}, {"vocabulary", 8192}, {"width", 256}, {"layers", 1}},
     .builder = lstm});

}  // namespace cutset::models
