// SPDX-License-Identifier: Apache-2.0
// The types of arguments of functions: whole numbers and lists of them, numbers, and sizes per axis of an
// image.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

namespace cutset {

// The integers that count or name something. bool is not one of them.
template <class T>
concept Integer = std::integral<T> && !std::same_as<T, bool>;

// A whole number, such as an axis. Integers of all types except bool convert to it; {} does not.
class WholeNumber {
 public:
  template <Integer T>
  constexpr WholeNumber(T value) : value_(static_cast<int64_t>(value)) {}
  constexpr operator int64_t() const { return value_; }

 private:
  int64_t value_;
};

// A number, such as a probability. Integers and floating-point numbers convert to it; {} does not.
class RealNumber {
 public:
  template <class T>
    requires(Integer<T> || std::floating_point<T>)
  constexpr RealNumber(T value) : value_(static_cast<double>(value)) {}
  constexpr operator double() const { return value_; }

 private:
  double value_;
};

// A size for each axis of an image, outermost first, or one number for all axes: 3, or {3, 5}.
class AxisSizes {
 public:
  template <Integer T>
  AxisSizes(T all) : AxisSizes(std::initializer_list<int64_t>{static_cast<int64_t>(all)}) {}
  AxisSizes(std::initializer_list<int64_t> each);
  AxisSizes(std::vector<int64_t> each) : sizes_(std::move(each)) {}
  // Whether there is no size.
  bool empty() const { return sizes_.empty(); }
  // Returns the sizes of an image with `axes` axes.
  std::vector<int64_t> list(size_t axes) const;

 private:
  std::vector<int64_t> sizes_;
};

// A list of whole numbers, or one whole number, such as the axes of sum(x, {0, 1}) and sum(x, 0).
class AxisList {
 public:
  template <Integer T>
  AxisList(T one) : AxisList(WholeNumber(one)) {}
  AxisList(WholeNumber one);
  AxisList(std::initializer_list<int64_t> each);
  AxisList(std::vector<int64_t> each) : list_(std::move(each)) {}
  const std::vector<int64_t>& list() const { return list_; }

 private:
  std::vector<int64_t> list_;
};

}  // namespace cutset
