#include "ir/core/check_types.h"

namespace cutset {

Status check_types(const char* what, const Types& types) {
  for (size_t i = 0; i < types.size(); ++i) {
    const std::string which = what + (" " + std::to_string(i)) + ": ";
    if (Status sound = check_type(types[i]); !sound.ok()) return invalid_argument(which + sound.error().what);
    if (!has_arithmetic(types[i].dtype))
      return unsupported(which + "no op computes with elements of type " + name_of(types[i].dtype), "cast it to f32");
  }
  return {};
}

}  // namespace cutset
