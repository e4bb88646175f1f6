// SPDX-License-Identifier: Apache-2.0
// The cases of layers, which have variables.
#include "tests/sizes/size_case.h"

namespace cutset {
namespace {

using In = std::vector<Tensor>;
using Out = std::vector<Tensor>;

void add_recurrent(std::vector<SizeCase>& all) {
  using Layer = RecurrentResult (*)(const std::string&, const Tensor&, const nn::RecurrentOptions&,
                                    const Tensor&, const RecurrentState&, std::source_location);
  const auto source = std::source_location::current();
  for (const auto& [name, layer] :
       {std::pair<const char*, Layer>("lstm", nn::lstm), {"gru", nn::gru}, {"rnn", nn::rnn}}) {
    all.push_back({std::string("nn::") + name, rows, [f = layer, source](Graph&, const In& x) {
                     const RecurrentResult r =
                         f("layer", x[0],
                           {.hidden = 3, .layers = 2, .batch_first = true, .bidirectional = true}, {}, {},
                           source);
                     return Out{r.output, r.state};
                   }});
    all.push_back(
        {std::string("nn::") + name + ":last state", rows, [f = layer, source](Graph&, const In& x) {
           const RecurrentResult r = f("layer", x[0], {.hidden = 3, .batch_first = true}, {}, {}, source);
           return Out{squeeze(r.state, {0}), slice(r.output, 1, -1, INT64_MAX, 1)};
         }});
  }
  const auto weights = [](Graph& g, int64_t parts) {
    return RecurrentWeights{g.variable("input", f32, {3 * parts, 5}, Initializer::uniform(-1, 1)),
                            g.variable("hidden", f32, {3 * parts, 3}, Initializer::uniform(-1, 1)),
                            {},
                            {}};
  };
  all.push_back({"lstm:steps", rows, [=](Graph& g, const In& x) {
                   return Out{lstm(x[0], weights(g, 4), {}, {}, {.clip = 0.5}).output};
                 }});
  all.push_back({"lstm", rows, [=](Graph& g, const In& x) { return Out{lstm(x[0], weights(g, 4)).output}; }});
  all.push_back({"gru", rows, [=](Graph& g, const In& x) {
                   return Out{gru(x[0], weights(g, 3), {}, {}, {.clip = 0.5}).output};
                 }});
  all.push_back({"rnn", rows, [=](Graph& g, const In& x) {
                   return Out{rnn(x[0], weights(g, 1), {}, {}, {.reverse = true, .clip = 0.5}).output};
                 }});
}

void add_others(std::vector<SizeCase>& all) {
  all.push_back({"nn::conv", images, [](Graph&, const In& x) {
                   return Out{nn::conv("layer", x[0], {.out_channels = 2, .kernel_size = 3, .padding = 1})};
                 }});
  all.push_back({"nn::conv_transpose", images, [](Graph&, const In& x) {
                   return Out{
                       nn::conv_transpose("layer", x[0], {.out_channels = 2, .kernel_size = 2, .stride = 2})};
                 }});
  all.push_back({"nn::dense", rows, [](Graph&, const In& x) { return Out{nn::dense("layer", x[0], 3)}; }});
  all.push_back(
      {"nn::embedding",
       [](const Sizes& s) { return std::vector<SizedInput>{{{s.batch, s.length}, i32, 0, 7}}; },
       [](Graph&, const In& x) { return Out{nn::embedding("layer", x[0], {.vocabulary = 7, .width = 3})}; }});
  all.push_back(
      {"nn::layer_norm", rows, [](Graph&, const In& x) { return Out{nn::layer_norm("layer", x[0])}; }});
  all.push_back({"nn::rms_norm", rows, [](Graph&, const In& x) { return Out{nn::rms_norm("layer", x[0])}; }});
  all.push_back({"nn::group_norm", images,
                 [](Graph&, const In& x) { return Out{nn::group_norm("layer", x[0], {.groups = 1})}; }});
  all.push_back({"nn::multi_head_attention", rows, [](Graph&, const In& x) {
                   return Out{nn::multi_head_attention("layer", x[0], {.heads = 5, .causal = true})};
                 }});
  all.push_back({"multi_head_attention", rows, [](Graph&, const In& x) {
                   return Out{multi_head_attention(x[0], x[0], x[0], 5, {.causal = true})};
                 }});
  all.push_back(
      {"nn::batch_norm", images, [](Graph&, const In& x) { return Out{nn::batch_norm("layer", x[0])}; }});
  all.push_back(
      {"nn::batch_norm:groups",  // replicas and micro-batches have whole groups
       [](const Sizes& s) { return std::vector<SizedInput>{{{4 * s.batch, 3, s.height, s.width}}}; },
       [](Graph&, const In& x) { return Out{nn::batch_norm("layer", x[0], {.rows_per_group = 2})}; }});
  all.push_back({"nn::dropout", rows, [](Graph&, const In& x) { return Out{nn::dropout("layer", x[0])}; }});
}

}  // namespace

std::vector<SizeCase> size_cases_of_layers() {
  std::vector<SizeCase> all;
  add_recurrent(all);
  add_others(all);
  return all;
}

}  // namespace cutset
