// SPDX-License-Identifier: Apache-2.0
// Tests einsum: every equation against loops over all indices, gradients, and errors of equations.
#include <cutset/einsum.h>
#include <cutset/testing.h>
#include <gmock/gmock.h>

#include <cmath>
#include <map>

#include "frontends/cpp/functional/einsum_equation.h"
#include "tests/compositions.h"
#include "tests/errors.h"

namespace cutset {
namespace {

using ::testing::ElementsAre;

HostTensor numbers(DType type, const Shape& shape, int64_t seed) {
  HostTensor t({type, shape});
  for (int64_t i = 0; i < t.elements(); ++i)
    t.set(i, static_cast<double>((7 * i + 5 * seed) % 11 - (is_float(type) ? 5 : 0)));
  return t;
}

// Computes the sum by its definition: a loop over all values of all labels.
std::vector<double> by_loops(const std::string& equation, const std::vector<HostTensor>& operands) {
  std::vector<int> ranks;
  for (const HostTensor& t : operands) ranks.push_back(static_cast<int>(t.shape().size()));
  const EinsumEquation e = *parse_einsum(equation, ranks);
  std::map<int, int64_t> sizes, at;
  for (size_t i = 0; i < operands.size(); ++i)
    for (size_t d = 0; d < e.operands[i].size(); ++d) {
      int64_t& size = sizes[e.operands[i][d]];
      size = size <= 1 ? operands[i].shape()[d] : size;
    }
  const auto index = [&](const EinsumLabels& labels, const Shape& shape) {
    int64_t place = 0;
    for (size_t d = 0; d < labels.size(); ++d) place = place * shape[d] + (shape[d] == 1 ? 0 : at[labels[d]]);
    return place;
  };
  Shape shape;
  int64_t count = 1, all = 1;
  for (const int label : e.result) {
    shape.push_back(sizes[label]);
    count *= sizes[label];
  }
  for (const auto& [label, size] : sizes) all *= size;
  std::vector<double> sums(static_cast<size_t>(count), 0);
  for (int64_t n = 0; n < all; ++n) {
    int64_t rest = n;
    for (const auto& [label, size] : sizes) {
      at[label] = rest % size;
      rest /= size;
    }
    double product = 1;
    for (size_t i = 0; i < operands.size(); ++i)
      product *= operands[i].at(index(e.operands[i], operands[i].shape()));
    sums[static_cast<size_t>(index(e.result, shape))] += product;
  }
  return sums;
}

struct Sum {
  const char* equation;
  std::vector<Shape> operands;
};
const std::vector<Sum>& sums() {
  static const std::vector<Sum> all = {
      {"ij->ji", {{2, 3}}},
      {"ij", {{2, 3}}},
      {"ba", {{2, 3}}},
      {"Ba", {{2, 3}}},
      {"ij->", {{2, 3}}},
      {"ij->i", {{2, 3}}},
      {"ii", {{3, 3}}},
      {"ii->i", {{3, 3}}},
      {"...ii->...i", {{2, 3, 3}}},
      {"iji->j", {{3, 2, 3}}},
      {"iii->i", {{2, 2, 2}}},
      {"i,i", {{4}, {4}}},
      {"i,j->ij", {{2}, {3}}},
      {"i,j->ji", {{2}, {3}}},
      {"ij,jk", {{2, 3}, {3, 4}}},
      {"ij,jk->ki", {{2, 3}, {3, 4}}},
      {" i j , k j -> i k ", {{2, 3}, {4, 3}}},
      {"bij,bjk->bik", {{2, 3, 4}, {2, 4, 5}}},
      {"bij,jk->bik", {{2, 3, 4}, {4, 5}}},
      {"bij,bij->b", {{2, 3, 4}, {2, 3, 4}}},
      {"bsi,bsj->ij", {{2, 3, 4}, {2, 3, 5}}},
      {"bhqd,bhkd->bhqk", {{2, 2, 3, 4}, {2, 2, 5, 4}}},
      {"bqhd,bkhd->bhqk", {{2, 3, 2, 4}, {2, 5, 2, 4}}},
      {"...ij,...jk->...ik", {{2, 3, 4}, {2, 4, 5}}},
      {"...ij,...jk->...ik", {{2, 1, 3, 4}, {3, 4, 5}}},
      {"...ij,jk->...ik", {{2, 3, 4}, {4, 5}}},
      {"i...j,jk,...kl->...il", {{2, 1, 3}, {3, 4}, {5, 4, 2}}},
      {"i...,i...->...", {{3, 2}, {3, 1}}},
      {"...,...", {{2, 3}, {3}}},
      {",ij->ij", {{}, {2, 3}}},
      {"ij,ik,il->jkl", {{2, 3}, {2, 2}, {2, 4}}},
      {"ij,jk,kl->il", {{2, 3}, {3, 4}, {4, 2}}},
      {"ab,cd,ab->cd", {{2, 3}, {2, 2}, {2, 3}}},
      {"ijk,kl->ijl", {{2, 3, 0}, {0, 4}}},
      {"abc,bd->acd", {{2, 0, 3}, {0, 4}}},
      {"ab,bc->ac", {{0, 3}, {3, 2}}},
      {"ibj,ibk->bjk", {{3, 2, 2}, {3, 2, 4}}},
  };
  return all;
}

struct EinsumOf : testing::PerBackend {
  void compare(const Sum& s, DType type) {
    std::vector<HostTensor> held;
    for (const Shape& shape : s.operands)
      held.push_back(numbers(type, shape, static_cast<int64_t>(held.size())));
    const HostTensor y =
        testing::evaluated(device(), held, [&](const auto& in) { return einsum(s.equation, in); });
    const std::vector<double> want = by_loops(s.equation, held);
    ASSERT_EQ(y.elements(), static_cast<int64_t>(want.size())) << s.equation;
    for (int64_t i = 0; i < y.elements(); ++i)
      EXPECT_EQ(y.at(i), want[static_cast<size_t>(i)]) << s.equation << ", element " << i;
  }
};
CUTSET_INSTANTIATE_PER_BACKEND(EinsumOf);

// The operands are whole numbers, whose sums are exact.
TEST_P(EinsumOf, NumbersIsTheSumByItsDefinition) {
  for (const Sum& s : sums()) compare(s, f32);
}
TEST_P(EinsumOf, IntegersIsTheSumByItsDefinition) {
  for (const Sum& s : sums()) compare(s, i32);
}

// Elements off a diagonal are not read, even if they are NaN.
TEST(EinsumValues, OfADiagonalBesideNan) {
  Graph g;
  g.output("y", einsum("ii->i", {g.constant(HostTensor({2, 2}, {1.0f, NAN, NAN, 4.0f}))}));
  const HostTensor y = compile(g, {.devices = "reference:0"}).run("evaluate", {})["y"];
  EXPECT_EQ(y.at(0), 1);
  EXPECT_EQ(y.at(1), 4);
}

TEST(EinsumGradients, AgreeWithDifferences) {
  for (const Sum& s : sums()) {
    Graph g;
    std::vector<Tensor> operands;
    int64_t elements = 1;
    for (const Shape& shape : s.operands) {
      operands.push_back(
          g.variable("x" + std::to_string(operands.size()), f32, shape, Initializer::uniform(-1, 1)));
      elements *= operands.back().type().elements();
    }
    if (elements == 0) continue;
    const Tensor y = einsum(s.equation, operands);
    g.minimize(mean(y * y), {.learning_rate = 0.1});
    EXPECT_GRADIENTS(g) << s.equation;
  }
}

// A graph that was built for one batch size runs with another.
TEST(EinsumValues, OfAnotherBatch) {
  for (const char* equation :
       {"bij,bkj->bik", "bij,bkj->ikb", "bij,bij->b", "bij,bkj->ik", "bij,bkj->bikj"}) {
    Graph g;
    const auto input = [&](const char* name, const Shape& shape) { return g.input(name, f32, shape); };
    g.output("y", einsum(equation, {input("x", {4, 3, 2}), input("z", {4, 3, 2})}));
    Session session = compile(g, {.devices = "reference:0"});
    const HostTensor x = numbers(f32, {7, 3, 2}, 1), z = numbers(f32, {7, 3, 2}, 2);
    const HostTensor y = session.run("evaluate", {{"x", x}, {"z", z}})["y"];
    const std::vector<double> want = by_loops(equation, {x, z});
    ASSERT_EQ(y.elements(), static_cast<int64_t>(want.size())) << equation;
    for (int64_t i = 0; i < y.elements(); ++i) EXPECT_EQ(y.at(i), want[static_cast<size_t>(i)]) << equation;
  }
}

TEST(EinsumEquations, ThatCannotBeSayWhy) {
  Graph g;
  const Tensor x = g.input("x", f32, {2, 3}), y = g.input("y", f32, {3, 4}), z = g.input("z", f64, {3, 4}),
               cube = g.input("cube", f32, {2, 2, 2, 2, 2});
  const std::string before = g.text();
  EXPECT_ERROR_HERE("the equation of einsum has more operands than the 1 given", einsum("ij,jk", {x}));
  EXPECT_ERROR_HERE("has 1 operands, not 2", einsum("ij", {x, y}));
  EXPECT_ERROR_HERE("does not name the 2 dimensions of operand 0", einsum("i,jk", {x, y}));
  EXPECT_ERROR_HERE("does not name the 2 dimensions of operand 1", einsum("ij,jkl", {x, y}));
  EXPECT_ERROR_HERE("does not name the 2 dimensions of operand 0", einsum("", {x}));
  EXPECT_ERROR_HERE("does not name the 2 dimensions of operand 0", einsum("...ijk", {x}));
  EXPECT_ERROR_HERE("a character that is not a letter", einsum("i1", {x}));
  EXPECT_ERROR_HERE("a character that is not a letter", einsum("i..j", {x}));
  EXPECT_ERROR_HERE("a character that is not a letter", einsum("ij->i->j", {x}));
  EXPECT_ERROR_HERE("a character that is not a letter", einsum("ij->i,j", {x}));
  EXPECT_ERROR_HERE("a character that is not a letter", einsum(std::string("i\0j", 3), {x}));
  EXPECT_ERROR_HERE("two ellipses in one term", einsum("...i...", {x}));
  EXPECT_ERROR_HERE("the letter 'k' only in its result", einsum("ij->ik", {x}));
  EXPECT_ERROR_HERE("the letter 'i' twice in its result", einsum("ij->ii", {x}));
  EXPECT_ERROR_HERE("an ellipsis only in its result", einsum("ij->...ij", {x}));
  EXPECT_ERROR_HERE("no ellipsis in its result", einsum("...j->j", {x}));
  EXPECT_ERROR_HERE("one size for 'j', which has the sizes 3 and 4", einsum("ij,kj", {x, y}));
  EXPECT_ERROR_HERE("one size for 'i', which has the sizes 2 and 3", einsum("ii", {x}));
  EXPECT_ERROR_HERE("one size for a dimension of the ellipsis", einsum("...,...", {x, y}));
  EXPECT_ERROR_HERE("C1", einsum("ij,jk", {x, z}));
  EXPECT_ERROR_HERE("rank", einsum("abcde,fghij", {cube, cube}));
  EXPECT_ERROR_HERE("empty Tensor", einsum("ij", std::vector<Tensor>()));
  EXPECT_ERROR_HERE("empty Tensor", einsum("ij,jk", {x, Tensor()}));
  EXPECT_EQ(g.text(), before);
}

TEST(EinsumEquations, NameDimensions) {
  const std::vector<int> ranks = {3, 2};
  const EinsumEquation e = *parse_einsum("...b, ...a", ranks);
  EXPECT_THAT(e.operands, ElementsAre(ElementsAre(-2, -1, 'b'), ElementsAre(-1, 'a')));
  EXPECT_THAT(e.result, ElementsAre(-2, -1, 'a', 'b'));
  EXPECT_THAT(parse_einsum("kj,iB", std::vector<int>{2, 2})->result, ElementsAre('B', 'i', 'j', 'k'));
  EXPECT_THAT(parse_einsum("ij,jk", std::vector<int>{2, 2})->result, ElementsAre('i', 'k'));
  EXPECT_THAT(parse_einsum("iij", std::vector<int>{3})->result, ElementsAre('j'));
}

}  // namespace
}  // namespace cutset
