// SPDX-License-Identifier: Apache-2.0
// A causal language model of decoder blocks whose normalization comes first (Vaswani and others, "Attention
// is all you need", NIPS 2017; Xiong and others, "On layer normalization in the transformer architecture",
// ICML 2020). Positions are not encoded, because causal attention learns them without an encoding (Haviv and
// others, "Transformer language models without positional encodings still learn positional information",
// EMNLP Findings 2022). The inputs are "token" and "label", i32 [batch, sequence_length]; a label is the next
// token.
#include <cutset/attention.h>

#include "frontends/models/blocks.h"
#include "frontends/models/heads.h"

namespace cutset::models {

static Graph transformer(const Settings& s) {
  Graph g(s.seed);
  const int64_t words = s.size("vocabulary"), width = s.size("width"), heads = s.size("heads");
  check_heads(width, heads);
  const Shape shape = {s.batch, s.size("sequence_length")};
  Tensor token = g.input("token", i32, shape), label = g.input("label", i32, shape);
  Tensor x = nn::embedding("embedding", token, {.vocabulary = words, .width = width});
  for (int64_t i = 0; i < s.size("layers"); ++i) {
    const std::string n = "blocks." + std::to_string(i);
    const Tensor qkv = nn::dense(n + ".qkv", nn::layer_norm(n + ".norm1", x), 3 * width);
    Tensor attended;
    {
      NameScope scope(g, n + ".attention");
      const auto part = [&](int64_t index) {
        return ops::slice(qkv, {.axis = 2, .start = index * width, .length = width});
      };
      attended = multi_head_attention(part(0), part(1), part(2), heads, {}, {.causal = true});
    }
    const Tensor projected = nn::dense(n + ".projection", attended, width);
    {
      NameScope scope(g, n);
      x = x + projected;
    }
    Tensor hidden = nn::dense(n + ".fc1", nn::layer_norm(n + ".norm2", x), 4 * width);
    {
      NameScope scope(g, n + ".fc1");
      hidden = gelu(hidden);
    }
    const Tensor out = nn::dense(n + ".fc2", hidden, width);
    NameScope scope(g, n);
    x = x + out;
  }
  x = reshape(nn::layer_norm("norm", x), {.shape = {-1, width}});
  classify(g, {token}, nn::dense("head", x, words), label, s);
  return g;
}

static const RegisterModel registered_transformer(
    {.name = "transformer",
     .summary = "a causal language model: four decoder blocks of attention and two dense layers; 7,362,048 "
                "parameters",
     .sizes = {{"sequence_length", 128}, {"vocabulary", 8192}, {"layers", 4}, {"width", 256}, {"heads", 8}},
     .builder = transformer});

}  // namespace cutset::models
