// SPDX-License-Identifier: Apache-2.0
// The attributes of an op outside of MLIR.
//
// Attributes have two forms. `Attributes` is a list of names and values, which is saved in program files and
// printed. The flat form is a C struct, which is generated from the op's .td. The op's rules, reference
// kernels and devices read it. The op's AttrSchema, which is also generated, describes how the list becomes
// the struct.
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

// The elements of a list attribute. The types are not std::vector itself, because of libstdc++ 12: if all
// alternatives of a std::variant are types such as std::vector, the library assumes that the variant always
// has a value, and a copy of an alternative that throws has undefined behaviour.
struct IntList : std::vector<int64_t> {
  using std::vector<int64_t>::vector;
  IntList(std::vector<int64_t> v) : std::vector<int64_t>(std::move(v)) {}
};
struct FloatList : std::vector<double> {
  using std::vector<double>::vector;
  FloatList(std::vector<double> v) : std::vector<double>(std::move(v)) {}
};
// A new alternative is appended, because program files store the index of the alternative.
using AttrValue = std::variant<int64_t, double, bool, IntList, DType, std::string, FloatList>;
using Attributes = std::vector<std::pair<std::string, AttrValue>>;  // in any order, each name at most once

// The kinds of attributes. The first kinds are the alternatives of AttrValue, in their order. The value of a
// kEnum is one of the words of its AttrField, as a std::string. In the flat struct it is the index of the
// word, as an int32_t.
enum class AttrKind { kI64, kF64, kBool, kI64s, kDType, kString, kF64s, kEnum };

// The attribute that says how many operands each name of OpInfo::operands stands for. The generator adds it
// to the schema of an op with several operands that are optional or variadic.
inline constexpr const char* kOperandSegments = "operand_segments";

// One attribute of an op.
struct AttrField {
  const char* name;
  AttrKind kind;
  size_t offset;                        // the offset of the field in the flat struct, in bytes
  bool required;                        // the attribute has no default, so a list without it is an error
  AttrValue value;                      // the default; has no meaning if the attribute is required
  std::vector<const char*> words = {};  // the words of a kEnum
};

struct AttrSchema {
  size_t size;  // the size of the flat struct in bytes; its first member is a uint32_t with this number
  std::vector<AttrField> fields;
};

// Owns the flat struct of one op and the arrays that the struct points to. Moving the object is safe, because
// the struct and the arrays keep their addresses. The object must not be copied: the struct of the copy would
// point to the arrays of the original.
class FlatAttrs {
 public:
  FlatAttrs() = default;
  // Returns the struct. It lives as long as this object, or as the object that this object was moved to.
  const void* data() const { return words_.data(); }

  // Fills the struct that `schema` describes with `attributes`, and with the defaults of absent attributes.
  // Fails if a required attribute is missing, if a value has another kind than its field or is not one of its
  // words, or if the schema has no attribute of a given name.
  static Result<FlatAttrs> pack(const AttrSchema& schema, Attributes attributes);

 private:
  // Writes the value of one field to the struct.
  Status write(const AttrField& field, const AttrValue& value);

  std::vector<uint64_t> words_;  // the struct's bytes, aligned to 8
  // The elements of lists. Their heap blocks keep their addresses when this object moves.
  std::vector<std::vector<uint64_t>> arrays_;
};

}  // namespace cutset
