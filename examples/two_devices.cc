// SPDX-License-Identifier: Apache-2.0
// One graph on two devices: compiles a small network for several devices, prints the device of each op with
// the reason, prints the transfers of each step, trains for three steps, and verifies that the partitioned
// program computes the same results as one device.
//
//   build/release/bin/two_devices [DEVICES] [STRATEGY]
//
// The defaults are "cpu:0,opencl:0" and "model", which divides the graph over the devices. "data(2)" gives
// each device a copy of the model and a share of the batch. The exit code is 77 if a device is missing, and 1
// if anything differs.
#include <cutset/cutset.h>
#include <cutset/explain.h>
#include <cutset/verify.h>

#include <cstdio>
#include <vector>

using namespace cutset;

namespace {

constexpr int64_t kBatch = 12, kFeatures = 256, kClasses = 10;

Graph build() {
  Graph g(/*seed=*/3);
  Tensor x = g.input("x", f32, {kBatch, kFeatures}), y = g.input("y", i32, {kBatch});
  Tensor h = relu(nn::dense("fc1", x, 512));
  h = relu(nn::dense("fc2", h, 512));
  g.minimize(mean(softmax_cross_entropy(nn::dense("fc3", h, kClasses), y)), {.learning_rate = 0.05});
  return g;
}

// Returns a batch that depends only on `seed`.
Batch make_batch(int64_t seed) {
  HostTensor x({f32, {kBatch, kFeatures}}), y({i32, {kBatch}});
  for (int64_t i = 0; i < x.elements(); ++i) x.set(i, static_cast<double>((i * 37 + seed * 11) % 101) / 101);
  for (int64_t i = 0; i < y.elements(); ++i) y.set(i, static_cast<double>((i + seed) % kClasses));
  Batch batch;
  batch.emplace("x", std::move(x));
  batch.emplace("y", std::move(y));
  return batch;
}

}  // namespace

int main(int argc, char** argv) {
  const CompileOptions options{.devices = argc > 1 ? argv[1] : "cpu:0,opencl:0",
                               .strategy = argc > 2 ? argv[2] : "model"};
  try {
    const Graph graph = build();
    const Explained explained = explain(graph, options);
    std::printf("strategy %s\n", explained.strategy.c_str());
    for (const Explanation& op : explained.ops)
      std::printf("%-30s %-5s on %-12s %s\n", op.op.c_str(), op.layer.c_str(), op.device.c_str(),
                  op.reason.c_str());

    Session session = compile(graph, options);
    for (const Transfer& t : session.transfers())
      std::printf("%s to %s: %lld bytes per step\n", t.from.c_str(), t.to.c_str(),
                  static_cast<long long>(t.bytes_per_step));
    std::vector<Batch> batches;
    for (int64_t step = 0; step < 3; ++step) {
      batches.push_back(make_batch(step));
      std::printf("loss %.4f\n", session.train(batches.back())["loss"].item<double>());
    }

    const VerifyResult result = verify(graph, options, batches);
    std::printf("%lld ops and %lld edges were compared: %s\n", static_cast<long long>(result.ops),
                static_cast<long long>(result.edges),
                result.same ? "the same as on one device" : result.first.c_str());
    return result.same ? 0 : 1;
  } catch (const Error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return e.code() == ErrorCode::kUnavailable ? 77 : 1;
  }
}
