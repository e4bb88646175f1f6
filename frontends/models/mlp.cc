#include "frontends/models/models.h"

namespace cutset::models {

Graph mlp(const Settings& s) {
  Graph g(s.seed);
  Tensor image = g.input("image", f32, {s.batch, 1, 28, 28});
  Tensor label = g.input("label", i32, {s.batch});
  Tensor x = flatten(image);
  for (const char* name : {"fc1", "fc2"}) {
    x = nn::dense(g, name, x, 512);
    NameScope scope(g, name);
    x = relu(x);
  }
  classify(g, image, nn::dense(g, "fc3", x, 10), label, s);
  return g;
}

}  // namespace cutset::models
