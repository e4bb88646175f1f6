// The attributes of an op outside of MLIR.
//
// Attributes have two forms. `Attributes` is a list of names and values, which is saved in program files and printed.
// The flat form is a C struct, generated from the op's .td, which the op's rules, reference kernels and devices read.
// The op's AttrSchema, which is generated too, describes how the list becomes the struct.
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

// The integers of a list attribute. The type is not std::vector itself, because a std::variant of libstdc++ 12 has
// undefined behaviour if the copy of an alternative throws and all alternatives are types such as std::vector, for
// which the library assumes that the variant always has a value.
struct IntList : std::vector<int64_t> {
  using std::vector<int64_t>::vector;
  IntList(std::vector<int64_t> v) : std::vector<int64_t>(std::move(v)) {}
};
using AttrValue = std::variant<int64_t, double, bool, IntList, DType>;
using Attributes = std::vector<std::pair<std::string, AttrValue>>;  // in any order, each name at most once

// The alternatives of AttrValue, in their order.
enum class AttrKind { kI64, kF64, kBool, kI64s, kDType };

// One attribute of an op.
struct AttrField {
  const char* name;
  AttrKind kind;
  size_t offset;    // of the field in the flat struct, in bytes
  bool required;    // the attribute has no default, so a list without it is an error
  AttrValue value;  // the default; has no meaning if the attribute is required
};

struct AttrSchema {
  size_t size;  // of the flat struct in bytes; the struct's first member is a uint32_t that holds this number
  std::vector<AttrField> fields;
};

// Owns the flat struct of one op and the arrays that the struct points to. Moving it is safe, since neither the struct
// nor the arrays change their address. It must not be copied: the struct of the copy would point to the original's
// arrays.
class FlatAttrs {
 public:
  FlatAttrs() = default;
  // The struct. It lives as long as this object, or as the object that this one was moved to.
  const void* data() const { return words_.data(); }

  // Fills the struct that `schema` describes with `attributes`, and with the defaults of the absent ones. Fails if a
  // required attribute is missing, if a value is of another kind than the schema's, and if the schema has no attribute
  // of a given name.
  static Result<FlatAttrs> pack(const AttrSchema& schema, Attributes attributes);

 private:
  std::vector<uint64_t> words_;               // the struct's bytes, aligned to 8
  std::vector<std::vector<int64_t>> arrays_;  // their heap blocks keep their addresses when this object moves
};

}  // namespace cutset
