// SPDX-License-Identifier: Apache-2.0
// Tests mistakes of users in devices, strategies and other options of compile().
#include <cutset/explain.h>

#include "tests/mistakes/mistakes.h"

namespace cutset::mistakes {
namespace {

void compile_on(const std::string& devices, const std::string& strategy = "") {
  compile(small(), {.devices = devices, .strategy = strategy});
}
void train_on(const std::string& devices, const std::string& strategy, int64_t batch = 4) {
  Session s = compile(small(), {.devices = devices, .strategy = strategy});
  s.run("train", small_batch(batch));
}

// clang-format off
TEST(Mistakes, Devices) {
  check(__FILE__, {
    ERROR_WITHOUT_LINE("a kind that is not there", "no backend for devices of kind 'gpu'",
               { compile_on("gpu:0"); }),
    ERROR_WITHOUT_LINE("a misspelt kind", "did you mean 'sim'?", { compile_on("smi:0"); }),
    ERROR_WITHOUT_LINE("no number", "'cpu' is not the name of a device", { compile_on("cpu"); }),
    ERROR_WITHOUT_LINE("a negative number", "'cpu:-1' is not the name of a device",
               { compile_on("cpu:-1"); }),
    ERROR_WITHOUT_LINE("a number beyond 64 bits", "is not the name of a device",
               { compile_on("cpu:99999999999999999999"); }),
    ERROR_WITHOUT_LINE("no device", "no device is named", { compile_on(""); }),
    ERROR_WITHOUT_LINE("a space", "' sim'", { compile_on("reference:0, sim:0"); }),
    ERROR_WITHOUT_LINE("a device twice", "named twice", { compile_on("reference:0,reference:0"); }),
    ERROR_WITHOUT_LINE("a path", "'../../x'", { compile_on("../../x:0"); }),
    FINE("a device of a high number", "devices that are not hardware can have any number",
               { compile_on("reference:99"); }),
  });
}

TEST(Mistakes, Strategies) {
  check(__FILE__, {
    ERROR_WITHOUT_LINE("a typing error", "unknown strategy 'modle' (did you mean 'model'?",
               { compile_on("reference:0", "modle"); }),
    ERROR_WITHOUT_LINE("no replicas", "'0' is not a number of replicas",
               { compile_on("reference:0", "data(0)"); }),
    ERROR_WITHOUT_LINE("-1 replicas", "'-1' is not a number of replicas",
               { compile_on("reference:0", "data(-1)"); }),
    ERROR_WITHOUT_LINE("3 replicas on 2 devices", "3 groups of equal size",
               { compile_on("reference:0,sim:0", "data(3)"); }),
    ERROR_WITHOUT_LINE("2 replicas on 1 device", "1 device does not make 2 groups of equal size, one per "
          "replica (name 2 devices, or a multiple of this number)", { compile_on("reference:0", "data(2)");
          }),
    ERROR_WITHOUT_LINE("an open bracket", "brackets do not match",
               { compile_on("reference:0,sim:0", "data(2"); }),
    ERROR_WITHOUT_LINE("a share of NaN", "'nan' is not a share",
               { compile_on("reference:0,sim:0", "data(2, shares=nan:1)"); }),
    ERROR_WITHOUT_LINE("a share of 1e300", "'1e300' is not a share",
               { compile_on("reference:0,sim:0", "data(2, shares=1e300:1)"); }),
    ERROR_WITHOUT_LINE("one_device on two", "uses one device, but there are 2 devices",
               { compile_on("reference:0,sim:0", "one_device"); }),
    ERROR_WITHOUT_LINE("more micro-batches than samples", "in 'train', a batch of 4 samples makes 4 "
          "micro-batches per replica, although the strategy asks for 16", { throw_notes(small(),
          {.devices = "reference:0,sim:0", .strategy = "pipeline(2, micro_batches=16)"}); }),
    FINE("as many micro-batches as samples", "there is no note on them",
               { throw_notes(small(), {.devices = "reference:0,sim:0",
                     .strategy = "pipeline(2, micro_batches=4)"}); }),
    FINE("a last batch with fewer samples than micro-batches", "it makes fewer micro-batches",
               { train_on("reference:0,sim:0", "pipeline(2, micro_batches=4)", 3); }),
    FINE("model on one device", "there is nothing to cut", { train_on("reference:0", "model"); }),
    FINE("a reshape to the whole batch, with replicas", "each replica has its rows of the shape",
               { Graph g; g.minimize(mean(reshape(g.input("x", f32, {4, 6}), {.shape = {4, -1,
                     2}}) * g.variable("w", f32, {2}, {})), Sgd{});
                     compile(g, {.devices = "reference:0,sim:0",
                     .strategy = "data(2, shares=1:1)"}).run("train", {{"x", HostTensor({f32, {4, 6}})}}); }),
    FINE("a batch smaller than the replicas", "a replica of no samples adds nothing",
               { train_on("reference:0,sim:0", "data(2)", 1); }),
  });
}

TEST(Mistakes, Options) {
  check(__FILE__, {
    ERROR_WITHOUT_LINE("explaining a misspelt layer", "did you mean 'encoder'?",
               { Graph g; g.output("y", nn::dense("encoder", g.input("x", f32, {4, 6}), 3));
                 explain(g, {.devices = "reference:0"}, "enocder"); }),
    ERROR_WITHOUT_LINE("a folder that cannot be made", "cannot create the folder",
               { compile(small(), {.devices = "reference:0", .dump_directory = "/proc/nope"}); }),
    ERROR_WITHOUT_LINE("a device file that is not there", "nope.json",
               { compile(small(), {.devices = "reference:0", .device_file = "nope.json"}); }),
    FINE("deterministic training with a batch of 3 samples", "shards may have no samples",
               { Session s = compile(small(3), {.devices = "reference:0", .deterministic = true});
                 s.run("train", small_batch(3)); }),
    ERROR_WITHOUT_LINE("a variable of 16 TiB, for which a smaller batch is no help",
          "(the variables do not fit, whatever the batch is: use smaller sizes of the model", { Graph g;
          g.output("y", sum(g.variable("a", f32, {int64_t{1} << 42}, {})));
          compile(g, {.devices = "reference:0"}); }),
    ERROR_WITHOUT_LINE("a variable of 16 TiB with states", "(the largest is 'w' of the type",
               { Graph g; g.minimize(sum(g.variable("w", f32, {int64_t{1} << 42}, {})), Adam{});
                 compile(g, {.devices = "reference:0"}); }),
    ERROR_WITHOUT_LINE("a result of 8 TiB, for which a smaller batch is a help",
          "(use a smaller batch, smaller sizes", { Graph g; g.output("y", sum(matmul(g.input("a", f32,
          {1 << 20, 1}), g.input("b", f32, {1, 1 << 21})))); compile(g, {.devices = "reference:0"}); }),
    ERROR_WITHOUT_LINE("a variable of 16 TiB", "variables 17592186044416 (the largest is 'a' of the type "
          "4398046511104xf32)", { Graph g; g.output("y", sum(g.variable("a", f32, {int64_t{1} << 42},
          {}))); compile(g, {.devices = "reference:0"}); }),
    ERROR_WITHOUT_LINE("a result of 8 TiB", "the peak is at 'matmul' in 'evaluate' with 8796105605120 bytes "
          "alive", { Graph g; g.output("y", sum(matmul(g.input("a", f32, {1 << 20, 1}), g.input("b", f32,
          {1, 1 << 21})))); compile(g, {.devices = "reference:0"}); }),
  });
}
// clang-format on

}  // namespace
}  // namespace cutset::mistakes
