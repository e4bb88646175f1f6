#include "backends/portable/reduce.h"

namespace cutset::portable {

const char* join_macros(Reduction what) {
  return what == Reduction::kSum
             ? "#define FIRST 0.0f\n#define JOIN(a, b) ((a) + (b))\n"
             : "#define FIRST -INFINITY\n#define JOIN(a, b) ((b) > (a) || (b) != (b) ? (b) : (a))\n";
}

}  // namespace cutset::portable
