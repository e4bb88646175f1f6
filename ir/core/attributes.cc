// SPDX-License-Identifier: Apache-2.0
#include "ir/core/attributes.h"

#include <algorithm>
#include <cstring>

#include "ir/core/names.h"

namespace cutset {
namespace {

// Whether an attribute of the kind has the alternative of `v`.
bool fits(AttrKind kind, const AttrValue& v) {
  return v.index() == static_cast<size_t>(kind == AttrKind::kEnum ? AttrKind::kString : kind);
}

std::string list_of(const std::vector<const char*>& words) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i) text += std::string(i ? ", " : "") + "'" + words[i] + "'";
  return text;
}

}  // namespace

Result<FlatAttrs> FlatAttrs::pack(const AttrSchema& schema, Attributes attributes) {
  FlatAttrs flat;
  flat.words_.assign((schema.size + 7) / 8, 0);
  char* base = reinterpret_cast<char*>(flat.words_.data());
  auto put = [&](size_t offset, const auto& v) { std::memcpy(base + offset, &v, sizeof v); };
  // Copies the elements of a list to memory that lives as long as the struct, and returns its address.
  auto keep = [&](const auto& list) {
    const size_t bytes = list.size() * sizeof list[0];
    auto& array = flat.arrays_.emplace_back((bytes + 7) / 8);
    if (bytes > 0) std::memcpy(array.data(), list.data(), bytes);
    return static_cast<const void*>(array.data());
  };
  put(0, static_cast<uint32_t>(schema.size));
  flat.arrays_.reserve(schema.fields.size());
  size_t used = 0;
  for (const AttrField& field : schema.fields) {
    const auto refuse = [&](const std::string& why) {
      return invalid_argument(std::string("attribute '") + field.name + "' " + why);
    };
    auto it = std::find_if(attributes.begin(), attributes.end(),
                           [&](const auto& a) { return a.first == field.name; });
    if (it == attributes.end() && field.required) return refuse("is missing");
    const AttrValue& value = it == attributes.end() ? field.value : it->second;
    used += it != attributes.end();
    if (!fits(field.kind, value)) return refuse("has the wrong kind");
    switch (field.kind) {
      case AttrKind::kI64:
        put(field.offset, std::get<int64_t>(value));
        break;
      case AttrKind::kF64:
        put(field.offset, std::get<double>(value));
        break;
      case AttrKind::kBool:
        put(field.offset, static_cast<uint8_t>(std::get<bool>(value)));
        break;
      case AttrKind::kDType:
        if (!is_dtype(std::get<DType>(value))) return refuse("is not an element type");
        put(field.offset, static_cast<int32_t>(std::get<DType>(value)));
        break;
      case AttrKind::kI64s: {
        const auto& list = std::get<IntList>(value);
        put(field.offset, cutset_i64s{static_cast<const int64_t*>(keep(list)), list.size()});
        break;
      }
      case AttrKind::kF64s: {
        const auto& list = std::get<FloatList>(value);
        put(field.offset, cutset_f64s{static_cast<const double*>(keep(list)), list.size()});
        break;
      }
      case AttrKind::kString: {
        const auto& text = std::get<std::string>(value);
        put(field.offset, cutset_string{static_cast<const char*>(keep(text)), text.size()});
        break;
      }
      case AttrKind::kEnum: {
        const auto& given = std::get<std::string>(value);
        const auto word = std::find(field.words.begin(), field.words.end(), given);
        if (word == field.words.end())
          return refuse(
              (given.size() <= 64 && is_printable(given) ? "is '" + given + "'" : "is another text") +
              "; it must be one of " + list_of(field.words));
        put(field.offset, static_cast<int32_t>(word - field.words.begin()));
        break;
      }
    }
  }
  if (used != attributes.size())
    for (const auto& [name, value] : attributes)
      if (std::none_of(schema.fields.begin(), schema.fields.end(),
                       [&](const AttrField& f) { return f.name == name; }))
        return invalid_argument("unknown attribute '" + name + "'");
  return flat;
}

}  // namespace cutset
