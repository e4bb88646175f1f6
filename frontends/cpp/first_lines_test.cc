// SPDX-License-Identifier: Apache-2.0
// Tests the lines that a user of PyTorch or MLX types first. They need one header and one namespace.
#include <cutset/cutset.h>
#include <gmock/gmock.h>

using namespace cutset;

namespace {

struct Inputs {
  Tensor x, y, w, i, c, img, k, b4, t;
};
struct Line {
  const char* text;
  Tensor (*function)(Inputs in);
  Shape shape;
  std::vector<double> values;
  // Returns the element type; f32 if the text does not say another type.
  DType dtype() const {
    const std::string line = text;
    const auto has = [&](const char* part) { return line.find(part) != std::string::npos; };
    if (has("cast(x, i32)")) return i32;
    if (has("cast(x, f16)")) return f16;
    if (has("argmax")) return i64;
    for (const char* comparison : {"x > 0.5)", "x <= y)", "x == y)", "x != 1)", "!c"})
      if (has(comparison) && !has("where")) return i1;
    return f32;
  }
};
#define ALL(...) __VA_ARGS__
#define LINE(expression, shape, values)                          \
  {#expression,                                                  \
   [](Inputs in) -> Tensor {                                     \
     [[maybe_unused]] auto& [x, y, w, i, c, img, k, b4, t] = in; \
     return expression;                                          \
   },                                                            \
   {ALL shape},                                                  \
   {ALL values}},
const std::vector<Line> kLines = {
#include "frontends/cpp/first_lines.inc"
};

HostTensor tensor(DType dtype, const Shape& shape, const std::vector<double>& values) {
  HostTensor made({dtype, shape});
  for (size_t i = 0; i < values.size(); ++i) made.set(static_cast<int64_t>(i), values[i]);
  return made;
}
// Returns the numbers first, first + 1, ..., last over and over again.
HostTensor cycle(const Shape& shape, int first, int last) {
  HostTensor made({f32, shape});
  for (int64_t i = 0; i < made.type().elements(); ++i)
    made.set(i, static_cast<double>(first + i % (last - first + 1)));
  return made;
}
Batch values() {
  Batch batch;
  batch.emplace("x", tensor(f32, {2, 3}, {1, -2, 3, 4, 5, -6}));
  batch.emplace("y", tensor(f32, {2, 3}, {0.5, 1.5, -1, 2, -3, 4}));
  batch.emplace("w", tensor(f32, {3, 2}, {0.1, 0.2, 0.3, -0.4, -0.5, 0.6}));
  batch.emplace("i", tensor(i32, {2}, {2, 0}));
  batch.emplace("c", tensor(i1, {2, 3}, {1, 0, 1, 0, 1, 0}));
  batch.emplace("img", cycle({2, 3, 5, 5}, -3, 3));
  batch.emplace("k", cycle({4, 3, 3, 3}, -2, 2));
  batch.emplace("b4", tensor(f32, {4}, {0.1, 0.2, 0.3, 0.4}));
  batch.emplace("t", tensor(f32, {2, 3}, {0.2, 0.5, 0.3, 0.1, 0.1, 0.8}));
  return batch;
}

// Returns the value of a function of the inputs, as f32 or i32. The inputs have no batch.
HostTensor value_of(const std::function<Tensor(Inputs)>& function) {
  const Batch all = values();
  Graph g;
  const auto input = [&](const char* name) {
    const TensorType& type = all.at(name).type();
    return g.input(name, type.dtype, type.shape, {.batch_dimension = std::nullopt});
  };
  const Inputs in{input("x"),   input("y"), input("w"),  input("i"), input("c"),
                  input("img"), input("k"), input("b4"), input("t")};
  const Tensor result = function(in);
  g.function("value", {in.x, in.y, in.w, in.i, in.c, in.img, in.k, in.b4, in.t}, {{"value", result}});
  return compile(g, {.devices = "reference:0"}).run("value", all).at("value");
}

class FirstLines : public ::testing::TestWithParam<size_t> {};

TEST_P(FirstLines, HaveTheValuesOfPyTorch) {
  const Line& line = kLines[GetParam()];
  SCOPED_TRACE(line.text);
  const HostTensor value = value_of(line.function);
  ASSERT_EQ(value.type(), (TensorType{line.dtype(), line.shape}));
  ASSERT_EQ(value.type().elements(), static_cast<int64_t>(line.values.size()));
  for (size_t i = 0; i < line.values.size(); ++i)  // the values of PyTorch are rounded to 7 decimals
    EXPECT_NEAR(value.at(static_cast<int64_t>(i)), line.values[i], 1e-5 * std::abs(line.values[i]) + 6e-8);
}
INSTANTIATE_TEST_SUITE_P(All, FirstLines, ::testing::Range<size_t>(0, kLines.size()));

TEST(FirstLines, AreAllThere) { EXPECT_EQ(kLines.size(), 62u); }

// Arguments by name give the same results as arguments by position.
TEST(Arguments, ByNameAreThoseByPosition) {
  const std::vector<std::pair<std::function<Tensor(Inputs)>, std::function<Tensor(Inputs)>>> pairs = {
      {[](Inputs n) { return concat({n.x, n.y}, 1); },
       [](Inputs n) { return concat({n.x, n.y}, {.axis = 1}); }},
      {[](Inputs n) { return softmax(n.x, 0); }, [](Inputs n) { return softmax(n.x, {.axis = 0}); }},
      {[](Inputs n) { return reshape(n.x, {3, -1}); },
       [](Inputs n) { return reshape(n.x, {.shape = {3, -1}}); }},
      {[](Inputs n) { return transpose(n.x); },
       [](Inputs n) { return transpose(n.x, {.permutation = {1, 0}}); }},
      {[](Inputs n) { return argmax(n.x, 1, true); },
       [](Inputs n) { return unsqueeze(argmax(n.x, {.axis = 1}), 1); }},
      {[](Inputs n) { return argmin(n.i * 0, 0, false, true); },
       [](Inputs n) { return argmin(n.i * 0, {.axis = 0, .select_last_index = true}); }},
      {[](Inputs n) { return cumsum(n.x, 1, true); },
       [](Inputs n) { return cumsum(n.x, {.axis = 1, .reverse = true}); }},
      {[](Inputs n) { return lp_pool(n.img, 2, 2, 2, true); },
       [](Inputs n) { return lp_pool(n.img, 2, {.kernel_size = 2, .ceil_mode = true}); }},
      {[](Inputs n) { return transpose(n.img, 1, 3); },
       [](Inputs n) { return transpose(n.img, {0, 3, 2, 1}); }},
      {[](Inputs n) { return layer_norm(n.x, {3}); }, [](Inputs n) { return layer_norm(n.x); }},
      {[](Inputs n) { return layer_norm(n.img, {5, 5}, {}, {}, 0.1); },
       [](Inputs n) { return layer_norm(n.img, {.axis = 2, .epsilon = 0.1}); }},
      {[](Inputs n) { return rms_norm(n.x); },
       [](Inputs n) { return n.x / pow(mean(n.x * n.x, 1, true) + 1e-5, 0.5); }},
      {[](Inputs n) { return conv_transpose(n.img, transpose(n.k, 0, 1), n.b4, 2, 1); },
       [](Inputs n) {
         return conv_transpose(n.img, transpose(n.k, 0, 1), {.stride = 2, .padding = 1}) +
                reshape(n.b4, {4, 1, 1});
       }},
      {[](Inputs n) { return pad(n.c, {-1, 0}); }, [](Inputs n) { return slice(n.c, 1, 1); }},
      {[](Inputs n) { return pad(n.c, {-1, 1}); },
       [](Inputs n) { return cast(pad(cast(n.c, i32), {-1, 1}), i1); }},
      {[](Inputs n) { return cumsum(n.x, 1, true, true); },
       [](Inputs n) { return cumsum(n.x, {.axis = 1, .exclusive = true, .reverse = true}); }},
      {[](Inputs n) { return top_k(n.x, 2, 1, false)[0]; },
       [](Inputs n) { return top_k(n.x, {.k = 2, .axis = 1, .largest = false})[0]; }},
      {[](Inputs n) { return one_hot(n.i, 4, f16); },
       [](Inputs n) { return one_hot(n.i, {.depth = 4, .dtype = f16}); }},
      {[](Inputs n) { return sum(n.x, 1, true); },
       [](Inputs n) { return sum(n.x, {.axes = 1, .keepdims = true}); }},
      {[](Inputs n) { return mean(n.x, {0, 1}); }, [](Inputs n) { return mean(n.x, {.axes = {0, 1}}); }},
      {[](Inputs n) { return slice(n.x, 1, -2); },
       [](Inputs n) { return slice(n.x, {.axis = 1, .start = -2}); }},
      {[](Inputs n) { return slice(n.x, 1, 2, kToEnd, -1); },
       [](Inputs n) { return slice(n.x, {.axis = 1, .start = 2, .step = -1}); }},
      {[](Inputs n) { return split(n.x, 2)[1]; }, [](Inputs n) { return split(n.x, {.parts = 2})[1]; }},
      {[](Inputs n) { return split_with_sizes(n.x, {1, 2}, 1)[1]; },
       [](Inputs n) { return split_with_sizes(n.x, {.axis = 1, .sizes = {1, 2}})[1]; }},
      {[](Inputs n) { return pad(n.x, {1, 0, 0, 2}, PadMode::kConstant, 7); },
       [](Inputs n) { return pad(n.x, {.pads = {1, 0, 0, 2}, .value = 7}); }},
      {[](Inputs n) { return conv(n.img, n.k, n.b4, 2, 1); },
       [](Inputs n) { return conv(n.img, n.k, n.b4, {.stride = 2, .padding = {1, 1}}); }},
      {[](Inputs n) { return conv(n.img, n.k, {}, 2); },
       [](Inputs n) { return conv(n.img, n.k, {.stride = {2, 2}}); }},
      {[](Inputs n) { return max_pool(n.img, 3, 2, 1); },
       [](Inputs n) { return max_pool(n.img, {.kernel_size = 3, .stride = 2, .padding = 1}); }},
      {[](Inputs n) { return max_pool(n.img, 3, {2, 1}); },
       [](Inputs n) { return max_pool(n.img, 3, {.stride = {2, 1}}); }},
      {[](Inputs n) { return avg_pool(n.img, 2, 2, 1, false, false); },
       [](Inputs n) { return avg_pool(n.img, 2, {.padding = 1, .count_include_pad = false}); }},
      {[](Inputs n) { return layer_norm(n.x, {}, {}, 0, 0.5); },
       [](Inputs n) { return layer_norm(n.x, {.axis = 0, .epsilon = 0.5}); }},
      {[](Inputs n) { return leaky_relu(n.x, 0.3); },
       [](Inputs n) { return leaky_relu(n.x, {.slope = 0.3}); }},
      {[](Inputs n) { return sort(n.x, 0, true); },
       [](Inputs n) { return sort(n.x, {.axis = 0, .descending = true}); }},
      {[](Inputs n) { return mse_loss(n.x, n.y, LossReduction::kSum); },
       [](Inputs n) { return mse_loss(n.x, n.y, {.reduction = LossReduction::kSum}); }},
      // Braces without a name are a list, and empty braces are the defaults.
      {[](Inputs n) { return softmax(n.x); }, [](Inputs n) { return softmax(n.x, {}); }},
      {[](Inputs n) { return softmax(n.x, 0); }, [](Inputs n) { return softmax(n.x, {0}); }},
      {[](Inputs n) { return sum(n.x); }, [](Inputs n) { return sum(n.x, {}); }},
      {[](Inputs n) { return reshape(sum(n.x), {1}); },
       [](Inputs n) { return reshape(reshape(sum(n.x), {}), {1}); }},
      {[](Inputs n) { return sort(n.x); }, [](Inputs n) { return sort(n.x, {}); }}};
  for (size_t i = 0; i < pairs.size(); ++i)
    EXPECT_EQ(value_of(pairs[i].first), value_of(pairs[i].second)) << "pair " << i;
}

std::string error_of(const std::function<Tensor(Inputs)>& function) {
  try {
    value_of(function);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Numbers, StandForTensors) {
  using ::testing::ElementsAre;
  const auto list = [](const std::function<Tensor(Inputs)>& function) {
    const HostTensor value = value_of(function);
    std::vector<double> all;
    for (int64_t i = 0; i < value.type().elements(); ++i) all.push_back(value.at(i));
    return all;
  };
  EXPECT_THAT(list([](Inputs n) { return n.i + 1; }), ElementsAre(3, 1));
  EXPECT_THAT(list([](Inputs n) { return 5 - n.i; }), ElementsAre(3, 5));
  EXPECT_THAT(list([](Inputs n) { return maximum(1, n.i); }), ElementsAre(2, 1));
  EXPECT_THAT(list([](Inputs n) { return where(n.i == 0, 2.5, -1); }), ElementsAre(-1, 2.5));
  EXPECT_THAT(list([](Inputs n) { return clip(n.i, 1); }), ElementsAre(2, 1));
  EXPECT_THAT(list([](Inputs n) { return clip(n.i, {}, 1); }), ElementsAre(1, 0));
  EXPECT_THAT(list([](Inputs n) { return (n.i > 0) & (n.i < 5); }), ElementsAre(1, 0));
  EXPECT_THAT(list([](Inputs n) { return (n.i > 0) | !(n.i > 0); }), ElementsAre(1, 1));
  EXPECT_THAT(list([](Inputs n) { return n.i ^ 3; }), ElementsAre(1, 3));
  EXPECT_THAT(list([](Inputs n) { return ~n.i; }), ElementsAre(-3, -1));
}

TEST(Numbers, ThatDoNotFitAreErrorsOfTheLine) {
  using ::testing::AllOf;
  using ::testing::HasSubstr;
  EXPECT_THAT(error_of([](Inputs n) { return n.i + 0.5; }),
              AllOf(HasSubstr("0.5"), HasSubstr("i32"), HasSubstr("first_lines_test.cc")));
  EXPECT_THAT(error_of([](Inputs) { return maximum(1, 2); }),
              HasSubstr("'maximum' has numbers and no tensor as operands"));
  EXPECT_THAT(error_of([](Inputs n) { return n.c + 1; }),
              HasSubstr("a number cannot be combined with a tensor of type i1"));
  EXPECT_THAT(error_of([](Inputs n) { return !n.x; }), HasSubstr("! of 2x3xf32 needs the element type i1"));
  EXPECT_THAT(error_of([](Inputs n) { return n.x == Tensor(); }), HasSubstr("is an empty Tensor"));
  EXPECT_THAT(error_of([](Inputs n) { return max_pool(n.img, 3, {.kernel_size = 2}); }),
              HasSubstr("kernel_size is given twice"));
  EXPECT_THAT(error_of([](Inputs n) { return split(n.x, 2, 1)[0]; }),
              HasSubstr("split of 2x3xf32 needs a number of parts that divides the 3 rows"));
  EXPECT_THAT(error_of([](Inputs n) { return pad(n.x, {1}); }),
              HasSubstr("pad of 2x3xf32 needs two numbers per axis"));
}

// In "train", half of the elements are 0 and the others are doubled, and each call has another mask.
TEST(Dropout, HasAMaskPerCall) {
  Graph g;
  const Tensor w = g.variable("w", f32, {4096}, Initializer::constant(1));
  const Tensor first = dropout(w, 0.5), second = dropout(w, {.probability = 0.5});
  g.output("first", first);
  g.output("second", second);
  g.minimize(sum(first), {.learning_rate = 0});
  Session session = compile(g, {.devices = "reference:0"});
  const Outputs trained = session.train({}), evaluated = session.evaluate({});
  int kept = 0, equal = 0;
  for (int64_t i = 0; i < 4096; ++i) {
    const double a = trained.at("first").at(i), b = trained.at("second").at(i);
    EXPECT_TRUE(a == 0 || a == 2) << a;
    kept += a == 2;
    equal += a == b;
    EXPECT_EQ(evaluated.at("first").at(i), 1);
  }
  EXPECT_NEAR(kept, 2048, 192);  // six standard deviations
  EXPECT_NEAR(equal, 2048, 192);
}

// A call that throws adds nothing to the graph, not even the constant of a number.
TEST(Numbers, OfAFailedCallLeaveNoConstant) {
  Graph g;
  const Tensor x = g.input("x", f32, {2, 3});
  const std::string before = g.text();
  EXPECT_THROW(clip(x, 0, g.input("y", i32, {2, 3})), Error);
  const std::string after = g.text();
  EXPECT_EQ(before.find("full_like"), std::string::npos);
  EXPECT_EQ(after.find("full_like"), std::string::npos);
}

}  // namespace
