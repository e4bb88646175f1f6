// SPDX-License-Identifier: Apache-2.0
// Typed indices of a program's tables. The index of a buffer cannot be used as the index of a channel by
// mistake.
#pragma once
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace cutset {

// The value of an index that is not set.
inline constexpr int32_t kNone = -1;

// An index of a list of `Of`. An index from a file may have any value; runtime/program/check/check_program.h
// checks it.
template <class Of>
struct Id {
  int32_t value = kNone;
  Id() = default;
  template <std::integral I>
  constexpr explicit Id(I index) : value(static_cast<int32_t>(index)) {}
  bool is_set() const { return value != kNone; }
  size_t index() const { return static_cast<size_t>(value); }
  auto operator<=>(const Id&) const = default;
};

// A vector whose elements are also found by their typed index, which is not checked.
template <class T>
struct Table : std::vector<T> {
  using std::vector<T>::vector;
  using std::vector<T>::operator[];
  T& operator[](Id<T> id) { return (*this)[id.index()]; }
  const T& operator[](Id<T> id) const { return (*this)[id.index()]; }
  // Returns the index of the next element that is appended.
  Id<T> next() const { return Id<T>(this->size()); }
};

struct Buffer;
struct Channel;
struct Collective;
struct Constant;
struct Event;
struct Frame;
struct Port;
struct Role;
struct Variable;
using BufferId = Id<Buffer>;
using ChannelId = Id<Channel>;
using CollectiveId = Id<Collective>;
using ConstantId = Id<Constant>;
using EventId = Id<Event>;  // an event of one device
using FrameId = Id<Frame>;
using PortId = Id<Port>;  // an input or an output of a function
using RoleId = Id<Role>;
using VariableId = Id<Variable>;

}  // namespace cutset
