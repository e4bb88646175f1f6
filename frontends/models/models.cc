// SPDX-License-Identifier: Apache-2.0
#include "frontends/models/models.h"

#include <algorithm>

#include "frontends/models/builders.h"
#include "ir/core/names.h"

namespace cutset::models {
namespace {

std::vector<Size> images(int64_t channels, int64_t size, int64_t classes) {
  return {{"channels", channels}, {"image_size", size}, {"classes", classes}};
}

// The names of models or of sizes.
std::vector<std::string> list_of_names(const auto& named) {
  std::vector<std::string> names;
  for (const auto& n : named) names.emplace_back(n.name);
  return names;
}

}  // namespace

const std::vector<Model>& all() {
  static const std::vector<Model> list = {
      {"alexnet",
       "five convolutions and three dense layers, without groups (torchvision); 61,100,840 parameters",
       images(3, 224, 1000), alexnet, true},
      {"bert",
       "the encoder BERT-base with a classifier of sequences (transformers); 109,483,778 parameters",
       {{"sequence_length", 128},
        {"vocabulary", 30522},
        {"layers", 12},
        {"width", 768},
        {"heads", 12},
        {"classes", 2}},
       bert,
       true},
      {"inception-v1",
       "nine inception modules with batch normalization (torchvision's googlenet); 6,624,904 parameters",
       images(3, 224, 1000), inception_v1, true},
      {"lenet", "two convolutions and two dense layers with relu and max-pooling; 431,080 parameters",
       images(1, 28, 10), lenet},
      {"lenet-smooth",
       "lenet with tanh and average pooling, so that f32 and f64 losses stay close; 431,080 parameters",
       images(1, 28, 10), lenet_smooth},
      {"lstm",
       "a language model: an embedding, one LSTM layer and a dense layer; 4,728,832 parameters",
       {{"sequence_length", 128}, {"vocabulary", 8192}, {"width", 256}, {"layers", 1}},
       lstm},
      {"mlp", "dense layers of 512, 512 and 10 units with relu; 669,706 parameters", images(1, 28, 10), mlp},
      {"mobilenet-v2",
       "17 inverted residual blocks with depthwise convolutions (torchvision); 3,504,872 parameters",
       images(3, 224, 1000), mobilenet_v2, true},
      {"resnet18", "eight residual blocks of two convolutions (torchvision); 11,689,512 parameters",
       images(3, 224, 1000), resnet18},
      {"resnet50", "16 residual blocks of three convolutions (torchvision); 25,557,032 parameters",
       images(3, 224, 1000), resnet50},
      {"transformer",
       "a causal language model: four decoder blocks of attention and two dense layers; 7,362,048 parameters",
       {{"sequence_length", 128}, {"vocabulary", 8192}, {"layers", 4}, {"width", 256}, {"heads", 8}},
       transformer},
      {"vgg16", "13 convolutions and three dense layers (torchvision); 138,357,544 parameters",
       images(3, 224, 1000), vgg16, true},
      {"youtube",
       "candidate generation for recommendations: the mean of the embeddings of a history, which -1 fills "
       "up, and four dense layers; 7,379,688 parameters",
       {{"vocabulary", 100'000}, {"history", 50}, {"width", 64}, {"classes", 1000}},
       youtube},
  };
  return list;
}

std::vector<std::string> names() { return list_of_names(all()); }

const Model& find(const std::string& name) {
  for (const Model& m : all())
    if (name == m.name) return m;
  throw Error(ErrorCode::kInvalidArgument, "unknown model '" + name + "'", "",
              "the models are " + list_and_nearest(name, names()));
}

Graph Model::build(Settings settings) const {
  constexpr int64_t kLargest = int64_t{1} << 24;  // no product of three sizes overflows
  for (const auto& [given, value] : settings.sizes) {
    if (std::none_of(sizes.begin(), sizes.end(), [&](const Size& s) { return given == s.name; }))
      throw Error(ErrorCode::kInvalidArgument,
                  "the model '" + std::string(name) + "' has no size '" + given + "'", "",
                  "its sizes are " + list_and_nearest(given, list_of_names(sizes)));
    if (value < 1 || value > kLargest)
      throw Error(ErrorCode::kInvalidArgument, "the size '" + given + "' is " + std::to_string(value), "",
                  "give a number from 1 to " + std::to_string(kLargest));
  }
  if (!has_dropout && settings.dropout.value_or(0) != 0)
    throw Error(ErrorCode::kInvalidArgument, "the model '" + std::string(name) + "' has no dropout layers",
                "", "leave out --dropout");
  for (const Size& s : sizes) settings.sizes.emplace(s.name, s.value);
  return builder(settings);
}

}  // namespace cutset::models
