// SPDX-License-Identifier: Apache-2.0
// A multilayer perceptron: two hidden layers of 512 units.
#include <cutset/shapes.h>

#include "frontends/models/blocks.h"

namespace cutset::models {

static Graph mlp(const Settings& s) {
  Graph g(s.seed);
  Tensor image = image_input(g, s), label = label_input(g, s);
  Tensor x = flatten(image);
  for (const char* name : {"fc1", "fc2"}) x = activated(g, name, nn::dense(name, x, 512));
  classify(g, {image}, nn::dense("fc3", x, s.size("classes")), label, s);
  return g;
}

static const RegisterModel registered_mlp(
    {.name = "mlp",
     .summary = "dense layers of 512, 512 and 10 units with relu; 669,706 parameters",
     .sizes = image_sizes(1, 28, 10),
     .builder = mlp});

}  // namespace cutset::models
