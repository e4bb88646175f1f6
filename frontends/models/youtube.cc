// SPDX-License-Identifier: Apache-2.0
// The network for candidate generation of Covington, Adams and Sargin, "Deep neural networks for YouTube
// recommendations" (RecSys 2016, section 3.2): the mean of the embeddings of the videos that a user watched,
// and a tower of dense layers. The inputs are "history", i32 [batch, history], and "label", i32 [batch], the
// next video. A history of fewer videos ends with -1.
#include <cutset/indexing.h>

#include "frontends/models/blocks.h"

namespace cutset::models {

static Graph youtube(const Settings& s) {
  Graph g(s.seed);
  Tensor history = g.input("history", i32, {s.batch, s.size("history")}), label = label_input(g, s);
  Tensor table =
      g.variable("embedding.weight", f32, {s.size("vocabulary"), s.size("width")}, Initializer::normal(0, 1));
  Tensor x;
  {
    NameScope scope(g, "embedding");
    x = embedding_bag(table, history, BagMode::kMean, /*padding_idx=*/-1);
  }
  const std::pair<const char*, int64_t> tower[] = {{"tower.0", 1024}, {"tower.2", 512}, {"tower.4", 256}};
  for (const auto& [name, units] : tower) x = activated(g, "tower", nn::dense(name, x, units));
  classify(g, {history}, nn::dense("tower.6", x, s.size("classes")), label, s);
  return g;
}

static const RegisterModel registered_youtube(
    {.name = "youtube",
     .summary =
         "candidate generation for recommendations: the mean of the embeddings of a history, which -1 fills "
         "up, and four dense layers; 7,379,688 parameters",
     .sizes = {{"vocabulary", 100'000}, {"history", 50}, {"width", 64}, {"classes", 1000}},
     .builder = youtube});

}  // namespace cutset::models
