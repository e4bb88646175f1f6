#include "ir/core/attributes.h"

#include <algorithm>
#include <cstring>

namespace cutset {
namespace {
AttrKind kind_of(const AttrValue& v) {
  constexpr AttrKind kinds[] = {AttrKind::kI64, AttrKind::kF64, AttrKind::kBool, AttrKind::kI64s, AttrKind::kDType};
  return kinds[v.index()];
}
}  // namespace

Result<FlatAttrs> FlatAttrs::pack(const AttrSchema& schema, Attributes attributes) {
  FlatAttrs flat;
  flat.words_.assign((schema.size + 7) / 8, 0);
  char* base = reinterpret_cast<char*>(flat.words_.data());
  auto put = [&](size_t offset, const auto& v) { std::memcpy(base + offset, &v, sizeof v); };
  put(0, static_cast<uint32_t>(schema.size));
  flat.arrays_.reserve(schema.fields.size());
  size_t used = 0;
  for (const AttrField& field : schema.fields) {
    auto it = std::find_if(attributes.begin(), attributes.end(), [&](const auto& a) { return a.first == field.name; });
    if (it == attributes.end() && field.required)
      return invalid_argument(std::string("attribute '") + field.name + "' is missing");
    AttrValue value = it == attributes.end() ? field.value : std::move(it->second);
    used += it != attributes.end();
    if (kind_of(value) != field.kind)
      return invalid_argument(std::string("attribute '") + field.name + "' has the wrong kind");
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
        if (!is_dtype(std::get<DType>(value)))
          return invalid_argument(std::string("attribute '") + field.name + "' is not an element type");
        put(field.offset, static_cast<int32_t>(std::get<DType>(value)));
        break;
      case AttrKind::kI64s: {
        auto& array = flat.arrays_.emplace_back(std::get<IntList>(std::move(value)));
        put(field.offset, cutset_i64s{array.data(), array.size()});
        break;
      }
    }
  }
  if (used != attributes.size())
    for (const auto& [name, value] : attributes)
      if (std::none_of(schema.fields.begin(), schema.fields.end(), [&](const AttrField& f) { return f.name == name; }))
        return invalid_argument("unknown attribute '" + name + "'");
  return flat;
}

}  // namespace cutset
