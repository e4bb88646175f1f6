// SPDX-License-Identifier: Apache-2.0
// Random changes of numbers, lists, types and attributes, for the fuzzers.
#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "ir/core/attributes.h"
#include "ir/core/philox.h"

namespace cutset::fuzz {

template <class T>
using List = std::vector<T>;

template <class T>
T& any(PhiloxSequence& r, List<T>& list) {
  return list[r.below(list.size())];
}
template <class T, size_t N>
const T& any(PhiloxSequence& r, const T (&list)[N]) {
  return list[r.below(N)];
}

// Returns a number that often reveals errors: near 0, a power of two, or a limit of an integer type.
inline int64_t edge(PhiloxSequence& r) {
  static constexpr int64_t kEdges[] = {0,
                                       1,
                                       -1,
                                       2,
                                       3,
                                       4,
                                       5,
                                       7,
                                       8,
                                       9,
                                       16,
                                       63,
                                       64,
                                       100,
                                       255,
                                       256,
                                       1023,
                                       1024,
                                       65535,
                                       65536,
                                       1'000'000,
                                       1 << 20,
                                       INT32_MAX,
                                       INT32_MIN,
                                       int64_t{1} << 32,
                                       int64_t{1} << 40,
                                       int64_t{1} << 47,
                                       int64_t{1} << 48,
                                       int64_t{1} << 62,
                                       INT64_MAX,
                                       INT64_MIN,
                                       INT64_MIN + 1};
  return any(r, kEdges);
}

// Returns an index for a list of `size` elements. The index is usually in range, and sometimes one past the
// end or an edge().
inline int32_t index(PhiloxSequence& r, size_t size) {
  switch (r.below(6)) {
    case 0:
      return static_cast<int32_t>(edge(r));
    case 1:
      return static_cast<int32_t>(size) - static_cast<int32_t>(r.below(2));
    default:
      return static_cast<int32_t>(r.below(std::max<size_t>(size, 1)));
  }
}

// Inserts, removes, replaces, repeats or swaps an element of a list of indices into another list of `size`
// elements.
template <class Index>
void change_list(PhiloxSequence& r, List<Index>& list, size_t size) {
  const uint64_t what = r.below(5);
  if (list.empty() || what == 0) {
    list.insert(list.begin() + static_cast<ptrdiff_t>(r.below(list.size() + 1)), Index(index(r, size)));
    return void();
  }
  if (what == 1) list.erase(list.begin() + static_cast<ptrdiff_t>(r.below(list.size())));
  if (what == 2) any(r, list) = Index(index(r, size));
  if (what == 3) list.push_back(any(r, list));
  if (what == 4) std::swap(list.front(), any(r, list));
}

inline void change_type(PhiloxSequence& r, TensorType& t) {
  switch (r.below(6)) {
    case 0:
      t.dtype = static_cast<DType>(r.below(13));
      break;
    case 1:
      t.dtype = static_cast<DType>(edge(r));
      break;
    case 2:
      if (!t.shape.empty()) any(r, t.shape) = edge(r);
      break;
    case 3:
      if (!t.shape.empty()) t.shape.erase(t.shape.begin() + static_cast<ptrdiff_t>(r.below(t.shape.size())));
      break;
    case 4:
      t.shape.push_back(r.below(2) ? 1 : edge(r));
      break;
    case 5:
      if (!t.shape.empty()) std::swap(t.shape[0], any(r, t.shape));
      break;
  }
}

inline void change_attributes(PhiloxSequence& r, Attributes& list) {
  if (list.empty() || r.below(8) == 0) {
    list.emplace_back(r.below(2) ? "axis" : "stride", edge(r));
    return void();
  }
  auto& [name, value] = any(r, list);
  if (r.below(10) == 0) return list.pop_back();
  if (auto* i = std::get_if<int64_t>(&value)) *i = edge(r);
  if (auto* d = std::get_if<double>(&value))
    *d = any(r, {0.0, -1.0, 1e308, double(NAN), double(INFINITY), 1e-320});
  if (auto* b = std::get_if<bool>(&value)) *b = !*b;
  if (auto* t = std::get_if<DType>(&value))
    *t = static_cast<DType>(r.below(2) ? edge(r) : static_cast<int64_t>(r.below(13)));
  if (auto* s = std::get_if<std::string>(&value)) *s = r.below(2) ? *s + "x" : std::string(r.below(3), '\0');
  if (auto* l = std::get_if<FloatList>(&value)) l->push_back(any(r, {0.0, 1e308, double(NAN)}));
  if (auto* l = std::get_if<IntList>(&value)) {
    if (l->empty() || r.below(4) == 0)
      l->push_back(edge(r));
    else if (r.below(4) == 0)
      l->pop_back();
    else
      any(r, *l) = edge(r);
  }
}

}  // namespace cutset::fuzz
