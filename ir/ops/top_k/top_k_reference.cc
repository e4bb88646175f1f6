// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "ir/core/rows.h"
#include "ir/ops/top_k/top_k_rules.h"

namespace cutset::rules::top_k {
namespace {

// A line of x, and a heap of indices of its elements, whose root is the index that comes last. Neighbours are
// `step` elements apart.
template <class T>
struct Line {
  const T* x;
  int64_t* heap;
  int64_t step;
  bool largest;

  static bool is_nan(T v) { return v != v; }
  static bool is_larger(T a, T b) { return a > b || (is_nan(a) && !is_nan(b)); }
  // Whether the element at index i comes before the element at index j.
  bool comes_first(int64_t i, int64_t j) const {
    const T a = x[i * step], b = x[j * step];
    if (is_larger(a, b)) return largest;
    if (is_larger(b, a)) return !largest;
    return i < j;
  }
  int64_t& at(int64_t place) const { return heap[place * step]; }
  // Moves the index at `place` down until both indices below it come before it.
  void sink(int64_t place, int64_t size) const {
    for (int64_t below = 2 * place + 1; below < size; place = below, below = 2 * place + 1) {
      if (below + 1 < size && comes_first(at(below), at(below + 1))) ++below;
      if (comes_first(at(below), at(place))) return;
      std::swap(at(place), at(below));
    }
  }
  // Writes the first k indices in their order.
  void select(int64_t length, int64_t k) const {
    for (int64_t i = 0; i < k; ++i) at(i) = i;
    for (int64_t i = k / 2 - 1; i >= 0; --i) sink(i, k);
    for (int64_t i = k; i < length && k > 0; ++i)
      if (comes_first(i, at(0))) {
        at(0) = i;
        sink(0, k);
      }
    for (int64_t last = k - 1; last > 0; --last) {
      std::swap(at(0), at(last));
      sink(0, last);
    }
  }
};

}  // namespace

Status reference(const Attrs& a, Views in, Views out) {
  const int64_t axis = axis_from_front(a.axis, in[0].shape.size()),
                length = in[0].dim(static_cast<int>(axis));
  const Blocks b = blocks_of(in[0].shape, axis);
  return dispatch_all(in[0].dtype, [&]<class T>(T) {
    for (int64_t i = 0; i < b.count * b.inner; ++i) {
      const int64_t block = i / b.inner, at = i % b.inner, to = block * a.k * b.inner + at;
      const Line<T> line{in[0].as<T>() + block * length * b.inner + at, out[1].as<int64_t>() + to, b.inner,
                         a.largest != 0};
      line.select(length, a.k);
      for (int64_t k = 0; k < a.k; ++k) out[0].as<T>()[to + k * b.inner] = line.x[line.at(k) * b.inner];
    }
  });
}

}  // namespace cutset::rules::top_k
