// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ir/ops/elementwise/elementwise_rules.h"

namespace cutset::rules {
namespace {

Shape random_shape(PhiloxSequence& r) {
  Shape s(r.below(4));
  for (int64_t& d : s) d = 1 + static_cast<int64_t>(r.below(6));
  return s;
}
// Returns a random shape that broadcasts to `s`: some leading sizes are left out, and some sizes are 1.
Shape broadcastable(PhiloxSequence& r, Shape s) {
  s.erase(s.begin(), s.begin() + static_cast<int64_t>(r.below(s.size() + 1)));
  for (int64_t& d : s)
    if (r.below(3) == 0) d = 1;
  return s;
}

OpCases one(Fill fill, Case (*random)(PhiloxSequence&)) {
  auto of = [&](const char* name, Shape s) { return Case{name, {}, {{{f32, s}, fill}}}; };
  return {{of("scalar", {}), of("vector", {17}), of("image", {2, 3, 5, 4}), of("empty", {0, 3}),
           Case{"f64", {}, {{{f64, {3, 5}}, fill}}}},
          random};
}
OpCases two(Fill x, Fill y, bool ties, Case (*random)(PhiloxSequence&)) {
  auto of = [&](const char* name, Shape s, Shape t) {
    return Case{name, {}, {{{f32, s}, x, !ties}, {{f32, t}, y, !ties}}};
  };
  return {
      {of("same", {4, 7}, {4, 7}), of("row", {4, 7}, {7}), of("column", {4, 7}, {4, 1}),
       of("scalar", {3, 2}, {}), of("both ways", {4, 1, 3}, {2, 1}), of("channels", {2, 3, 4, 4}, {3, 1, 1}),
       of("empty", {0, 3}, {3}), Case{"f64", {}, {{{f64, {3, 5}}, x, !ties}, {{f64, {5}}, y, !ties}}}},
      random};
}
template <double kLow, double kHigh>
Case random_one(PhiloxSequence& r) {
  return {"random", {}, {{{f32, random_shape(r)}, uniform(kLow, kHigh)}}};
}
template <double kLow, double kHigh>
Case random_two(PhiloxSequence& r) {
  Shape s = random_shape(r);
  return {
      "random", {}, {{{f32, s}, uniform(kLow, kHigh)}, {{f32, broadcastable(r, s)}, uniform(kLow, kHigh)}}};
}
// Adds powers of negative numbers, with one exponent for all elements.
OpCases whole_powers(OpCases cases) {
  static const std::pair<const char*, double> kExponents[] = {{"to the power of 2", 2},
                                                              {"to the power of 3", 3},
                                                              {"to the power of 8", 8},
                                                              {"to the power of 9", 9},
                                                              {"to the power of -3", -3}};
  for (const auto& [name, exponent] : kExponents)
    cases.fixed.push_back({name,
                           {},
                           {{{f32, {4, 9}}, uniform(-2, -0.5)},
                            {{f32, {}}, integers(int64_t(exponent), int64_t(exponent)), false}}});
  return cases;
}
// An integer type with its smallest and its largest number.
struct Range {
  const char* name;
  DType type;
  double lowest, highest;
};
constexpr Range kRanges[] = {
    {"i8", i8, -128, 127},         {"i16", i16, -32768, 32767}, {"i32", i32, -2147483648., 2147483647.},
    {"i64", i64, -0x1p53, 0x1p53}, {"u8", u8, 0, 255},          {"u16", u16, 0, 65535},
    {"u32", u32, 0, 4294967295.},  {"u64", u64, 0, 0x1p53}};
// Adds problems with one operand per integer type: the smallest numbers of the type, and numbers around 0.
OpCases numbers_too(OpCases cases) {
  for (const Range& r : kRanges) {
    cases.fixed.push_back({r.name,
                           {},
                           {{{r.type, {9}}, {Fill::Kind::kIntegers, r.lowest, r.lowest + 3}, false}},
                           0,
                           0,
                           "exact"});
    const Fill small{Fill::Kind::kIntegers, std::max(r.lowest, -5.), 5};
    cases.fixed.push_back(
        {std::string(r.name) + " around 0", {}, {{{r.type, {3, 7}}, small, false}}, 0, 0, "exact"});
  }
  return cases;
}
// Adds problems with two operands per integer type. The second operand is in [low, high), as far as the type
// has these numbers. The first operand is near the smallest number of the type, near the largest number, or
// near 0.
void add_pairs(OpCases& cases, double low, double high) {
  for (const Range& r : kRanges) {
    const Fill y{Fill::Kind::kIntegers, std::max(r.lowest, low), high};
    const auto add = [&](const char* what, double from, double to) {
      const Fill x{Fill::Kind::kIntegers, from, to};
      cases.fixed.push_back({std::string(r.name) + what,
                             {},
                             {{{r.type, {9, 5}}, x, false}, {{r.type, {5}}, y, false}},
                             0,
                             0,
                             "exact"});
    };
    add("", r.lowest, r.lowest + 3);
    add(" large", r.highest - 3, r.highest);
    add(" near 0", std::max(r.lowest, -9.), 9);
  }
}
OpCases divided(OpCases cases) {
  add_pairs(cases, -3, 4);
  return cases;
}
Case random_bits(PhiloxSequence& r) {
  const Shape s = random_shape(r);
  return {"random",
          {},
          {{{i32, s}, integers(-1000, 1000), false}, {{i32, broadcastable(r, s)}, integers(0, 40), false}},
          0,
          0,
          "exact"};
}
// Returns problems with pairs of integers. The second integer is in [low, high).
OpCases bits(double low, double high, bool flags) {
  const auto flag = [](Shape s) { return Operand{{i1, std::move(s)}, integers(0, 2), false}; };
  OpCases cases{{}, random_bits};
  add_pairs(cases, low, high);
  if (flags) cases.fixed.push_back({"flags", {}, {flag({8, 4}), flag({4})}, 0, 0, "exact"});
  cases.fixed.push_back({"empty",
                         {},
                         {{{i32, {0, 3}}, integers(0, 9), false}, {{i32, {3}}, integers(0, 9), false}},
                         0,
                         0,
                         "exact"});
  return cases;
}
OpCases complements() {
  OpCases cases = numbers_too(
      {{}, [](PhiloxSequence& r) {
         return Case{"random", {}, {{{i64, random_shape(r)}, integers(-99, 99), false}}, 0, 0, "exact"};
       }});
  cases.fixed.push_back({"flags", {}, {{{i1, {2, 9}}, integers(0, 2), false}}, 0, 0, "exact"});
  cases.fixed.push_back({"empty", {}, {{{u8, {0, 3}}, integers(0, 2), false}}, 0, 0, "exact"});
  return cases;
}
// Returns a problem with two operands of an integer type whose sums, differences and products overflow.
Case wrapping(const char* name, DType type, double largest) {
  const Fill near{Fill::Kind::kIntegers, largest - 9, largest};
  return {name, {}, {{{type, {5, 3}}, near, false}, {{type, {3}}, near, false}}, 0, 0, "exact"};
}
OpCases integers_too(OpCases cases) {
  cases.fixed.push_back(wrapping("u8", u8, 255));
  cases.fixed.push_back(wrapping("i8", i8, 127));
  cases.fixed.push_back(wrapping("i16", i16, 32767));
  cases.fixed.push_back(wrapping("u16", u16, 65535));
  cases.fixed.push_back(wrapping("u32", u32, 4294967295.));
  cases.fixed.push_back(
      {"u64", {}, {{{u64, {8}}, integers(0, 9), false}, {{u64, {}}, integers(1, 9), false}}, 0, 0, "exact"});
  cases.fixed.push_back({"i32",
                         {},
                         {{{i32, {5, 3}}, integers(-9, 9), false}, {{i32, {3}}, integers(-9, 9), false}},
                         0,
                         0,
                         "exact"});
  cases.fixed.push_back({"i64",
                         {},
                         {{{i64, {8}}, integers(-9, 9), false}, {{i64, {}}, integers(-9, 9), false}},
                         0,
                         0,
                         "exact"});
  return cases;
}
OpCases compared() {
  Operand x{{i32, {6, 5}}, integers(0, 3), false}, y{{i32, {5}}, integers(0, 3), false};
  Operand above{{u32, {4, 5}}, {Fill::Kind::kIntegers, 2147483646., 2147483650.}, false};
  Operand tiny{{i8, {4, 5}}, integers(-2, 2), false};
  Operand below{{i16, {4, 5}}, integers(-2, 2), false};
  OpCases cases{
      {{"i32 with ties", {}, {x, y}, 0, 0, "exact"},
       {"u32 above 2^31", {}, {above, above}, 0, 0, "exact"},
       {"i8 around 0", {}, {tiny, tiny}, 0, 0, "exact"},
       {"i16 around 0", {}, {below, below}, 0, 0, "exact"}},
      [](PhiloxSequence& r) {
        Shape s = random_shape(r);
        return Case{"random",
                    {},
                    {{{f32, s}, integers(0, 3), false}, {{f32, broadcastable(r, s)}, integers(0, 3), false}},
                    0,
                    0,
                    "exact"};
      }};
  return cases;
}
OpCases selected() {
  return {
      {{"same", {}, {{{i1, {4, 3}}, integers(0, 2), false}, {{f32, {4, 3}}}, {{f32, {4, 3}}}}, 0, 0, "exact"},
       {"broadcast", {}, {{{i1, {4, 1}}, integers(0, 2), false}, {{f32, {3}}}, {{f32, {}}}}, 0, 0, "exact"}},
      [](PhiloxSequence& r) {
        Shape s = random_shape(r);
        return Case{
            "random",
            {},
            {{{i1, broadcastable(r, s)}, integers(0, 2), false}, {{f32, s}}, {{f32, broadcastable(r, s)}}},
            0,
            0,
            "exact"};
      }};
}

}  // namespace

#define CASES(op, expression)            \
  namespace op {                         \
  OpCases cases() { return expression; } \
  }
CASES(neg, numbers_too(one(normal(), random_one<-2., 2.>)))
CASES(square, numbers_too(one(normal(), random_one<-2., 2.>)))
CASES(abs, numbers_too(one(distinct(), random_one<0.1, 2.>)))
CASES(sign, numbers_too(one(distinct(), random_one<0.1, 2.>)))
CASES(floor, one(uniform(-3, 3), random_one<-20., 20.>))
CASES(ceil, one(uniform(-3, 3), random_one<-20., 20.>))
CASES(round, one(uniform(-3, 3), random_one<-20., 20.>))
CASES(reciprocal, one(uniform(0.5, 2), random_one<-2., -0.5>))
CASES(rsqrt, one(uniform(0.1, 4), random_one<0.1, 4.>))
CASES(expm1, one(normal(), random_one<-2., 2.>))
CASES(log1p, one(uniform(-0.9, 4), random_one<-0.9, 4.>))
CASES(sin, one(normal(), random_one<-100., 100.>))
CASES(cos, one(normal(), random_one<-100., 100.>))
CASES(tan, one(uniform(-1.4, 1.4), random_one<-1.2, 1.2>))
CASES(asin, one(uniform(-0.9, 0.9), random_one<-0.9, 0.9>))
CASES(acos, one(uniform(-0.9, 0.9), random_one<-0.9, 0.9>))
CASES(atan, one(normal(), random_one<-9., 9.>))
CASES(sinh, one(normal(), random_one<-3., 3.>))
CASES(cosh, one(normal(), random_one<-3., 3.>))
CASES(asinh, one(normal(), random_one<-9., 9.>))
CASES(acosh, one(uniform(1.1, 4), random_one<1.1, 9.>))
CASES(atanh, one(uniform(-0.9, 0.9), random_one<-0.9, 0.9>))
CASES(erf, one(normal(), random_one<-3., 3.>))
CASES(softplus, one(normal(), random_one<-20., 20.>))
CASES(gelu, one(normal(), random_one<-6., 6.>))
CASES(silu, one(normal(), random_one<-20., 20.>))
CASES(exp, one(normal(), random_one<-2., 2.>))
CASES(log, one(uniform(0.1, 4), random_one<0.1, 4.>))
CASES(sqrt, one(uniform(0.1, 4), random_one<0.1, 4.>))
CASES(tanh, one(normal(), random_one<-2., 2.>))
CASES(sigmoid, one(normal(), random_one<-2., 2.>))
CASES(relu, numbers_too(one(distinct(), random_one<0.1, 2.>)))
CASES(add, integers_too(two(normal(), normal(), false, random_two<-2., 2.>)))
CASES(sub, integers_too(two(normal(), normal(), false, random_two<-2., 2.>)))
CASES(mul, integers_too(two(normal(), normal(), false, random_two<-2., 2.>)))
CASES(maximum, integers_too(two(normal(), uniform(-1, 1), false, random_two<-2., 2.>)))
CASES(minimum, integers_too(two(normal(), uniform(-1, 1), false, random_two<-2., 2.>)))
CASES(div, divided(two(normal(), uniform(0.5, 2), false, random_two<0.5, 2.>)))
CASES(mod, divided(two(normal(), uniform(0.5, 2), false, random_two<0.5, 2.>)))
CASES(fmod, divided(two(normal(), uniform(-2, -0.5), false, random_two<0.5, 2.>)))
CASES(pow, whole_powers(divided(two(uniform(0.5, 2), normal(), false, random_two<0.5, 2.>))))
CASES(atan2, not_exported(two(normal(), normal(), false, random_two<0.5, 2.>), "ONNX has no Atan2"))
CASES(prelu, selecting(two(distinct(), normal(), false, random_two<-2., -0.1>)))
CASES(elu, selecting(two(distinct(), normal(), false, random_two<-2., -0.1>)))
CASES(gelu_backward, two(normal(), normal(), true, random_two<-2., 2.>))
CASES(silu_backward, two(normal(), normal(), true, random_two<-2., 2.>))
CASES(bitwise_and, bits(-9, 9, true))
CASES(bitwise_or, bits(-9, 9, true))
CASES(bitwise_xor, bits(-9, 9, true))
CASES(bitwise_not, complements())
CASES(shift_left, bits(-2, 70, false))
CASES(shift_right, bits(-2, 70, false))
CASES(relu_backward, selecting(two(normal(), distinct(), true, random_two<-2., 2.>)))
CASES(tanh_backward, two(normal(), uniform(-1, 1), true, random_two<-1., 1.>))
CASES(sigmoid_backward, two(normal(), uniform(0, 1), true, random_two<0., 1.>))
CASES(equal, compared())
CASES(not_equal, compared())
CASES(less, compared())
CASES(less_equal, compared())
CASES(greater, compared())
CASES(greater_equal, compared())
CASES(where, selecting(selected()))

}  // namespace cutset::rules
