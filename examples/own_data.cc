// SPDX-License-Identifier: Apache-2.0
// Your own data and model: classifies points of the plane by the spiral that they lie on. The example makes a
// data set from a function, builds a network, trains it with a learning-rate schedule, evaluates it on other
// points, and saves a checkpoint.
//
//   build/release/bin/own_data [EPOCHS]
//
// EPOCHS is the number of passes over the training set (default: 40). The example needs no files and one CPU
// device. The exit code is 77 if there is no CPU device.
#include <cutset/cutset.h>
#include <cutset/learning_rate_schedule.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

using namespace cutset;

namespace {

constexpr int64_t kBatch = 32, kSamples = 960, kClasses = 3;

// Returns point i of three spirals: the input "x", two coordinates, and the input "y", the number of the
// spiral.
Batch point(int64_t i, double offset) {
  const auto spiral = static_cast<int32_t>(i % kClasses);
  const double t = (static_cast<double>(i) + offset) / static_cast<double>(kSamples);
  const double angle = 4 * t + 2.1 * spiral;
  Batch sample;
  sample.emplace("x", HostTensor({2}, {static_cast<float>(t * std::cos(angle)),
                                       static_cast<float>(t * std::sin(angle))}));
  sample.emplace("y", HostTensor::scalar(spiral));
  return sample;
}

Graph build() {
  Graph g;
  Tensor x = g.input("x", f32, {kBatch, 2}), y = g.input("y", i32, {kBatch});
  Tensor h = tanh(nn::dense("hidden1", x, 32));
  h = tanh(nn::dense("hidden2", h, 32));
  Tensor logits = nn::dense("out", h, kClasses);
  Tensor loss = mean(softmax_cross_entropy(logits, y));
  g.minimize(loss, {.momentum = 0.9});
  // "evaluate" returns the number of points that are classified correctly.
  Tensor correct = sum(cast(equal(argmax(logits), cast(y, {.dtype = i64})), {.dtype = f32}));
  g.function("evaluate", {x, y}, {{"loss", loss}, {"correct", correct}});
  return g;
}

}  // namespace

int main(int argc, char** argv) {
  const int epochs = argc > 1 ? std::atoi(argv[1]) : 40;
  try {
    const auto training = data::from_function(kSamples, [](int64_t i) { return point(i, 0); }).shuffle(7);
    const auto test = data::from_function(kSamples, [](int64_t i) { return point(i, 0.5); });
    Session session = compile(build());
    const LearningRateSchedule schedule{.kind = LearningRateSchedule::Kind::kCosine,
                                        .rate = 0.2,
                                        .total_steps = epochs * training.batch(kBatch).batches()};
    for (int epoch = 1; epoch <= epochs; ++epoch) {
      for (auto& batch : training.batch(kBatch)) {
        session.set_hyper_parameter("learning_rate", schedule.at(static_cast<int64_t>(session.step())));
        session.train(batch);
      }
      double correct = 0;
      for (auto& batch : test.batch(kBatch)) correct += session.evaluate(batch)["correct"].item<double>();
      std::printf("epoch %d: %.1f %% of the test points are correct\n", epoch, 100 * correct / kSamples);
    }
    session.save("own_data.safetensors");
  } catch (const Error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return e.code() == ErrorCode::kUnavailable ? 77 : 1;
  }
}
