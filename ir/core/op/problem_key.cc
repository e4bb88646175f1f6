// SPDX-License-Identifier: Apache-2.0
#include "ir/core/op/problem_key.h"

#include <algorithm>
#include <bit>
#include <functional>

namespace cutset {
namespace {

// Calls f with each number of the value. A double is passed as its bits, and a text as its bytes.
template <class F>
void for_each_number(const AttrValue& value, F&& f) {
  std::visit(
      [&](const auto& v) {
        using T = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<T, IntList> || std::is_same_v<T, std::string>)
          for (auto n : v) f(static_cast<int64_t>(n));
        else if constexpr (std::is_same_v<T, FloatList>)
          for (double n : v) f(std::bit_cast<int64_t>(n));
        else if constexpr (std::is_same_v<T, double>)
          f(std::bit_cast<int64_t>(v));
        else
          f(static_cast<int64_t>(v));
      },
      value);
}

bool same(const AttrValue& a, const AttrValue& b) {
  const auto equal_bits = [](double x, double y) {
    return std::bit_cast<int64_t>(x) == std::bit_cast<int64_t>(y);
  };
  const auto *x = std::get_if<double>(&a), *y = std::get_if<double>(&b);
  if (x && y) return equal_bits(*x, *y);
  const auto *l = std::get_if<FloatList>(&a), *m = std::get_if<FloatList>(&b);
  return l && m ? std::equal(l->begin(), l->end(), m->begin(), m->end(), equal_bits) : a == b;
}

}  // namespace

bool ProblemKey::operator==(const ProblemKey& other) const {
  return kernel == other.kernel && in == other.in && out == other.out &&
         std::equal(
             attributes.begin(), attributes.end(), other.attributes.begin(), other.attributes.end(),
             [](const auto& a, const auto& b) { return a.first == b.first && same(a.second, b.second); });
}

size_t ProblemHash::operator()(const ProblemKey& key) const {
  size_t hash = std::hash<const void*>()(key.kernel);
  auto add = [&](int64_t number) { hash = (hash ^ static_cast<size_t>(number)) * 0x9e3779b97f4a7c15u; };
  for (const Types* types : {&key.in, &key.out})
    for (const TensorType& t : *types) {
      add(static_cast<int64_t>(t.dtype));
      for (int64_t d : t.shape) add(d);
    }
  for (const auto& [name, value] : key.attributes) for_each_number(value, add);
  return hash;
}

}  // namespace cutset
