// SPDX-License-Identifier: Apache-2.0
#include "ir/core/attributes.h"

#include <algorithm>
#include <cstring>

#include "ir/core/names.h"

namespace cutset {
namespace {

// Whether `v` is the alternative of AttrValue for attributes of this kind.
bool fits(AttrKind kind, const AttrValue& v) {
  return v.index() == static_cast<size_t>(kind == AttrKind::kEnum ? AttrKind::kString : kind);
}

std::string list_of(const std::vector<const char*>& words) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i) text += std::string(i ? ", " : "") + "'" + words[i] + "'";
  return text;
}

Failure refusal(const AttrField& field, const std::string& why) {
  return invalid_argument(std::string("attribute '") + field.name + "' " + why);
}

// Returns the number of the word of an enumeration, or a failure that lists the words.
Result<int32_t> number_of_word(const AttrField& field, const std::string& text) {
  const auto word = std::find(field.words.begin(), field.words.end(), text);
  if (word == field.words.end())
    return refusal(field,
                   (text.size() <= 64 && is_printable(text) ? "is '" + text + "'" : "is another text") +
                       "; it must be one of " + list_of(field.words));
  return static_cast<int32_t>(word - field.words.begin());
}

// Fails if the schema has no field with the name of an attribute.
Status check_names(const AttrSchema& schema, const Attributes& attributes) {
  for (const auto& [name, value] : attributes)
    if (std::none_of(schema.fields.begin(), schema.fields.end(),
                     [&](const AttrField& f) { return f.name == name; }))
      return invalid_argument("unknown attribute '" + name + "'");
  return {};
}

}  // namespace

Status FlatAttrs::write(const AttrField& field, const AttrValue& value) {
  char* base = reinterpret_cast<char*>(words_.data());
  const auto put = [&](const auto& v) { std::memcpy(base + field.offset, &v, sizeof v); };
  // Copies the elements of a list to memory that lives as long as the struct, and returns its address.
  const auto keep = [&](const auto& list) {
    const size_t bytes = list.size() * sizeof list[0];
    auto& array = arrays_.emplace_back((bytes + 7) / 8);
    if (bytes > 0) std::memcpy(array.data(), list.data(), bytes);
    return static_cast<const void*>(array.data());
  };
  switch (field.kind) {
    case AttrKind::kI64:
      put(std::get<int64_t>(value));
      break;
    case AttrKind::kF64:
      put(std::get<double>(value));
      break;
    case AttrKind::kBool:
      put(static_cast<uint8_t>(std::get<bool>(value)));
      break;
    case AttrKind::kDType:
      if (!is_dtype(std::get<DType>(value))) return refusal(field, "is not an element type");
      put(static_cast<int32_t>(std::get<DType>(value)));
      break;
    case AttrKind::kI64s: {
      const auto& list = std::get<IntList>(value);
      put(cutset_i64s{static_cast<const int64_t*>(keep(list)), list.size()});
      break;
    }
    case AttrKind::kF64s: {
      const auto& list = std::get<FloatList>(value);
      put(cutset_f64s{static_cast<const double*>(keep(list)), list.size()});
      break;
    }
    case AttrKind::kString: {
      const auto& text = std::get<std::string>(value);
      put(cutset_string{static_cast<const char*>(keep(text)), text.size()});
      break;
    }
    case AttrKind::kEnum: {
      CUTSET_ASSIGN(const int32_t number, number_of_word(field, std::get<std::string>(value)));
      put(number);
      break;
    }
  }
  return {};
}

Result<FlatAttrs> FlatAttrs::pack(const AttrSchema& schema, Attributes attributes) {
  FlatAttrs flat;
  flat.words_.assign((schema.size + 7) / 8, 0);
  const auto size = static_cast<uint32_t>(schema.size);  // the first field of every struct of attributes
  std::memcpy(flat.words_.data(), &size, sizeof size);
  flat.arrays_.reserve(schema.fields.size());
  size_t used = 0;
  for (const AttrField& field : schema.fields) {
    const auto it = std::find_if(attributes.begin(), attributes.end(),
                                 [&](const auto& a) { return a.first == field.name; });
    if (it == attributes.end() && field.required) return refusal(field, "is missing");
    const AttrValue& value = it == attributes.end() ? field.value : it->second;
    used += it != attributes.end();
    if (!fits(field.kind, value)) return refusal(field, "has the wrong kind");
    CUTSET_TRY(flat.write(field, value));
  }
  if (used == attributes.size()) return flat;
  CUTSET_TRY(check_names(schema, attributes));
  return flat;
}

}  // namespace cutset
