// SPDX-License-Identifier: Apache-2.0
// Tests FlatAttrs::pack for every kind of attribute, and the key of problems.
#include "ir/core/attributes.h"

#include <gtest/gtest.h>

#include "ir/core/abi_types.h"
#include "ir/core/op/problem_key.h"

namespace cutset {
namespace {

// A flat struct with one member of each kind.
struct Flat {
  uint32_t size;
  int64_t integer;
  double number;
  uint8_t flag;
  cutset_i64s integers;
  int32_t type;
  cutset_string text;
  cutset_f64s numbers;
  int32_t word;
};

AttrSchema schema() {
  return {sizeof(Flat),
          {{"integer", AttrKind::kI64, offsetof(Flat, integer), true, AttrValue(int64_t{0})},
           {"number", AttrKind::kF64, offsetof(Flat, number), false, AttrValue(0.5)},
           {"flag", AttrKind::kBool, offsetof(Flat, flag), false, AttrValue(true)},
           {"integers", AttrKind::kI64s, offsetof(Flat, integers), false, AttrValue(IntList{1, 2})},
           {"type", AttrKind::kDType, offsetof(Flat, type), false, AttrValue(DType::u16)},
           {"text", AttrKind::kString, offsetof(Flat, text), false, AttrValue(std::string("ij,jk->ik"))},
           {"numbers", AttrKind::kF64s, offsetof(Flat, numbers), false, AttrValue(FloatList{0.25})},
           {"word",
            AttrKind::kEnum,
            offsetof(Flat, word),
            false,
            AttrValue(std::string("edge")),
            {"constant", "edge"}}}};
}
const Flat& flat(const FlatAttrs& packed) { return *static_cast<const Flat*>(packed.data()); }
std::string text_of(const cutset_string& s) { return {s.data, s.size}; }

TEST(FlatAttrs, AbsentAttributesHaveTheirDefaults) {
  const auto packed = FlatAttrs::pack(schema(), {{"integer", int64_t{7}}});
  ASSERT_TRUE(packed.ok()) << packed.error().text();
  const Flat& f = flat(*packed);
  EXPECT_EQ(f.size, sizeof(Flat));
  EXPECT_EQ(f.integer, 7);
  EXPECT_EQ(f.number, 0.5);
  EXPECT_EQ(f.flag, 1);
  ASSERT_EQ(f.integers.size, 2u);
  EXPECT_EQ(f.integers.data[1], 2);
  EXPECT_EQ(f.type, CUTSET_U16);
  EXPECT_EQ(text_of(f.text), "ij,jk->ik");
  ASSERT_EQ(f.numbers.size, 1u);
  EXPECT_EQ(f.numbers.data[0], 0.25);
  EXPECT_EQ(f.word, 1);
}

TEST(FlatAttrs, GivenAttributesReplaceThem) {
  const std::string text("a\0b", 3);
  auto packed = FlatAttrs::pack(schema(), {{"numbers", FloatList{1, -2, 1e308}},
                                           {"text", text},
                                           {"word", std::string("constant")},
                                           {"integers", IntList{}},
                                           {"integer", int64_t{-1}}});
  ASSERT_TRUE(packed.ok()) << packed.error().text();
  const FlatAttrs moved = *std::move(packed);  // the lists must not move in memory
  const Flat& f = flat(moved);
  ASSERT_EQ(f.numbers.size, 3u);
  EXPECT_EQ(f.numbers.data[2], 1e308);
  EXPECT_EQ(text_of(f.text), text);
  EXPECT_EQ(f.word, 0);
  EXPECT_EQ(f.integers.size, 0u);
}

std::string refusal(Attributes attributes) {
  attributes.emplace_back("integer", int64_t{1});
  const auto packed = FlatAttrs::pack(schema(), std::move(attributes));
  return packed.ok() ? "accepted" : packed.error().what;
}

TEST(FlatAttrs, WrongAttributesAreRefused) {
  EXPECT_EQ(refusal({}), "accepted");
  EXPECT_EQ(refusal({{"word", std::string("wrap")}}),
            "attribute 'word' is 'wrap'; it must be one of 'constant', 'edge'");
  EXPECT_EQ(refusal({{"word", std::string("\x1b[31m")}}),
            "attribute 'word' is another text; it must be one of 'constant', 'edge'");
  EXPECT_EQ(refusal({{"word", int64_t{0}}}), "attribute 'word' has the wrong kind");
  EXPECT_EQ(refusal({{"text", IntList{1}}}), "attribute 'text' has the wrong kind");
  EXPECT_EQ(refusal({{"numbers", IntList{1}}}), "attribute 'numbers' has the wrong kind");
  EXPECT_EQ(refusal({{"type", static_cast<DType>(13)}}), "attribute 'type' is not an element type");
  EXPECT_EQ(refusal({{"other", std::string()}}), "unknown attribute 'other'");
  EXPECT_FALSE(FlatAttrs::pack(schema(), {}).ok());
}

TEST(ProblemKey, EveryKindOfAttributeCounts) {
  const std::vector<AttrValue> values = {int64_t{1},
                                         1.0,
                                         true,
                                         IntList{1},
                                         DType::bf16,
                                         std::string(),
                                         std::string("a"),
                                         std::string("b"),
                                         FloatList{},
                                         FloatList{0.0},
                                         FloatList{-0.0},
                                         FloatList{0.0, 0.0}};
  const auto key = [](const AttrValue& v) { return ProblemKey{nullptr, {{"a", v}}, {}, {}}; };
  for (size_t i = 0; i < values.size(); ++i)
    for (size_t j = 0; j < values.size(); ++j)
      EXPECT_EQ(key(values[i]) == key(values[j]), i == j) << i << " " << j;
  const ProblemHash hash;
  EXPECT_NE(hash(key(std::string("a"))), hash(key(std::string("b"))));
  EXPECT_NE(hash(key(FloatList{0.0})), hash(key(FloatList{-0.0})));
}

}  // namespace
}  // namespace cutset
