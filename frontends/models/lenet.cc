// LeNet, and a smooth twin of it. They differ in two functions.
#include "frontends/models/models.h"

namespace cutset::models {
namespace {

using Function = Tensor (*)(const Tensor&);

Graph build(const Settings& s, Function activation, Function pool) {
  Graph g(s.seed);
  Tensor image = g.input("image", f32, {s.batch, 1, 28, 28});
  Tensor label = g.input("label", i32, {s.batch});
  auto block = [&](const char* name, const Tensor& x, int64_t filters) {
    Tensor y = nn::conv2d(g, name, x, {.filters = filters, .kernel = 5});
    Scope scope(g.state(), name);
    return pool(activation(y));
  };
  Tensor x = flatten(block("conv2", block("conv1", image, 20), 50));
  Tensor hidden = nn::dense(g, "fc1", x, 500);
  {
    Scope scope(g.state(), "fc1");
    hidden = activation(hidden);
  }
  classify(g, image, nn::dense(g, "fc2", hidden, 10), label, s);
  return g;
}

}  // namespace

Graph lenet(const Settings& s) {
  return build(
      s, [](const Tensor& x) { return relu(x); }, [](const Tensor& x) { return max_pool2d(x, {.kernel = 2}); });
}

Graph lenet_smooth(const Settings& s) {
  return build(s, [](const Tensor& x) { return tanh(x); }, [](const Tensor& x) { return mean_pool2d(x, 2); });
}

}  // namespace cutset::models
