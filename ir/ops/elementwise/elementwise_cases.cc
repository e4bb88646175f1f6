#include "ir/ops/elementwise/elementwise_rules.h"

namespace cutset::rules {
namespace {

Shape random_shape(PhiloxSequence& r) {
  Shape s(r.below(4));
  for (int64_t& d : s) d = 1 + static_cast<int64_t>(r.below(6));
  return s;
}
// A random shape that broadcasts to `s`: without some of the leading sizes, and with some sizes set to 1.
Shape broadcastable(PhiloxSequence& r, Shape s) {
  s.erase(s.begin(), s.begin() + static_cast<int64_t>(r.below(s.size() + 1)));
  for (int64_t& d : s)
    if (r.below(3) == 0) d = 1;
  return s;
}

OpCases one(Fill fill, Case (*random)(PhiloxSequence&)) {
  auto of = [&](const char* name, Shape s) { return Case{name, {}, {{{f32, s}, fill}}}; };
  return {{of("scalar", {}), of("vector", {17}), of("image", {2, 3, 5, 4}), of("empty", {0, 3})}, random};
}
OpCases two(Fill x, Fill y, bool ties, Case (*random)(PhiloxSequence&)) {
  auto of = [&](const char* name, Shape s, Shape t) {
    return Case{name, {}, {{{f32, s}, x, !ties}, {{f32, t}, y, !ties}}};
  };
  return {{of("same", {4, 7}, {4, 7}), of("row", {4, 7}, {7}), of("column", {4, 7}, {4, 1}), of("scalar", {3, 2}, {}),
           of("both ways", {4, 1, 3}, {2, 1}), of("channels", {2, 3, 4, 4}, {3, 1, 1}), of("empty", {0, 3}, {3})},
          random};
}
template <double kLow, double kHigh>
Case random_one(PhiloxSequence& r) {
  return {"random", {}, {{{f32, random_shape(r)}, uniform(kLow, kHigh)}}};
}
template <double kLow, double kHigh>
Case random_two(PhiloxSequence& r) {
  Shape s = random_shape(r);
  return {"random", {}, {{{f32, s}, uniform(kLow, kHigh)}, {{f32, broadcastable(r, s)}, uniform(kLow, kHigh)}}};
}
// Two operands of an integer type whose sums, differences and products overflow.
Case wrapping(const char* name, DType type, double largest) {
  const Fill near{Fill::Kind::kIntegers, largest - 9, largest};
  return {name, {}, {{{type, {5, 3}}, near, false}, {{type, {3}}, near, false}}, 0, 0, "exact"};
}
OpCases integers_too(OpCases cases) {
  cases.fixed.push_back(wrapping("u8", u8, 255));
  cases.fixed.push_back(wrapping("i16", i16, 32767));
  cases.fixed.push_back(wrapping("u16", u16, 65535));
  cases.fixed.push_back(wrapping("u32", u32, 4294967295.));
  cases.fixed.push_back(
      {"u64", {}, {{{u64, {8}}, integers(0, 9), false}, {{u64, {}}, integers(1, 9), false}}, 0, 0, "exact"});
  cases.fixed.push_back(
      {"i32", {}, {{{i32, {5, 3}}, integers(-9, 9), false}, {{i32, {3}}, integers(-9, 9), false}}, 0, 0, "exact"});
  cases.fixed.push_back(
      {"i64", {}, {{{i64, {8}}, integers(-9, 9), false}, {{i64, {}}, integers(-9, 9), false}}, 0, 0, "exact"});
  return cases;
}
OpCases compared() {
  Operand x{{i32, {6, 5}}, integers(0, 3), false}, y{{i32, {5}}, integers(0, 3), false};
  Operand above{{u32, {4, 5}}, {Fill::Kind::kIntegers, 2147483646., 2147483650.}, false};
  Operand below{{i16, {4, 5}}, integers(-2, 2), false};
  OpCases cases{
      {{"i32 with ties", {}, {x, y}, 0, 0, "exact"},
       {"u32 above 2^31", {}, {above, above}, 0, 0, "exact"},
       {"i16 around 0", {}, {below, below}, 0, 0, "exact"}},
      [](PhiloxSequence& r) {
        Shape s = random_shape(r);
        return Case{
            "random", {}, {{{f32, s}, integers(0, 3), false}, {{f32, broadcastable(r, s)}, integers(0, 3), false}},
            0,        0,  "exact"};
      }};
  return cases;
}
OpCases selected() {
  return {{{"same", {}, {{{i1, {4, 3}}, integers(0, 2), false}, {{f32, {4, 3}}}, {{f32, {4, 3}}}}, 0, 0, "exact"},
           {"broadcast", {}, {{{i1, {4, 1}}, integers(0, 2), false}, {{f32, {3}}}, {{f32, {}}}}, 0, 0, "exact"}},
          [](PhiloxSequence& r) {
            Shape s = random_shape(r);
            return Case{"random",
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
CASES(neg, one(normal(), random_one<-2., 2.>))
CASES(exp, one(normal(), random_one<-2., 2.>))
CASES(log, one(uniform(0.1, 4), random_one<0.1, 4.>))
CASES(sqrt, one(uniform(0.1, 4), random_one<0.1, 4.>))
CASES(tanh, one(normal(), random_one<-2., 2.>))
CASES(sigmoid, one(normal(), random_one<-2., 2.>))
CASES(relu, one(distinct(), random_one<0.1, 2.>))
CASES(add, integers_too(two(normal(), normal(), false, random_two<-2., 2.>)))
CASES(sub, integers_too(two(normal(), normal(), false, random_two<-2., 2.>)))
CASES(mul, integers_too(two(normal(), normal(), false, random_two<-2., 2.>)))
CASES(maximum, integers_too(two(normal(), uniform(-1, 1), false, random_two<-2., 2.>)))
CASES(minimum, integers_too(two(normal(), uniform(-1, 1), false, random_two<-2., 2.>)))
CASES(div, two(normal(), uniform(0.5, 2), false, random_two<0.5, 2.>))
CASES(relu_backward, two(normal(), distinct(), true, random_two<-2., 2.>))
CASES(tanh_backward, two(normal(), uniform(-1, 1), true, random_two<-1., 1.>))
CASES(sigmoid_backward, two(normal(), uniform(0, 1), true, random_two<0., 1.>))
CASES(equal, compared())
CASES(not_equal, compared())
CASES(less, compared())
CASES(less_equal, compared())
CASES(greater, compared())
CASES(greater_equal, compared())
CASES(where, selected())

}  // namespace cutset::rules
