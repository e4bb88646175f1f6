// SPDX-License-Identifier: Apache-2.0
// A training run that may be killed and started again: checkpoints, an evaluation per epoch, early stopping
// and a log. The program classifies points of the plane by the spiral that they lie on.
//
//   build/release/bin/training [FOLDER]
//
// FOLDER gets the checkpoints, log.csv and an event file of TensorBoard (default: training). A second start
// with the same folder continues the run, or makes no step if the run is complete. The exit code is 77 if
// there is no CPU device.
#include <cutset/cutset.h>

#include <cmath>
#include <cstdio>

using namespace cutset;

namespace {

// Returns `size` points of three spirals: the input "x", two coordinates, and the input "label", the number
// of the spiral.
data::Dataset spirals(int64_t size, double offset) {
  return data::from_function(size, [=](int64_t i) {
    const double t = (static_cast<double>(i) + offset) / static_cast<double>(size);
    const double angle = 4 * t + 2.1 * static_cast<double>(i % 3);
    Batch point;
    point.emplace("x", HostTensor({2}, {static_cast<float>(t * std::cos(angle)),
                                        static_cast<float>(t * std::sin(angle))}));
    point.emplace("label", HostTensor::scalar(static_cast<int32_t>(i % 3)));
    return point;
  });
}

Graph network() {
  Graph g;
  Tensor x = g.input("x", f32, {32, 2}), label = g.input("label", i32, {32});
  Tensor logits = nn::dense("out", tanh(nn::dense("hidden", x, 32)), 3);
  Tensor loss = mean(softmax_cross_entropy(logits, label));
  g.minimize(loss, Adam{.learning_rate = 0.05});
  Tensor correct = sum(cast(equal(argmax(logits), cast(label, {.dtype = i64})), {.dtype = f32}));
  g.function("evaluate", {x, label}, {{"loss", loss}, {"correct", correct}});
  return g;
}

void train(const std::string& folder) {
  // The ten lines of a whole training run.
  Session session = compile(network());
  Trainer trainer(session, spirals(480, 0),
                  {.batch = 32,
                   .epochs = 30,
                   .evaluation = spirals(120, 0.5),
                   .checkpoints = {.folder = folder, .every = 7, .resume = true},
                   .early_stopping = EarlyStopping{.patience = 3, .min_delta = 0.005},
                   .log = {.csv = folder + "/log.csv", .tensorboard = folder}});
  const TrainingResult result = trainer.run();
  std::printf("step %lld, best accuracy %.4f%s\n", static_cast<long long>(trainer.step()), *result.best,
              result.stopped_early ? ", stopped early" : "");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    train(argc > 1 ? argv[1] : "training");
  } catch (const Error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return e.code() == ErrorCode::kUnavailable ? 77 : 1;
  }
}
