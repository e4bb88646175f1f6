// The attributes of an op, outside MLIR, in two forms: a list of (name, value), which is saved and
// printed, and the flat C struct that rules, reference loops and devices read. A generated schema
// (names, kinds, offsets, defaults) turns the first into the second.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "ir/core/result.h"
#include "ir/core/types.h"

namespace cutset {

using AttrValue = std::variant<int64_t, double, bool, std::vector<int64_t>, DType>;
using Attributes = std::vector<std::pair<std::string, AttrValue>>;

enum class AttrKind { kI64, kF64, kBool, kI64s, kDType };

struct AttrField {
  const char* name;
  AttrKind kind;
  size_t offset;    // in the flat struct
  bool required;    // absent is an error
  AttrValue value;  // what an absent one means
};

struct AttrSchema {
  size_t size;  // of the flat struct, which begins with a uint32_t of that size
  std::vector<AttrField> fields;
};

// The flat struct of one op, with the arrays it points to. Movable; `data` stays valid with it.
class FlatAttrs {
 public:
  FlatAttrs() = default;
  const void* data() const { return words_.data(); }

  // Fails on an unknown name, a value of another kind, or a missing required one.
  static Result<FlatAttrs> pack(const AttrSchema& schema, Attributes attributes);

 private:
  std::vector<uint64_t> words_;               // aligned storage of the struct
  std::vector<std::vector<int64_t>> arrays_;  // moving keeps the heap blocks where they are
};

}  // namespace cutset
