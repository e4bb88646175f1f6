// SPDX-License-Identifier: Apache-2.0
// Tests mistakes of users in names, initializers, losses and handles of graphs.
#include <cutset/saved.h>

#include "tests/mistakes/mistakes.h"

namespace cutset::mistakes {
namespace {

Tensor weight(Graph& g, const std::string& name = "w") {
  return g.variable(name, f32, {4}, Initializer::normal(0, 1));
}
Tensor in(Graph& g, const Shape& shape = {4}) { return g.input("x", f32, shape); }
void step(const Graph& g, const Batch& batch = {}, int steps = 1) {
  Session s = session_of(g);
  for (int i = 0; i < steps; ++i) s.run("train", batch);
}

// clang-format off
TEST(Mistakes, Names) {
  check(__FILE__, {
    ERROR_HERE("an input twice", "already", { Graph g; in(g); in(g); }),
    ERROR_HERE("an input whose batch is -1", "give any size for the batch",
               { Graph g; g.input("x", f32, {-1, 6}); }),
    ERROR_HERE("a layer twice", "make the layer once and call it several times",
               { Graph g; Tensor x = in(g, {4, 6}); nn::dense("fc", x, 6); nn::dense("fc", x, 6); }),
    ERROR_HERE("a variable twice", "already", { Graph g; weight(g); g.variable("w", f32, {4}, {}); }),
    ERROR_HERE("a variable twice, of another type", "already",
               { Graph g; weight(g); g.variable("w", f32, {5}, {}); }),
    ERROR_HERE("two layers of one name", "already",
               { Graph g; Tensor x = in(g, {4, 4}); nn::dense("d", x, 4); nn::dense("d", x, 4); }),
    ERROR_HERE("an output twice", "already",
               { Graph g; Tensor x = in(g); g.output("y", x); g.output("y", relu(x)); }),
    ERROR_HERE("an output with the name of the loss", "already",
               { Graph g; Tensor l = nn::dense("a", in(g, {4, 6}), 3); g.output("loss", l);
                 g.minimize(mean(l), Sgd{}); }),
    FINE("a scope of any text", "scopes are text for people",
               { Graph g; NameScope s(g, "a\"b\n{}<>|"); g.output("y", relu(in(g))); session_of(g).dot(); }),
    FINE("an input and a variable of one name", "inputs and variables have separate sets of names",
               { Graph g; g.minimize(mean(weight(g, "x") * in(g)), Sgd{});
                 step(g, batch_of("x", {f32, {4}})); }),
  });
}

TEST(Mistakes, Initializers) {
  check(__FILE__, {
    ERROR_HERE("an i32 variable of drawn numbers", "draws numbers of a floating-point type only",
               { Graph g; g.variable("n", i32, {4}, Initializer::normal(0, 1)); }),
    FINE("an i32 variable of zeros", "it is state, which nothing trains",
               { Graph g; g.variable("n", i32, {4}, Initializer::zeros()); }),
    ERROR_WITHOUT_LINE("rank 9", "rank 9",
               { Graph g; g.variable("w", f32, {1, 1, 1, 1, 1, 1, 1, 1, 1}, {}); }),
    ERROR_WITHOUT_LINE("a negative size", "negative size", { Graph g; g.variable("w", f32, {-4}, {}); }),
    ERROR_WITHOUT_LINE("a variable too large", "too large",
               { Graph g; g.variable("w", f32, {int64_t{1} << 60}, {}); }),
    ERROR_WITHOUT_LINE("an invalid element type", "element type 77",
               { Graph g; g.variable("w", DType(77), {4}, {}); }),
  });
}

TEST(Mistakes, Losses) {
  check(__FILE__, {
    FINE("an output after minimize", "every function returns the new output",
               { Graph g = small(); g.output("zz", relu(g.input("z", f32, {4}))); Batch b = small_batch();
                 b.emplace("z", filled({f32, {4}}, 1)); step(g, b); }),
    FINE("a variable after minimize", "the loss does not depend on it",
               { Graph g = small(); g.output("zz", relu(weight(g, "z"))); step(g, small_batch()); }),
    ERROR_HERE("labels of f32", "make the input with the type i32, or cast() it",
               { Graph g; softmax_cross_entropy(nn::dense("fc", in(g, {4, 6}), 3), g.input("y", f32, {4}));
                 }),
    ERROR_HERE("logits of images", "call flatten() on the images",
               { Graph g; softmax_cross_entropy(nn::dense("fc", in(g, {4, 1, 6, 6}), 3), g.input("y", i32,
                     {4})); }),
    ERROR_HERE("images with their channels last", "images are [batch, channels, height, width]",
               { Graph g; nn::conv("c", in(g, {4, 28, 28, 3}), {.out_channels = 4, .kernel_size = 5}); }),
    ERROR_HERE("channels last, and a filter for channels first", "transpose(x, {0, 3, 1, 2}) moves them",
               { Graph g; conv(in(g, {4, 28, 28, 3}), g.variable("w", f32, {4, 3, 3, 3}, {})); }),
    ERROR_HERE("pooling of channels that are last", "these seem to have their channels last",
               { Graph g; max_pool(in(g, {4, 28, 32, 3}), {.kernel_size = 4}); }),
    FINE("a small feature map, which has its channels first", "the error has no hint on channels",
               { Graph g; try { nn::conv("c", in(g, {4, 64, 2, 2}), {.out_channels = 4, .kernel_size = 3});
                 } catch (const Error& e) { if (std::string(e.what()).find("channels last") !=
                       std::string::npos) throw; } }),
    ERROR_WITHOUT_LINE("channels last that the filter fits", "as images of 28 channels, 28 rows and 3 "
          "columns; if the channels are the last dimension, transpose(x, {0, 3, 1, 2}) moves them",
          { Graph g; g.output("y", nn::conv("c", in(g, {4, 28, 28, 3}), {.out_channels = 4,
          .kernel_size = 3})); throw_notes(g); }),
    ERROR_WITHOUT_LINE("an image without a batch that is read as sequences",
          "3 sequences of 28 channels and 28 elements; if it is one image, give it a batch: [1, 3, 28, "
          "28]", { Graph g; g.output("y", nn::conv("c", in(g, {3, 28, 28}), {.out_channels = 4,
          .kernel_size = 3})); throw_notes(g); }),
    FINE("images with their channels first", "there is no note on them",
               { Graph g; g.output("y", nn::conv("c", in(g, {4, 3, 28, 28}), {.out_channels = 4,
                     .kernel_size = 3})); throw_notes(g); }),
    FINE("sequences of many channels", "there is no note on them",
               { Graph g; g.output("y", nn::conv("c", in(g, {3, 64, 128}), {.out_channels = 4,
                     .kernel_size = 3})); throw_notes(g); }),
    ERROR_HERE("an image without a batch", "C1: x has rank 3 and filter has rank 4",
               { Graph g; nn::conv("c", in(g, {3, 28, 28}), {.out_channels = 4, .kernel_size = {3, 3}}); }),
    ERROR_HERE("a second optimizer", "for a second optimizer, give its function a name",
               { Graph g = small(); Tensor q = weight(g, "q"); g.minimize(mean(q * q), Adam{}); }),
    ERROR_HERE("freezing a misspelt layer", "did you mean 'encoder'?",
               { Graph g; nn::dense("encoder", in(g, {4, 6}), 3); g.freeze({"enocder"}); }),
    ERROR_HERE("minimize twice", "minimize made the function 'train' before",
               { Graph g = small(); Tensor q = weight(g, "q"); g.minimize(mean(q * q), Sgd{}); }),
    ERROR_HERE("a matrix as the loss", "must be a scalar",
               { Graph g; g.minimize(nn::dense("a", in(g, {4, 6}), 3), Sgd{}); }),
    ERROR_HERE("a vector of one element as the loss", "must be a scalar",
               { Graph g; Tensor w = g.variable("w", f32, {1}, {}); g.minimize(w * w, Sgd{}); }),
    ERROR_HERE("an integer as the loss", "floating-point",
               { Graph g; g.minimize(sum(g.input("x", i32, {4})), Sgd{}); }),
    FINE("a slice between the variable and the loss", "its gradient is pad",
               { Graph g; g.minimize(sum(ops::slice(weight(g), {.axis = 0, .start = 0, .length = 2})),
                     Sgd{}); step(g); }),
    FINE("a concat between the variable and the loss", "its gradient is slices",
               { Graph g; Tensor w = weight(g); g.minimize(sum(concat({w, w}, {.axis = 0})), Sgd{});
                 step(g); }),
    ERROR_IN_GRAPH("an argmax between the variable and the loss",
          "without a gradient, such as 'cutset.argmax'", { Graph g;
          g.minimize(mean(cast(argmax(weight(g), {.axis = 0}), {.dtype = f32})), Sgd{}); compile(g); }),
    ERROR_HERE("the loss of another graph", "the loss belongs to another graph",
               { Graph a, b; a.minimize(mean(weight(b)), Sgd{}); }),
    FINE("full_like with NaN", "the user requests NaN, and there is no loss",
               { Graph g; Tensor x = in(g); g.output("y", x + ops::full_like(x, {.value = std::nan("")}));
                 session_of(g).run("evaluate", batch_of("x", {f32, {4}})); }),
  });
}

TEST(Mistakes, Handles) {
  check(__FILE__, {
    ERROR_HERE("tensors of two graphs", "different graphs", { Graph a, b; in(a) + in(b); }),
    ERROR_HERE("a layer of an empty tensor", "empty Tensor", { nn::dense("d", Tensor(), 3); }),
    ERROR_HERE("an output of another graph", "graph", { Graph a, b; a.output("y", in(b)); }),
    ERROR_HERE("add_n over graphs", "different graphs", { Graph a, b; ops::add_n({in(a), in(b)}); }),
    ERROR_HERE("a bias of another graph", "different graphs",
               { Graph a, b; conv(in(a, {1, 1, 4, 4}), a.input("w", f32, {1, 1, 3, 3}), b.input("b", f32,
                     {1})); }),
    FINE("a tensor that outlives its graph", "it keeps the graph",
               { Tensor t; { Graph g; t = in(g); } relu(t); }),
    FINE("a session that outlives its graph", "it keeps the graph",
               { Session s = [] { return session_of(small()); }(); s.run("train", small_batch());
                 s.run("train", small_batch(3)); }),
    FINE("a copy of a graph", "copies share one graph",
               { Graph g, h = g; in(h);
                 if (g.inputs().size() != 1) throw std::runtime_error("the copy is another graph"); }),
    ERROR_WITHOUT_LINE("input of a moved-from graph", "this cutset::Graph was moved from",
               { Graph g, h = std::move(g); in(g); }),
    ERROR_WITHOUT_LINE("variable of a moved-from graph", "moved from",
               { Graph g, h = std::move(g); weight(g); }),
    ERROR_WITHOUT_LINE("output of a moved-from graph", "moved from",
               { Graph g; Tensor x = in(g); Graph h = std::move(g); g.output("y", x); }),
    ERROR_WITHOUT_LINE("minimize of a moved-from graph", "moved from",
               { Graph g; Tensor x = mean(in(g)); Graph h = std::move(g); g.minimize(x, Sgd{}); }),
    ERROR_WITHOUT_LINE("constant of a moved-from graph", "moved from",
               { Graph g, h = std::move(g); g.constant(HostTensor::scalar(1.f)); }),
    ERROR_WITHOUT_LINE("inputs of a moved-from graph", "moved from",
               { Graph g, h = std::move(g); g.inputs(); }),
    ERROR_WITHOUT_LINE("text of a moved-from graph", "moved from", { Graph g, h = std::move(g); g.text(); }),
    ERROR_WITHOUT_LINE("DeviceScope of a moved-from graph", "moved from",
               { Graph g, h = std::move(g); DeviceScope on(g, "cpu:0"); }),
    FINE("dense beside a moved-from graph", "the layer is in the graph of its operand",
               { Graph g; Tensor x = in(g, {4, 4}); Graph h = std::move(g); nn::dense("d", x, 3); }),
    ERROR_WITHOUT_LINE("compile of a moved-from graph", "moved from",
               { Graph g, h = std::move(g); compile(g); }),
    ERROR_WITHOUT_LINE("save_program of a moved-from graph", "moved from",
               { Graph g, h = std::move(g); save_program(g, {}, "x.cutset"); }),
    ERROR_WITHOUT_LINE("run of a moved-from session", "this cutset::Session was moved from",
               { Session s = session_of(small()), t = std::move(s); s.run("train", small_batch()); }),
    ERROR_WITHOUT_LINE("variables of a moved-from session", "moved from",
               { Session s = session_of(small()), t = std::move(s); s.variables(); }),
    ERROR_WITHOUT_LINE("memory of a moved-from session", "moved from",
               { Session s = session_of(small()), t = std::move(s); s.memory(); }),
    ERROR_WITHOUT_LINE("trace of a moved-from session", "moved from",
               { Session s = session_of(small()), t = std::move(s); s.start_trace(); }),
    ERROR_WITHOUT_LINE("log of a moved-from session", "moved from",
               { Session s = session_of(small()), t = std::move(s); s.log("place"); }),
    ERROR_WITHOUT_LINE("strategy of a moved-from session", "moved from",
               { Session s = session_of(small()), t = std::move(s); s.strategy(); }),
    ERROR_WITHOUT_LINE("dot of a moved-from session", "moved from",
               { Session s = session_of(small()), t = std::move(s); s.dot(); }),
    FINE("an error inside DeviceScope and NameScope", "they end with their block",
               { Graph g; Tensor x = in(g); try { DeviceScope on(g, "opencl:0");
                 NameScope scope(g, "layer"); relu(x) + g.input("bad", f32, {5});
                 } catch (const Error&) {} g.output("y", tanh(x)); }),
    FINE("an empty device", "`place` chooses the device",
               { Graph g; DeviceScope on(g, ""); g.output("y", relu(in(g))); session_of(g); }),
    ERROR_IN_GRAPH("an unknown device", "gpu:0",
               { Graph g; DeviceScope on(g, "gpu:0"); g.output("y", relu(in(g))); session_of(g); }),
    ERROR_IN_GRAPH("a device that is not in the list", "not among the devices",
               { Graph g; { DeviceScope on(g, "opencl:0"); g.output("y", relu(in(g))); } session_of(g); }),
    FINE("an error leaves no op", "the op that fails is not added to the graph",
               { Graph g; Tensor x = in(g); const std::string before = g.text();
                 try { reshape(x, {.shape = {3}});
                 } catch (const Error&) {} if (g.text() != before) throw std::runtime_error(g.text()); }),
  });
}
// clang-format on

}  // namespace
}  // namespace cutset::mistakes
