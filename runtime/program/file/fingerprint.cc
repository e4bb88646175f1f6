// SPDX-License-Identifier: Apache-2.0
#include "runtime/program/file/fingerprint.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

#include "runtime/program/file/program_fields.h"

namespace cutset {
namespace {

class Hash {
 public:
  template <class... T>
  void operator()(T&... values) {
    (one(values), ...);
  }
  uint64_t value() const { return state_; }

 private:
  uint64_t state_ = 0x6a09e667f3bcc908;

  void word(uint64_t w) {
    state_ = (state_ ^ w) * 0x9e3779b97f4a7c15;
    state_ ^= state_ >> 32;
  }
  void bytes(const void* data, size_t size) {
    word(size);
    for (size_t at = 0; at < size; at += sizeof(uint64_t)) {
      uint64_t w = 0;
      std::memcpy(&w, static_cast<const char*>(data) + at, std::min(sizeof w, size - at));
      word(w);
    }
  }
  template <class T>
    requires std::is_integral_v<T> || std::is_enum_v<T>
  void one(T v) {
    word(static_cast<uint64_t>(v));
  }
  void one(double v) { word(std::bit_cast<uint64_t>(v)); }
  void one(std::string& s) { bytes(s.data(), s.size()); }
  void one(std::vector<unsigned char>& v) { bytes(v.data(), v.size()); }
  void one(std::vector<int64_t>& v) { bytes(v.data(), v.size() * sizeof(int64_t)); }
  void one(std::vector<int32_t>& v) { bytes(v.data(), v.size() * sizeof(int32_t)); }
  void one(SharedNames& names) {
    const InstructionNames& fields = names_or_empty(names);
    for (const std::string* s : {&fields.op, &fields.layer, &fields.source, &fields.role})
      bytes(s->data(), s->size());
    one(fields.stage);
  }
  template <class A, class B>
  void one(std::pair<A, B>& p) {
    one(p.first);
    one(p.second);
  }
  template <class... T>
  void one(std::variant<T...>& value) {
    word(value.index());
    std::visit([&](auto& v) { one(v); }, value);
  }
  template <class T>
  void one(std::vector<T>& list) {
    word(list.size());
    for (T& v : list) one(v);
  }
  template <class T>
    requires std::is_class_v<T>
  void one(T& v) {
    fields(*this, v);
  }
};

}  // namespace

void set_fingerprint(Program& program) {
  program.fingerprint = 0;
  Hash hash;
  hash(program);
  program.fingerprint = hash.value();
}

}  // namespace cutset
