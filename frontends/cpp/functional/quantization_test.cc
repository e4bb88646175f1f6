// SPDX-License-Identifier: Apache-2.0
// Tests <cutset/quantization.h> and <cutset/onnx_ops/integer_products.h>: every result against integer
// arithmetic on the host.
#include <cutset/onnx_ops/integer_products.h>
#include <cutset/onnx_ops/quantization.h>
#include <cutset/quantization.h>
#include <cutset/testing.h>
#include <gmock/gmock.h>

#include <cmath>
#include <functional>
#include <limits>

#include "tests/compositions.h"
#include "tests/errors.h"

namespace cutset {
namespace {

using testing::elements;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

HostTensor filled(DType type, const Shape& shape, const std::function<double(int64_t)>& element) {
  HostTensor t({type, shape});
  for (int64_t i = 0; i < t.elements(); ++i) t.set(i, element(i));
  return t;
}
HostTensor list(DType type, const std::vector<double>& elements) {
  return filled(type, {static_cast<int64_t>(elements.size())},
                [&](int64_t i) { return elements[static_cast<size_t>(i)]; });
}
struct Quantization : testing::PerBackend {
  // Returns the result of `build` for inputs with the values `in`.
  HostTensor run(const std::vector<HostTensor>& in, const testing::Composition& build) {
    return testing::evaluated(device(), in, build);
  }
};
CUTSET_INSTANTIATE_PER_BACKEND(Quantization);

const double infinity = std::numeric_limits<double>::infinity();

// A tie goes to the even number before the zero point is added. Numbers that are out of range become the
// nearest bound.
TEST_P(Quantization, RoundsToEvenAndSaturates) {
  const HostTensor x =
      list(f32, {0.25, 0.75, 1.25, -0.25, -0.75, 1000, -1000, 1e30, -1e30, infinity, -infinity, NAN});
  const HostTensor scale = filled(f32, {}, [](int64_t) { return 0.5; });
  const auto of = [&](DType type, double zero) {
    const HostTensor point = filled(type, {}, [&](int64_t) { return zero; });
    const HostTensor y =
        run({x, scale, point}, [](const auto& in) { return quantize_linear(in[0], in[1], in[2]); });
    EXPECT_EQ(y.dtype(), type);
    return elements(y);
  };
  EXPECT_THAT(of(u8, 3), ElementsAreArray<double>({3, 5, 5, 3, 1, 255, 0, 255, 0, 255, 0, 0}));
  EXPECT_THAT(of(i8, -3), ElementsAreArray<double>({-3, -1, -1, -3, -5, 127, -128, 127, -128, 127, -128, 0}));
  EXPECT_THAT(of(i16, 1),
              ElementsAreArray<double>({1, 3, 3, 1, -1, 2001, -1999, 32767, -32768, 32767, -32768, 0}));
  EXPECT_THAT(of(u16, 2000),
              ElementsAreArray<double>({2000, 2002, 2002, 2000, 1998, 4000, 0, 65535, 0, 65535, 0, 0}));
  EXPECT_THAT(of(i32, 1), ElementsAreArray<double>({1, 3, 3, 1, -1, 2001, -1999, 2147483647., -2147483648.,
                                                    2147483647., -2147483648., 0}));
  EXPECT_THAT(elements(run({x, scale}, [](const auto& in) { return quantize_linear(in[0], in[1]); })),
              ElementsAreArray<double>({0, 2, 2, 0, 0, 255, 0, 255, 0, 255, 0, 0}));
}

// f32 does not hold the sum of these numbers and the zero point.
TEST_P(Quantization, OfWideIntegersIsExact) {
  const HostTensor q = list(i32, {2147483647., -2147483648., 16777217});
  const HostTensor scale = filled(f32, {}, [](int64_t) { return 1; }),
                   zero = filled(i32, {}, [](int64_t) { return 16777216; });
  EXPECT_THAT(
      elements(run({q, scale, zero}, [](const auto& in) { return dequantize_linear(in[0], in[1], in[2]); })),
      ElementsAreArray<double>({2130706432., -2164260864., 1}));
  EXPECT_THAT(elements(run({list(f32, {3e9, -3e9, NAN, 1e30}), scale,
                            filled(i32, {}, [](int64_t) { return -0x1p30; })},
                           [](const auto& in) { return quantize_linear(in[0], in[1], in[2]); })),
              ElementsAreArray<double>({1926258176, -2147483648., 0, 2147483647}));
  EXPECT_THAT(
      elements(run({list(f32, {-1, 1e30}), scale, filled(u32, {}, [](int64_t) { return 0x1p32 - 1; })},
                   [](const auto& in) { return quantize_linear(in[0], in[1], in[2]); })),
      ElementsAreArray<double>({0x1p32 - 2, 0x1p32 - 1}));
  EXPECT_THAT(elements(run({list(f32, {1}), scale, filled(i32, {}, [](int64_t) { return 16777216; })},
                           [](const auto& in) { return quantize_linear(in[0], in[1], in[2]); })),
              ElementsAre(16777217));
}

TEST_P(Quantization, PerAxisAndPerBlock) {
  const HostTensor x = filled(f32, {2, 3, 2}, [](int64_t i) { return static_cast<double>(i) - 5; });
  const auto both = [&](const HostTensor& scale, const HostTensor& zero, const QuantizationGroups& groups) {
    return elements(run({x, scale, zero}, [&](const auto& in) {
      return dequantize_linear(quantize_linear(in[0], in[1], in[2], u8, groups), in[1], in[2], groups);
    }));
  };
  // After quantization and dequantization, each element is the nearest multiple of its scale that the
  // integers have.
  EXPECT_THAT(both(list(f32, {1, 2, 4}), list(i8, {0, 1, 2}), {}),
              ElementsAreArray<double>({-5, -4, -4, -2, 0, 0, 1, 2, 4, 4, 4, 8}));
  EXPECT_THAT(both(list(f32, {8, 2}), list(i8, {0, 1}), {.axis = -1}),
              ElementsAreArray<double>({-8, -4, 0, -2, 0, 0, 0, 2, 0, 4, 8, 6}));
  EXPECT_THAT(both(filled(f32, {2, 2, 2}, [](int64_t i) { return std::ldexp(1, static_cast<int>(i % 4)); }),
                   filled(i8, {2, 2, 2}, [](int64_t i) { return static_cast<double>(i); }),
                   {.axis = 1, .block_size = 2}),
              ElementsAreArray<double>({-5, -4, -3, -2, 0, 0, 1, 2, 3, 4, 4, 8}));
  EXPECT_THAT(both(filled(f32, {2, 1, 2}, [](int64_t) { return 4; }),
                   filled(i8, {2, 1, 2}, [](int64_t) { return 0; }), {.axis = 1, .block_size = INT64_MAX}),
              ElementsAreArray<double>({-4, -4, -4, 0, 0, 0, 0, 0, 4, 4, 4, 8}));
}

TEST_P(Quantization, DynamicRangeIncludesZero) {
  const auto of = [&](const std::vector<double>& x, int which) {
    return elements(run({list(f32, x)}, [&](const auto& in) {
      const onnx_ops::DynamicallyQuantized q = onnx_ops::dynamic_quantize_linear(in[0]);
      return which == 0   ? q.y
             : which == 1 ? cast(q.zero_point, {.dtype = i32})
                          : cast(q.scale * 255, {.dtype = i32});
    }));
  };
  EXPECT_THAT(of({-1, 0, 1, 4}, 0), ElementsAreArray<double>({0, 51, 102, 255}));
  EXPECT_THAT(of({-1, 0, 1, 4}, 1), ElementsAre(51));
  EXPECT_THAT(of({1, 5}, 0), ElementsAre(51, 255));
  EXPECT_THAT(of({1, 5}, 1), ElementsAre(0));
  EXPECT_THAT(of({-1, -5}, 0), ElementsAre(204, 0));
  EXPECT_THAT(of({0, 0}, 0), ElementsAre(0, 0));
  EXPECT_THAT(of({0, 0}, 2), ElementsAre(1));
}

// The sums of products of k terms, modulo 2^32, which no rounding may change. Row 0 has the largest numbers.
// Row 1 alternates, so that its parts cancel. The parts of row 2 have the largest sums in which the last bit
// counts.
TEST_P(Quantization, ProductsOfIntegersAreExact) {
  for (const int64_t k : {1, 258, 259, 4112, 4113, 33000, 65536}) {
    const HostTensor a = filled(u8, {3, k}, [&](int64_t i) {
      if (i < k) return 255;
      if (i < 2 * k) return i % 2 ? 255 : 0;
      return i == 3 * k - 1 ? 30 : 0;
    });
    const HostTensor b = filled(i8, {k, 3}, [](int64_t i) {
      return i % 3 == 0 ? 127 : i % 3 == 1 ? -128 : static_cast<double>((i * 29) % 255 - 127);
    });
    const HostTensor a_zero = list(u8, {0, 128, 255}), b_zero = list(i8, {-128, 127, 3});
    const HostTensor y = run({a, b, a_zero, b_zero}, [](const auto& in) {
      return onnx_ops::matmul_integer({in[0], in[2]}, {in[1], in[3]});
    });
    ASSERT_EQ(y.type(), (TensorType{i32, {3, 3}}));
    for (int64_t m = 0; m < 3; ++m)
      for (int64_t n = 0; n < 3; ++n) {
        int64_t sum = 0;
        for (int64_t i = 0; i < k; ++i)
          sum += static_cast<int64_t>((a.at(m * k + i) - a_zero.at(m)) * (b.at(i * 3 + n) - b_zero.at(n)));
        EXPECT_EQ(y.as<int32_t>()[static_cast<size_t>(m * 3 + n)],
                  static_cast<int32_t>(static_cast<uint64_t>(sum)))
            << k << " terms, row " << m << ", column " << n;
      }
  }
}

TEST_P(Quantization, ConvolutionsOfIntegersAreExact) {
  for (const int64_t channels : {2, 40, 500}) {
    const HostTensor x =
        filled(u8, {1, 2 * channels, 4, 4}, [](int64_t i) { return static_cast<double>((i * 53) % 256); });
    const HostTensor w =
        filled(i8, {4, channels, 3, 3}, [](int64_t i) { return static_cast<double>((i * 31) % 256 - 128); });
    const HostTensor x_zero = filled(u8, {}, [](int64_t) { return 7; }), w_zero = list(i8, {-128, 0, 5, 127});
    const HostTensor y = run({x, w, x_zero, w_zero}, [](const auto& in) {
      return onnx_ops::conv_integer({in[0], in[2]}, {in[1], in[3]}, {.padding = {1, 1}, .groups = 2});
    });
    ASSERT_EQ(y.type(), (TensorType{i32, {1, 4, 4, 4}}));
    for (int64_t o = 0; o < 4; ++o)
      for (int64_t p = 0; p < 16; ++p) {
        int64_t sum = 0;
        for (int64_t c = 0; c < channels; ++c)
          for (int64_t q = 0; q < 9; ++q) {
            const int64_t r = p / 4 + q / 3 - 1, s = p % 4 + q % 3 - 1;
            if (r < 0 || r > 3 || s < 0 || s > 3) continue;
            sum += static_cast<int64_t>((x.at(((o / 2 * channels + c) * 4 + r) * 4 + s) - 7) *
                                        (w.at((o * channels + c) * 9 + q) - w_zero.at(o)));
          }
        EXPECT_EQ(y.at(o * 16 + p), static_cast<double>(sum))
            << channels << " channels, filter " << o << ", pixel " << p;
      }
  }
}

TEST_P(Quantization, ProductsAsIntegers) {
  const HostTensor a = filled(i8, {2, 2}, [](int64_t i) { return static_cast<double>(i + 1); }),
                   b = filled(i8, {2, 2}, [](int64_t i) { return static_cast<double>(2 * i - 1); });
  const HostTensor row_scale = list(f32, {1, 0.5}), column_scale = list(f32, {1, 2}), scale = list(f32, {4}),
                   zero = list(u8, {10});
  // The products are [5, 11] and [9, 23], and a tie goes to the even number: 11 * 2 / 4 = 5.5, and 9 * 0.5 /
  // 4 = 1.125.
  EXPECT_THAT(elements(run({a, row_scale, b, column_scale, scale, zero},
                           [](const auto& in) {
                             return onnx_ops::qlinear_matmul({in[0], {}}, in[1], {in[2], {}}, in[3],
                                                             {in[4], in[5]});
                           })),
              ElementsAreArray<double>({11, 16, 11, 16}));
  const HostTensor x = filled(u8, {1, 2, 2}, [](int64_t i) { return static_cast<double>(i + 1); }),
                   w = filled(u8, {2, 2, 1}, [](int64_t i) { return static_cast<double>(i); });
  const HostTensor bias = list(i32, {100, -100}), one = list(f32, {1}), none = list(u8, {0});
  // The products are [3, 4] and [11, 16]; the second filter's scale is 2.
  EXPECT_THAT(elements(run({x, one, w, column_scale, one, none, bias},
                           [](const auto& in) {
                             return onnx_ops::qlinear_conv({in[0], in[5]}, in[1], {in[2], {}}, in[3],
                                                           {in[4], in[5]}, in[6]);
                           })),
              ElementsAreArray<double>({103, 104, 0, 0}));
}

// The sum of the products, 520,200, is no f16, and neither is the product of the scales.
TEST_P(Quantization, ProductsWithScalesOfSixteenBits) {
  const HostTensor a = filled(u8, {1, 8}, [](int64_t) { return 255; }),
                   b = filled(u8, {8, 1}, [](int64_t) { return 255; });
  const HostTensor none = list(u8, {0});
  for (const DType type : {f16, bf16}) {
    const HostTensor small = list(type, {0x1p-13}), one = list(type, {0x1p-12});
    EXPECT_THAT(elements(run({a, small, b, small, one, none},
                             [](const auto& in) {
                               return onnx_ops::qlinear_matmul({in[0], in[5]}, in[1], {in[2], in[5]}, in[3],
                                                               {in[4], in[5]});
                             })),
                ElementsAre(32))
        << name_of(type);  // 520200 2^-26 2^12 = 31.75
  }
}

// The values equal the values of the integers bit for bit. The gradient passes where the rounded number is in
// the range.
TEST_P(Quantization, FakeQuantizationIsThatOfIntegersWithAGradient) {
  HostTensor x({f32, {2, 4096}});
  for (int64_t i = 0; i < x.elements(); ++i)
    x.set(i, 70 * std::sin(static_cast<double>(i)) / std::pow(2, i % 7));
  x.set(0, 0);
  x.set(1, -0.0);
  x.set(2, 1e-30);
  x.set(3, -63.7);
  x.set(4, -63.8);
  x.set(5, 64.2);
  x.set(6, 64.3);
  const HostTensor scale = list(f32, {0.5, 0.25}), zero = list(i8, {-1, 5});
  Graph g;
  const Tensor w = g.variable("w", f32, x.shape(), Initializer::zeros());
  const Tensor s = g.variable("s", f32, {2}, Initializer::zeros());
  const Tensor z = g.input("z", i8, {2}, {.batch_dimension = std::nullopt});
  const QuantizationGroups rows = {.axis = 0};
  const Tensor y = fake_quantize(w, s, z, {}, rows);
  g.output("y", y);
  g.output("want", dequantize_linear(quantize_linear(w, s, z, i8, rows), s, z, rows));
  g.minimize(sum(y * 3), {.learning_rate = 0});
  Session session = compile(g, {.devices = device(), .gradients = true});
  session.set_variable("w", x);
  session.set_variable("s", scale);
  const Outputs out = session.train({{"z", zero}});
  EXPECT_EQ(out["y"], out["want"]);
  double of_scale[2] = {};
  for (int64_t i = 0; i < x.elements(); ++i) {
    const int64_t row = i / 4096;
    const double steps = x.at(i) / scale.at(row), integer = std::nearbyint(steps) + zero.at(row);
    const bool inside = integer >= -128 && integer <= 127;
    EXPECT_EQ(out["gradient:w"].at(i), inside ? 3 : 0) << x.at(i);
    of_scale[row] += 3 * (std::fmin(std::fmax(integer, -128), 127) - zero.at(row) - (inside ? steps : 0));
  }
  for (int64_t row = 0; row < 2; ++row)
    EXPECT_NEAR(out["gradient:s"].at(row), of_scale[row], 1e-4 * std::fabs(of_scale[row])) << row;
}

TEST(FakeQuantization, KeepsNanAndSmallNumbers) {
  Graph g;
  g.output("y", fake_quantize(g.constant(HostTensor({3}, {NAN, 1e-30f, 1e30f})),
                              g.constant(HostTensor::scalar(0.5f)), {}, {.low = 0, .high = 15}));
  const HostTensor y = compile(g, {.devices = "reference:0"}).run("evaluate", {})["y"];
  EXPECT_TRUE(std::isnan(y.at(0)));
  EXPECT_LT(std::fabs(y.at(1)), 1e-29);
  EXPECT_EQ(y.at(2), 7.5);
}

TEST(QuantizationErrors, NameTheFunctionAndAddNothing) {
  Graph g;
  const auto input = [&](const char* name, DType type, const Shape& shape) {
    return g.input(name, type, shape);
  };
  const Tensor x = input("x", f32, {2, 3}), s = input("s", f32, {}), s4 = input("s4", f32, {4}),
               d = input("d", f64, {}), q = input("q", i8, {2, 3}), r = input("r", i8, {3, 2}),
               z = input("z", i8, {}), u = input("u", u8, {}), z3 = input("z3", i8, {3}),
               wide = input("wide", i64, {2, 3}), images = input("images", i8, {1, 2, 3, 3}),
               filters = input("filters", i8, {4, 2, 1, 1}), long_row = input("long", i8, {1, 65537});
  const std::string before = g.text();
  EXPECT_ERROR_HERE("quantize_linear of 2x3xf32 needs a scale of the same type", quantize_linear(x, d));
  EXPECT_ERROR_HERE("a floating-point scale, not i8", quantize_linear(x, z));
  EXPECT_ERROR_HERE("the result i64", quantize_linear(x, s, {}, i64));
  EXPECT_ERROR_HERE("one scale and zero point per index of axis 1, not 4xf32", quantize_linear(x, s4));
  EXPECT_ERROR_HERE("an axis from -2 to 1, not 2", quantize_linear(x, s4, {}, u8, {.axis = 2}));
  EXPECT_ERROR_HERE("a block size that is not negative", quantize_linear(x, s, {}, u8, {.block_size = -1}));
  EXPECT_ERROR_HERE("one scale and zero point per block, of the shape [2, 2]",
                    quantize_linear(x, s4, {}, u8, {.block_size = 2}));
  EXPECT_ERROR_HERE("dequantize_linear of 2x3xi64 needs integers of i8", dequantize_linear(wide, s));
  EXPECT_ERROR_HERE("a zero point of their type, not u8", dequantize_linear(q, s, u));
  EXPECT_ERROR_HERE("dynamic_quantize_linear of 2x3xi8 needs a floating-point type",
                    onnx_ops::dynamic_quantize_linear(q));
  EXPECT_ERROR_HERE("fake_quantize of 2x3xi8 needs f32 or f64", fake_quantize(q, s));
  EXPECT_ERROR_HERE("a scale of the same type, an integer zero point, and low < high", fake_quantize(x, d));
  EXPECT_ERROR_HERE("an integer zero point", fake_quantize(x, s, s));
  EXPECT_ERROR_HERE("low < high", fake_quantize(x, s, {}, {.low = 1, .high = 1}));
  EXPECT_ERROR_HERE("low < high", fake_quantize(x, s, {}, {.low = INT64_MIN, .high = 1}));
  EXPECT_ERROR_HERE("low < high", fake_quantize(x, s, {}, {.high = INT64_MAX}));
  EXPECT_ERROR_HERE("matmul_integer of 2x3xf32 needs i8 or u8", onnx_ops::matmul_integer({x, {}}, {r, {}}));
  EXPECT_ERROR_HERE("a zero point of the same type, not u8", onnx_ops::matmul_integer({q, u}, {r, {}}));
  EXPECT_ERROR_HERE("matmul_integer of i8 needs rank 2", onnx_ops::matmul_integer({z, {}}, {r, {}}));
  EXPECT_ERROR_HERE("C2", onnx_ops::matmul_integer({q, {}}, {q, {}}));
  EXPECT_ERROR_HERE("sums of at most 65,536 products, not of 65537",
                    onnx_ops::matmul_integer({long_row, {}}, {r, {}}));
  EXPECT_ERROR_HERE("'cutset.sub'", onnx_ops::matmul_integer({q, z3}, {r, {}}));
  EXPECT_ERROR_HERE("empty Tensor", onnx_ops::matmul_integer({q, {}}, {Tensor(), {}}));
  EXPECT_ERROR_HERE("one zero point of the images", onnx_ops::conv_integer({images, z3}, {filters, {}}));
  EXPECT_ERROR_HERE("one scale and one zero point of the result",
                    onnx_ops::qlinear_matmul({q, {}}, s, {r, {}}, s, {s4, z}));
  EXPECT_ERROR_HERE("a bias of i32 with one element per output channel",
                    onnx_ops::qlinear_conv({images, {}}, s, {filters, {}}, s, {s, z}, s4));
  EXPECT_EQ(g.text(), before);
}

}  // namespace
}  // namespace cutset
