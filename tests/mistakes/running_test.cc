// SPDX-License-Identifier: Apache-2.0
// Tests mistakes of users with sessions and saved programs: wrong inputs, outputs, variables, files and
// threads.
#include <cutset/saved.h>

#include <atomic>
#include <exception>
#include <fstream>
#include <thread>

#include "tests/mistakes/mistakes.h"
#include "tests/temporary_folder.h"

namespace cutset::mistakes {
namespace {

// Returns the path of a file in a temporary folder of this process.
std::string file(const std::string& name) {
  static const TemporaryFolder folder;
  return folder.path(name);
}
void write(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}
SavedProgram saved() {
  save_program(small(), {.devices = "reference:0"}, file("small.cutset"));
  return load_program(file("small.cutset"));
}
Batch with(const std::string& name, HostTensor value) {
  Batch b = small_batch();
  b[name] = std::move(value);
  return b;
}
Batch without(const std::string& name) {
  Batch b = small_batch();
  b.erase(name);
  return b;
}
Outputs train(const Batch& b) {
  Session s = session_of(small());
  return s.run("train", b);
}

// Calls `use` on two threads until it fails on one of them, and throws the error.
void use_from_two_threads(const std::function<void()>& use) {
  std::atomic<bool> refused = false;
  std::exception_ptr errors[2];
  auto f = [&](std::exception_ptr& error) {
    while (!refused) try {
        use();
      } catch (const Error&) {
        error = std::current_exception();
        refused = true;
      }
  };
  std::thread a(f, std::ref(errors[0])), b(f, std::ref(errors[1]));
  a.join();
  b.join();
  use();  // must work again after the refusal
  std::rethrow_exception(errors[0] ? errors[0] : errors[1]);
}

// clang-format off
TEST(Mistakes, Feeding) {
  check(__FILE__, {
    ERROR_WITHOUT_LINE("a function that does not exist", "predict",
               { session_of(small()).run("predict", small_batch()); }),
    ERROR_WITHOUT_LINE("a function with an empty name", "''",
               { session_of(small()).run("", small_batch()); }),
    ERROR_WITHOUT_LINE("train without minimize", "has no function 'train' (it has: evaluate; "
          "Graph::minimize makes 'train')", { Graph g; g.output("y", relu(g.input("x", f32, {4})));
          session_of(g).run("train", batch_of("x", {f32, {4}})); }),
    ERROR_WITHOUT_LINE("a function that was added after compile",
          "a function that is added to the graph after compile() is not in the program",
          { Graph g = small(); Session s = session_of(g); Tensor z = g.input("z", f32, {4});
          g.function("later", {z}, {{"o", relu(z)}}); s.run("later", small_batch()); }),
    ERROR_WITHOUT_LINE("a misspelt function", "did you mean 'evaluate'?",
               { session_of(small()).run("evalute", small_batch()); }),
    ERROR_WITHOUT_LINE("a misspelt input", "did you mean 'image'?",
               { Graph g; g.output("y", relu(g.input("image", f32, {4})));
                 Batch b = batch_of("image", {f32, {4}}); b.emplace("iamge", filled({f32, {4}}, 1));
                 session_of(g).evaluate(b); }),
    ERROR_WITHOUT_LINE("an input is missing", "'y'", { train(without("y")); }),
    ERROR_WITHOUT_LINE("an input of f64", "f64", { train(with("x", filled({f64, {4, 6}}, 1))); }),
    ERROR_WITHOUT_LINE("labels of i64", "is 4xi32, not 4xi64 (convert the elements to i32)",
               { train(with("y", filled({i64, {4}}, 1))); }),
    ERROR_IN_GRAPH("7 features", "'x' is [4, 7] here and [4, 6] in the graph",
               { train(with("x", filled({f32, {4, 7}}, 1))); }),
    ERROR_IN_GRAPH("another rank", "C1: ranks 1 and 2", { train(with("x", filled({f32, {24}}, 1))); }),
    ERROR_IN_GRAPH("batches of two sizes", "3", { train(with("y", filled({i32, {3}}, 1))); }),
    ERROR_WITHOUT_LINE("a tensor that was never filled", "", { train(with("x", HostTensor())); }),
    ERROR_HERE("too few elements", "4x6xf32 has 24 elements, and 2 are given",
               { train(with("x", HostTensor({4, 6}, std::vector<float>(2)))); }),
    ERROR_WITHOUT_LINE("NaN", "and input 'x' is nan at element [0, 0]; the variables keep their values",
               { train(with("x", filled({f32, {4, 6}}, std::nan("")))); }),
    ERROR_WITHOUT_LINE("infinity", "and input 'x' is inf at element [0, 0]; the variables keep",
               { train(with("x", filled({f32, {4, 6}}, HUGE_VAL))); }),
    ERROR_WITHOUT_LINE("minus infinity in one element", "and input 'x' is -inf at element [2, 1]",
               { Batch b = small_batch(); b.at("x").set(13, -HUGE_VAL); train(b); }),
    ERROR_WITHOUT_LINE("infinity, with a hint", "correct the batch, unless the input is infinite for a "
          "reason", { train(with("x", filled({f32, {4, 6}}, HUGE_VAL))); }),
    ERROR_WITHOUT_LINE("a label of 99", "and input 'y' is 99 at element [0], and the graph takes numbers "
          "from 0 to 2 there", { train(with("y", filled({i32, {4}}, 99))); }),
    ERROR_WITHOUT_LINE("a label of -1", "and input 'y' is -1 at element [0], and the graph takes numbers "
          "from 0 to 2 there", { train(with("y", filled({i32, {4}}, -1))); }),
    ERROR_WITHOUT_LINE("a label that counts from 1", "'y' is 3 at element [2]",
               { Batch b = small_batch(); b.at("y").set(2, 3); train(b); }),
    ERROR_WITHOUT_LINE("a label of a saved program", "'y' is 3 at element [2]",
               { Batch b = small_batch(); b.at("y").set(2, 3); saved().run("train", b); }),
    ERROR_WITHOUT_LINE("a label of another batch size", "'y' is 5 at element [2]",
               { Batch b = small_batch(3); b.at("y").set(2, 5); train(b); }),
    ERROR_WITHOUT_LINE("a label on two replicas", "'y' is 5 at element [3]",
               { Batch b = small_batch(); b.at("y").set(3, 5);
                 compile(small(), {.devices = "reference:0,sim:0", .strategy = "data(2)"}).train(b); }),
    ERROR_WITHOUT_LINE("a label of i64 that is cast", "'y' is 7 at element [1], and the graph takes numbers "
          "from 0 to 2", { Graph g; Tensor l = nn::dense("a", g.input("x", f32, {4, 6}), 3);
          g.minimize(mean(softmax_cross_entropy(l, cast(g.input("y", u8, {4}), {.dtype = i32}))), Sgd{});
          Batch b = batch_of("x", {f32, {4, 6}}); b.emplace("y", filled({u8, {4}}, 1));
          b.at("y").set(1, 7); session_of(g).train(b); }),
    ERROR_WITHOUT_LINE("an id outside the table", "'id' is 9 at element [0, 1], and the graph takes numbers "
          "from -5 to 4", { Graph g; g.minimize(mean(nn::embedding("e", g.input("id", i32, {2, 2}),
          {.vocabulary = 5, .width = 3})), Sgd{}); Batch b = batch_of("id", {i32, {2, 2}}, 4);
          b.at("id").set(1, 9); session_of(g).train(b); }),
    ERROR_WITHOUT_LINE("a learning rate that is too large", "the usual causes are a learning rate that is "
          "too large", { Graph g; Tensor w = g.variable("w", f32, {}, Initializer::constant(3));
          g.minimize(exp(w * w), Sgd{.learning_rate = 1}); Session s = session_of(g); for (int i = 0;
          i < 9; ++i) s.train({}); }),
    ERROR_WITHOUT_LINE("a variable that is NaN", "Variable 'w' itself is nan, which it has from an update "
          "of an earlier step, or because it was set", { Graph g;
          Tensor w = g.variable("w", f32, {}, Initializer::constant(3)); g.minimize(w * w, Sgd{});
          Session s = session_of(g); s.set_variable("w", HostTensor::scalar(std::nanf(""))); s.train({}); }),
    ERROR_WITHOUT_LINE("the loss of a batch without samples", "'loss' is nan, and input 'x' has no elements",
               { train(small_batch(0)); }),
    FINE("a batch without samples, of which no mean is taken", "the result has no rows",
               { Graph g; g.output("y", relu(g.input("x", f32, {4, 2})));
                 session_of(g).run("evaluate", batch_of("x", {f32, {0, 2}})); }),
    FINE("another batch size", "the session also compiles the function for that size",
               { Session s = session_of(small()); s.run("train", small_batch());
                 s.run("train", small_batch(3)); }),
  });
}

TEST(Mistakes, Reading) {
  check(__FILE__, {
    ERROR_HERE("an output that is not there", "there is no output 'nope' (the function returns 'logits', "
          "'loss')", { Session s = session_of(small()); Outputs o = s.run("evaluate", small_batch());
          o["nope"]; }),
    ERROR_HERE("a misspelt output", "did you mean 'logits'?",
               { session_of(small()).evaluate(small_batch())["logit"]; }),
    ERROR_WITHOUT_LINE("a misspelt hyper-parameter", "(it has: learning_rate, momentum; did you mean "
          "'learning_rate'?)", { session_of(small()).set_hyper_parameter("learnig_rate", 0.1); }),
    ERROR_WITHOUT_LINE("a misspelt log", "did you mean 'place'?", { session_of(small()).log("plase"); }),
    ERROR_HERE("at() of an output that is not there", "there is no output 'nope'",
               { Session s = session_of(small()); Outputs o = s.run("evaluate", small_batch());
                 o.at("nope"); }),
    ERROR_HERE("an output of a temporary that is not there", "there is no output 'nope'",
               { Session s = session_of(small()); s.run("evaluate", small_batch())["nope"].item<float>(); }),
    ERROR_HERE("item of a matrix", "item() is for a tensor of one element, and this is 4x3xf32",
               { Session s = session_of(small()); s.run("evaluate", small_batch())["logits"].item<float>();
                 }),
    FINE("an output kept from a temporary", "it owns its bytes",
               { Session s = session_of(small()); auto loss = s.run("train", small_batch())["loss"];
                 s.run("train", small_batch());
                 if (!(std::abs(loss.item<float>() - 1.1f) < 1)) throw
                       std::runtime_error("the loss has changed"); }),
    ERROR_WITHOUT_LINE("a misspelt variable", "there is no variable 'a.weigth' (did you mean 'a.weight'?)",
               { session_of(small()).variable("a.weigth"); }),
    ERROR_WITHOUT_LINE("a name of another network", "there are: 'a.bias', 'a.bias/velocity', 'a.weight', "
          "'a.weight/velocity'", { session_of(small()).copies("encoder.layer.0.weight"); }),
    ERROR_WITHOUT_LINE("a variable that is not there", "nope", { session_of(small()).variable("nope"); }),
    ERROR_WITHOUT_LINE("copy 7", "7", { session_of(small()).variable("a.weight", 7); }),
    ERROR_WITHOUT_LINE("copy -1", "no copy -1", { session_of(small()).variable("a.weight", -1); }),
    ERROR_WITHOUT_LINE("setting a variable that is not there", "nope",
               { session_of(small()).set_variable("nope", filled({f32, {3}}, 0)); }),
    ERROR_WITHOUT_LINE("setting a variable of another type", "3x6xf32",
               { session_of(small()).set_variable("a.weight", filled({f32, {3}}, 0)); }),
    ERROR_WITHOUT_LINE("setting a variable to a tensor that was moved from", "3xf32",
               { HostTensor t({f32, {3}}), u = std::move(t); session_of(small()).set_variable("a.bias", t);
                 }),
    ERROR_WITHOUT_LINE("a log of no topic", "unknown log topic 'foo'", { session_of(small()).log("foo"); }),
  });
}

TEST(Mistakes, Files) {
  check(__FILE__, {
    ERROR_WITHOUT_LINE("weights that are not there", "missing.safetensors",
               { session_of(small()).load(file("missing.safetensors")); }),
    ERROR_WITHOUT_LINE("weights that are text", "not a safetensors file",
               { write(file("garbage"), "hello world this is not it");
                 session_of(small()).load(file("garbage")); }),
    ERROR_WITHOUT_LINE("a header of 2^64 bytes", "header",
               { write(file("header"), std::string(8, '\xff') + "{}");
                 session_of(small()).load(file("header")); }),
    ERROR_WITHOUT_LINE("weights of another model", "'z'",
               { Graph g; g.minimize(mean(g.variable("z", f32, {4}, {})), Sgd{});
                 session_of(g).save(file("z")); session_of(small()).load(file("z")); }),
    ERROR_WITHOUT_LINE("weights of which nothing fits", "; 6 of the 6 tensors of the file do not fit (give "
          "the model of the file)", { Graph g; Tensor z = g.variable("z", f32, {4}, {}),
          a = g.variable("a.weight", f32, {4}, {}); g.minimize(mean(z * a * g.variable("y", f32, {4}, {})),
          Sgd{}); session_of(g).save(file("three")); session_of(small()).load(file("three")); }),
    ERROR_WITHOUT_LINE("saving where there is no folder", "nope",
               { session_of(small()).save(file("nope/x")); }),
    ERROR_WITHOUT_LINE("a picture where there is no folder", "nope",
               { session_of(small()).dump_dot(file("nope/x.dot")); }),
    ERROR_WITHOUT_LINE("a trace that was not started", "no trace was started",
               { session_of(small()).write_trace(file("t.json")); }),
    ERROR_WITHOUT_LINE("a program that is not there", "missing.cutset",
               { load_program(file("missing.cutset")); }),
    ERROR_WITHOUT_LINE("a program for another batch size", "compiled for 4x6xf32",
               { SavedProgram p = saved(); p.run("evaluate", small_batch(3)); }),
    ERROR_WITHOUT_LINE("inputs of a function that is not there", "nope", { saved().inputs("nope"); }),
    ERROR_WITHOUT_LINE("run of a moved-from program", "this cutset::SavedProgram was moved from",
               { SavedProgram p = saved(), q = std::move(p); p.run("evaluate", small_batch()); }),
    ERROR_WITHOUT_LINE("functions of a moved-from program", "moved from",
               { SavedProgram p = saved(), q = std::move(p); p.functions(); }),
    ERROR_WITHOUT_LINE("inputs of a moved-from program", "moved from",
               { SavedProgram p = saved(), q = std::move(p); p.inputs("train"); }),
    ERROR_WITHOUT_LINE("devices of a moved-from program", "moved from",
               { SavedProgram p = saved(), q = std::move(p); p.devices(); }),
  });
}

TEST(Mistakes, Threads) {
  check(__FILE__, {
    FINE("a session in each of two threads", "sessions share nothing that changes",
               { auto f = [] { Session s = session_of(small()); for (int i = 0; i < 20;
                 ++i) s.run("train", small_batch(1 + i % 3)); }; std::thread a(f), b(f); a.join(); b.join();
                 }),
    ERROR_WITHOUT_LINE("one session in two threads", "this cutset::Session is in use by another thread",
               { Session s = session_of(small()); use_from_two_threads([&] { s.run("train", small_batch());
                 }); }),
    ERROR_WITHOUT_LINE("one graph in two threads", "this cutset::Graph is in use by another thread",
               { Graph g; Tensor x = g.input("x", f32, {4}); use_from_two_threads([&] { relu(x); }); }),
    FINE("two sessions of one graph, one after the other", "each has variables of its own",
               { Graph g = small(); Session s = session_of(g), t = session_of(g);
                 s.run("train", small_batch()); t.run("train", small_batch());
                 if (s.variable("a.bias") != t.variable("a.bias")) throw std::runtime_error("they differ");
                 }),
  });
}
// clang-format on

}  // namespace
}  // namespace cutset::mistakes
