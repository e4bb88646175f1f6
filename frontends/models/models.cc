#include "frontends/models/models.h"

namespace cutset::models {

const std::vector<Model>& all() {
  static const std::vector<Model> list = {
      {"lenet", "two convolutions and two dense layers, relu and max-pooling; 431,080 parameters", lenet},
      {"lenet-smooth", "lenet with tanh and mean-pooling: f32 and f64 runs of it stay together", lenet_smooth},
      {"mlp", "dense 512, relu, dense 512, relu, dense 10", mlp},
  };
  return list;
}

const Model& find(const std::string& name) {
  std::string known;
  for (const Model& m : all()) {
    if (name == m.name) return m;
    known += (known.empty() ? "" : ", ") + std::string(m.name);
  }
  throw Error(ErrorCode::kInvalidArgument, "unknown model '" + name + "'", "", "have: " + known);
}

void classify(Graph& g, const Tensor& logits, const Tensor& label, const Settings& settings) {
  Scope scope(g.state(), "loss");
  Tensor right = equal(argmax(logits), cast(label, {.dtype = i64}));
  g.output("correct", sum(cast(right, {.dtype = f32})));
  g.minimize(mean(softmax_cross_entropy(logits, label)), settings.optimizer);
}

}  // namespace cutset::models
