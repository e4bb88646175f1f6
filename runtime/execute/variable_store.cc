// SPDX-License-Identifier: Apache-2.0
#include "runtime/execute/variable_store.h"

#include <algorithm>
#include <new>
#include <optional>

#include "ir/core/names.h"
#include "runtime/files/uninitialized.h"
#include "runtime/program/variable_pieces.h"

namespace cutset {

// Names the variable in the failure of its allocation. A smaller batch does not make variables smaller.
static Failure without_memory(Failure failure, const Variable& v) {
  failure.what += ", for the variable '" + v.name + "' of the type " + to_string(v.type);
  if (!v.state_of.empty()) failure.what += ", a state of the optimizer";
  failure.hint =
      "make the variable smaller, or divide the variables over more devices: the strategies model, tensor(N) "
      "and data(N, shard=parameters) do so";
  return failure;
}

Status VariableStore::declare(const std::vector<Variable>& variables, const std::vector<std::string>& names) {
  for (const Variable& v : variables) {
    std::vector<size_t> homes;
    for (int32_t home : v.homes) {
      const std::string& name = names[static_cast<size_t>(home)];
      const int device = devices_.index_of(name);
      if (device == kNone)
        return execution_failed("variable '" + v.name + "' has its home on " + name + ", which is not open");
      homes.push_back(static_cast<size_t>(device));
    }
    auto it = variables_.find(v.name);
    if (it != variables_.end()) {
      const auto& [other, copies] = it->second;
      const bool same = std::equal(homes.begin(), homes.end(), copies.begin(), copies.end(),
                                   [](size_t home, const Copy& c) { return home == c.device; }) &&
                        other.axis == v.axis && other.pieces == v.pieces && other.piece_unit == v.piece_unit;
      if (!same || other.type != v.type)
        return execution_failed("variable '" + v.name + "' was " + to_string(other.type) + " on " +
                                devices_.name(copies[0].device) + " and is now " + to_string(v.type) +
                                " on " + names[static_cast<size_t>(v.homes[0])]);
      continue;
    }
    Held declared{v, {}};
    for (size_t h = 0; h < homes.size(); ++h) {
      const auto bytes = static_cast<uint64_t>(type_at_home(v, h).bytes());
      auto buffer = devices_.device(homes[h]).own().allocate(bytes);
      if (!buffer) return without_memory(buffer.error(), v);
      declared.homes.push_back({homes[h], {*buffer, 0, bytes}});
    }
    declared_.push_back(
        v.name);  // first, so that take_back() finds the variable even if the next line throws
    variables_[v.name] = std::move(declared);
  }
  return {};
}

VariableStore::Mark VariableStore::mark() const {
  Mark mark{{}, declared_.size()};
  for (size_t d = 0; d < devices_.size(); ++d) mark.devices.push_back(devices_.device(d).own().mark());
  return mark;
}

void VariableStore::take_back(const Mark& mark) {
  for (; declared_.size() > mark.variables; declared_.pop_back()) variables_.erase(declared_.back());
  for (size_t d = 0; d < devices_.size(); ++d) devices_.device(d).own().take_back(mark.devices[d]);
}

Result<cutset_slice> VariableStore::slice(const std::string& name, size_t device) const {
  auto it = variables_.find(name);
  if (it == variables_.end()) return invalid_argument("no variable '" + name + "'");
  for (const Copy& c : it->second.homes)
    if (c.device == device) return c.slice;
  return execution_failed("variable '" + name + "' has no copy on " + devices_.name(device));
}

Status VariableStore::write(const std::string& name, const HostTensor& value) {
  CUTSET_TRY(health_.healthy());
  auto it = variables_.find(name);
  if (it == variables_.end()) return unknown(name);
  const Variable& v = it->second.variable;
  if (v.type != value.type())
    return invalid_argument("variable '" + name + "' is " + to_string(v.type) + ", not " +
                            to_string(value.type()));
  for (size_t h = 0; h < it->second.homes.size(); ++h) {
    const Copy& c = it->second.homes[h];
    OpenDevice& d = devices_.device(c.device);
    cutset_queue queue = devices_.queue(c.device, Queue::kIn);
    std::optional<HostTensor> piece;
    if (v.axis != kNone) {
      const auto [start, size] = range_at_home(v, h);
      piece = rows_of(value, v.axis, start, size);
    }
    // After a failure, the copies may differ, and a checkpoint may have been loaded only in part.
    try {
      const Status status = d.write_now(queue, c.slice, (piece ? *piece : value).data());
      if (status.ok()) continue;
      Failure broken = status.error();
      broken.what =
          "variable '" + name + "' could not be written: " + broken.what + "; the variables are not usable";
      broken.hint = "load a checkpoint, or start a new session";
      health_.fail(broken);
      health_.tear(broken);
      return broken;
    } catch (const std::bad_alloc&) {
      health_.fail_without_memory();
      health_.tear_without_memory();
      throw;
    }
  }
  return {};
}

Failure VariableStore::unknown(const std::string& name) const {
  return invalid_argument("there is no variable '" + name + "'", hint_of_names(name, names()));
}

size_t VariableStore::copies(const std::string& name) const {
  auto it = variables_.find(name);
  return it == variables_.end() ? 0
                                : it->second.homes.size() / static_cast<size_t>(it->second.variable.pieces);
}

Result<HostTensor> VariableStore::read(const std::string& name, size_t copy) const {
  if (health_.torn()) return *health_.torn();
  auto it = variables_.find(name);
  if (it == variables_.end()) return unknown(name);
  if (copy >= copies(name))
    return invalid_argument("variable '" + name + "' has no copy " + std::to_string(copy),
                            "copies are numbered from 0, and it has " + std::to_string(copies(name)));
  const Variable& v = it->second.variable;
  HostTensor value = uninitialized(v.type);  // the pieces of a copy cover it
  const auto pieces = static_cast<size_t>(v.pieces);
  for (size_t h = copy * pieces; h < (copy + 1) * pieces; ++h) {
    const Copy& c = it->second.homes[h];
    cutset_queue queue = devices_.queue(c.device, Queue::kOut);
    if (v.axis == kNone) {
      CUTSET_TRY(devices_.device(c.device).read_now(queue, c.slice, value.data()));
      continue;
    }
    HostTensor piece = uninitialized(type_at_home(v, h));
    CUTSET_TRY(devices_.device(c.device).read_now(queue, c.slice, piece.data()));
    set_rows(value, v.axis, range_at_home(v, h).start, piece);
  }
  return value;
}

std::vector<std::string> VariableStore::names() const {
  std::vector<std::string> names;
  for (const auto& [name, variable] : variables_) names.push_back(name);
  return names;
}

}  // namespace cutset
