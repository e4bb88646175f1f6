#include "frontends/models/models.h"

namespace cutset::models {

const std::vector<Model>& all() {
  static const std::vector<Model> list = {
      {"lenet", "two convolutions and two dense layers with relu and max-pooling; 431,080 parameters", lenet},
      {"lenet-smooth", "lenet with tanh and average pooling, a smooth function whose f32 and f64 losses stay close",
       lenet_smooth},
      {"mlp", "dense layers of 512, 512 and 10 units with relu", mlp},
  };
  return list;
}

std::string names() {
  std::string list;
  for (const Model& m : all()) list += (list.empty() ? "" : ", ") + std::string(m.name);
  return list;
}

const Model& find(const std::string& name) {
  for (const Model& m : all())
    if (name == m.name) return m;
  throw Error(ErrorCode::kInvalidArgument, "unknown model '" + name + "'", "", "the models are " + names());
}

void classify(Graph& g, const Tensor& image, const Tensor& logits, const Tensor& label, const Settings& settings) {
  Tensor loss, found, right;
  {
    NameScope scope(g, "loss");
    found = argmax(logits);
    right = equal(found, cast(label, {.dtype = i64}));
    loss = mean(softmax_cross_entropy(logits, label));
    g.minimize(loss, settings.other ? *settings.other : Optimizer(settings.optimizer));
    g.function("evaluate", {image, label}, {{"loss", loss}, {"correct", sum(cast(right, {.dtype = f32}))}});
  }
  NameScope scope(g, "predict");
  Tensor likely = exp(logits - reduce_max(logits, {.axes = {1}, .keepdims = true}));
  g.function("predict", {image},
             {{"logits", logits}, {"probability", likely / sum(likely, {1}, true)}, {"class", found}});
}

}  // namespace cutset::models
