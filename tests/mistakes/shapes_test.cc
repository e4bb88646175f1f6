// SPDX-License-Identifier: Apache-2.0
// Tests mistakes of users in shapes, element types and options of ops, and empty tensors as operands.
#include "tests/mistakes/mistakes.h"

namespace cutset::mistakes {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

Tensor in(Graph& g, const Shape& shape, DType type = f32) {
  return g.input("in" + std::to_string(g.inputs().size()), type, shape);
}
Tensor image(Graph& g, int64_t channels = 1) { return in(g, {1, channels, 8, 8}); }

// clang-format off
TEST(Mistakes, ShapesAndTypes) {
  check(__FILE__, {
    ERROR_HERE("shapes that do not broadcast", "do not broadcast",
               { Graph g; in(g, {2, 3}) + in(g, {4, 5}); }),
    ERROR_HERE("inner sizes", "C2: inner sizes 3 and 4", { Graph g; matmul(in(g, {2, 3}), in(g, {4, 5})); }),
    ERROR_HERE("matmul of a vector", "C1: ranks 1 and 2", { Graph g; matmul(in(g, {3}), in(g, {3, 5})); }),
    ERROR_HERE("f32 and f64", "element types f32 and f64 differ", { Graph g; in(g, {2}) + in(g, {2}, f64); }),
    ERROR_HERE("f32 and i32", "element types f32 and i32 differ", { Graph g; in(g, {2}) * in(g, {2}, i32); }),
    ERROR_HERE("tanh of integers", "needs a floating-point type", { Graph g; tanh(in(g, {2}, i32)); }),
    ERROR_WITHOUT_LINE("no element type", "element type 77", { Graph g; g.input("a", DType(77), {2}); }),
    ERROR_HERE("f16 and f32", "element types f16 and f32 differ", { Graph g; in(g, {2}, f16) + in(g, {2}); }),
    ERROR_WITHOUT_LINE("rank 9", "rank 9", { Graph g; g.input("a", f32, {1, 1, 1, 1, 1, 1, 1, 1, 1}); }),
    ERROR_WITHOUT_LINE("a negative size", "a size cannot be negative",
               { Graph g; g.input("a", f32, {-1, 3}); }),
    ERROR_WITHOUT_LINE("2^80 elements", "too large",
               { Graph g; g.input("a", f32, {int64_t{1} << 40, int64_t{1} << 40}); }),
    ERROR_WITHOUT_LINE("2^63 - 1 elements", "too large", { Graph g; g.input("a", f32, {kMax}); }),
    ERROR_WITHOUT_LINE("sizes that overflow beside a zero", "too large",
               { Graph g; g.input("a", f32, {0, int64_t{1} << 62, 4}); }),
    ERROR_HERE("a broadcast too large", "too large",
               { Graph g; in(g, {int64_t{1} << 40, 1}) + in(g, {1, int64_t{1} << 40}); }),
    ERROR_HERE("a product too large", "too large",
               { Graph g; matmul(in(g, {int64_t{1} << 40, 1}), in(g, {1, int64_t{1} << 40})); }),
    ERROR_HERE("one_hot of 2^62 classes", "too large",
               { Graph g; one_hot(in(g, {4}, i32), {.depth = int64_t{1} << 62}); }),
    ERROR_WITHOUT_LINE("2^60 units", "too large",
               { Graph g; nn::dense("d", in(g, {4, 4}), int64_t{1} << 60); }),
    ERROR_WITHOUT_LINE("-3 units", "-3", { Graph g; nn::dense("d", in(g, {4, 4}), -3); }),
    FINE("dense on images", "as in PyTorch, it works on the last axis",
               { Graph g; nn::dense("d", in(g, {4, 4, 2, 2}), 3); }),
    ERROR_HERE("dense on a scalar", "C1: ranks 0 and 2", { Graph g; nn::dense("d", in(g, {}), 3); }),
    FINE("dense of no features", "the sum over no features is 0, so the result is the bias",
               { Graph g; nn::dense("d", in(g, {4, 0}), 3); }),
  });
}

TEST(Mistakes, ConvolutionAndPooling) {
  check(__FILE__, {
    ERROR_WITHOUT_LINE("kernel -1", "negative size",
               { Graph g; nn::conv("c", image(g), {.out_channels = 2, .kernel_size = -1}); }),
    ERROR_HERE("kernel 0", "C4: a filter of 0x0 has no elements",
               { Graph g; nn::conv("c", image(g), {.out_channels = 2, .kernel_size = 0}); }),
    ERROR_HERE("kernel 9 of 8", "C4: a filter of 9x9",
               { Graph g; nn::conv("c", image(g), {.out_channels = 2, .kernel_size = 9}); }),
    ERROR_WITHOUT_LINE("kernel 2^62", "too large",
               { Graph g; nn::conv("c", image(g), {.out_channels = 2, .kernel_size = int64_t{1} << 62}); }),
    ERROR_HERE("stride 0", "stride is [0, 0]",
               { Graph g; nn::conv("c", image(g), {.out_channels = 2, .kernel_size = 3, .stride = 0}); }),
    ERROR_HERE("padding -1", "padding [-1, -1]",
               { Graph g; nn::conv("c", image(g), {.out_channels = 2, .kernel_size = 3, .padding = -1}); }),
    ERROR_HERE("padding 2^62", "below 2^20",
               { Graph g; nn::conv("c", image(g), {.out_channels = 2, .kernel_size = 3,
                     .padding = int64_t{1} << 62}); }),
    ERROR_HERE("dilation 2^62", "below 2^20",
               { Graph g; nn::conv("c", image(g), {.out_channels = 2, .kernel_size = 3,
                     .dilation = int64_t{1} << 62}); }),
    ERROR_HERE("groups 0", "0 groups",
               { Graph g; nn::conv("c", image(g, 4), {.out_channels = 4, .kernel_size = 3, .groups = 0}); }),
    ERROR_HERE("groups that do not divide", "C3: 4 input channels, 3 groups",
               { Graph g; nn::conv("c", image(g, 4), {.out_channels = 6, .kernel_size = 3, .groups = 3}); }),
    ERROR_HERE("conv of a matrix", "C1: x has rank 2",
               { Graph g; nn::conv("c", in(g, {4, 8}), {.out_channels = 6, .kernel_size = 3}); }),
    ERROR_HERE("a stride of three numbers", "stride is [1, 1, 1]",
               { Graph g; conv(image(g), in(g, {2, 1, 3, 3}), {}, {.stride = {1, 1, 1}}); }),
    FINE("a stride of one number", "it is that of all axes",
               { Graph g; conv(image(g), in(g, {2, 1, 3, 3}), {}, {.stride = {1}}); }),
    ERROR_HERE("pool kernel 0", "kernel is [0, 0]", { Graph g; max_pool(image(g), {.kernel_size = 0}); }),
    ERROR_HERE("pool kernel -2", "kernel is [-2, -2]", { Graph g; max_pool(image(g), {.kernel_size = -2}); }),
    ERROR_HERE("avg_pool kernel 0", "kernel is [0, 0]", { Graph g; avg_pool(image(g), {.kernel_size = 0}); }),
    ERROR_HERE("avg_pool kernel of three axes", "kernel is [2, 2, 2]",
               { Graph g; avg_pool(image(g), {.kernel_size = {2, 2, 2}}); }),
    ERROR_HERE("avg_pool 9 of 8", "C3: a window of 9x9",
               { Graph g; avg_pool(image(g), {.kernel_size = 9}); }),
    ERROR_HERE("avg_pool of a matrix", "C1: x has rank 2", { Graph g; avg_pool(in(g, {8, 8})); }),
    ERROR_HERE("pool padding of a window", "C3: a window that covers 2 elements along an axis does not fit "
          "a padding of 2", { Graph g; max_pool(image(g), {.padding = 2}); }),
    ERROR_HERE("lp_pool with p = 0", "lp_pool has p = 0", { Graph g; lp_pool(image(g), 0); }),
    ERROR_HERE("global_avg_pool of a matrix", "needs images", { Graph g; global_avg_pool(in(g, {8, 8})); }),
    ERROR_HERE("conv_transpose with an output padding of the stride", "C3: output_padding",
               { Graph g; nn::conv_transpose("c", image(g), {.out_channels = 2, .kernel_size = 2,
                     .stride = 2, .output_padding = 2}); }),
    ERROR_HERE("conv_transpose with groups that do not divide", "2 groups",
               { Graph g; nn::conv_transpose("c", image(g), {.out_channels = 3, .groups = 2}); }),
  });
}

TEST(Mistakes, AxesAndReshapes) {
  check(__FILE__, {
    ERROR_HERE("flatten of a scalar", "C", { Graph g; flatten(in(g, {})); }),
    FINE("flatten of a vector", "each element is a row of one", { Graph g; flatten(in(g, {4})); }),
    ERROR_HERE("sum over axis 7", "7", { Graph g; sum(in(g, {4}), {7}); }),
    FINE("sum over axis -1", "it is the last axis", { Graph g; sum(in(g, {4, 3}), {-1}); }),
    FINE("mean over axis -1", "it is the last axis", { Graph g; mean(in(g, {4, 3}), {-1}); }),
    ERROR_HERE("an axis twice", "twice", { Graph g; sum(in(g, {4, 3}), {0, 0}); }),
    ERROR_HERE("an axis twice, once from the end", "twice", { Graph g; sum(in(g, {4, 3}), {1, -1}); }),
    ERROR_HERE("argmax over axis 5", "5", { Graph g; argmax(in(g, {4, 3}), {.axis = 5}); }),
    ERROR_HERE("argmax of nothing", "C", { Graph g; argmax(in(g, {4, 0})); }),
    ERROR_HERE("reshape to other elements", "12 elements",
               { Graph g; reshape(in(g, {4, 3}), {.shape = {5, 2}}); }),
    ERROR_HERE("reshape with two -1", "cannot reshape",
               { Graph g; reshape(in(g, {4, 3}), {.shape = {-1, -1}}); }),
    FINE("reshape of nothing with -1", "an empty tensor can take any shape with a size of 0",
               { Graph g; reshape(in(g, {0, 3}), {.shape = {-1, 0}}); }),
    ERROR_HERE("reshape beyond 2^63", "too large",
               { Graph g; reshape(in(g, {4, 4}), {.shape = {int64_t{1} << 32, int64_t{1} << 32, 16}}); }),
    ERROR_HERE("reshape to -5", "cannot reshape", { Graph g; reshape(in(g, {4, 3}), {.shape = {-5, 2}}); }),
    ERROR_HERE("transpose by no permutation", "C1",
               { Graph g; transpose(in(g, {4, 3}), {.permutation = {0, 0}}); }),
    FINE("transpose without a permutation", "the order is reversed",
               { Graph g; transpose(in(g, {4, 3}), {}); }),
    ERROR_HERE("slice beyond the end", "C",
               { Graph g; ops::slice(in(g, {4, 3}), {.axis = 0, .start = 3, .length = 3}); }),
    ERROR_HERE("slice from 2^63 - 1", "C",
               { Graph g; ops::slice(in(g, {4, 3}), {.axis = 0, .start = kMax, .length = 1}); }),
    ERROR_HERE("concat of nothing", "needs an operand", { concat({}, {.axis = 0}); }),
    ERROR_HERE("add_n of nothing", "needs an operand", { ops::add_n({}); }),
    ERROR_HERE("where with a condition that is not i1", "C1",
               { Graph g; Tensor a = in(g, {4}); where(a, a, a); }),
  });
}

TEST(Mistakes, EmptyTensors) {
  check(__FILE__, {
    ERROR_HERE("relu of an empty tensor", "operand 0 ('x') of 'relu' is an empty Tensor",
               { relu(Tensor{}); }),
    ERROR_HERE("x + {}", "operand 1 ('y') of 'add' is an empty Tensor", { Graph g; in(g, {4}) + Tensor{}; }),
    ERROR_HERE("{} + x", "operand 0 ('x') of 'add' is an empty Tensor", { Graph g; Tensor{} + in(g, {4}); }),
    ERROR_HERE("matmul(x, {})", "operand 1 ('y') of 'matmul' is an empty Tensor",
               { Graph g; matmul(in(g, {4, 4}), {}); }),
    ERROR_HERE("where(c, x, {})", "of 'where' is an empty Tensor",
               { Graph g; Tensor x = in(g, {4}); where(greater(x, x), x, {}); }),
    ERROR_HERE("add_n with an empty one", "operand 1 ('values') of 'add_n' is an empty Tensor",
               { Graph g; ops::add_n({in(g, {4}), {}}); }),
    ERROR_HERE("concat with an empty one", "of 'concat' is an empty Tensor",
               { Graph g; concat({in(g, {4}), {}}, {.axis = 0}); }),
    FINE("conv without a bias", "the bias is optional",
               { Graph g; conv(image(g), in(g, {2, 1, 3, 3}), {}); }),
    ERROR_HERE("conv without a filter", "operand 1 ('filter') of 'conv' is an empty Tensor",
               { Graph g; conv(image(g), {}, in(g, {1})); }),
    ERROR_HERE("an empty output", "output 'y'", { Graph g; g.output("y", Tensor{}); }),
    ERROR_HERE("an empty loss", "loss", { Graph g; g.minimize(Tensor{}, Sgd{}); }),
    ERROR_HERE("sum", "empty Tensor", { sum(Tensor{}); }),
    ERROR_HERE("mean", "operand 0 ('x') of 'mean' is an empty Tensor", { mean(Tensor{}); }),
    ERROR_HERE("flatten", "empty Tensor", { flatten(Tensor{}); }),
    ERROR_HERE("dense", "empty Tensor", { Graph g; nn::dense("d", Tensor{}, 4); }),
    ERROR_HERE("conv", "empty Tensor",
               { Graph g; nn::conv("d", Tensor{}, {.out_channels = 4, .kernel_size = 3}); }),
    ERROR_HERE("max_pool", "empty Tensor", { max_pool(Tensor{}); }),
    ERROR_HERE("avg_pool", "empty Tensor", { avg_pool(Tensor{}); }),
    ERROR_HERE("moved-from", "empty Tensor", { Graph g; Tensor x = in(g, {4}), y = std::move(x); relu(x); }),
    ERROR_WITHOUT_LINE("the scope of a graph that was moved from", "was moved from",
               { Graph g; Graph other = std::move(g); NameScope scope(g, "s"); }),
  });
}
// clang-format on

}  // namespace
}  // namespace cutset::mistakes
