#include "backends/opencl/copy_rows.h"
#include "ir/structural/join/join_attrs.h"

namespace cutset::opencl {
namespace {

// A launch a part.
struct Join {
  static std::string supports(const abi::Problem&) { return ""; }
  static void build(Launches& list, const abi::Problem& p, const abi::Operands* at) {
    const auto axis = static_cast<size_t>(p.attributes<JoinAttrs>().axis);
    int64_t start = 0;
    for (size_t i = 0; i < p.inputs(); ++i) {
      const int64_t rows = p.in_shape(i)[axis];
      add_copy_rows(list, blocks_of(p.out_shape(0), static_cast<int64_t>(axis)), size_of(p.in_type(i)), in(at, i), rows,
                    0, out(at, 0), p.out_shape(0)[axis], start, rows);
      start += rows;
    }
  }
};

}  // namespace

void register_join(abi::KernelTable& kernels) { kernels.add<LaunchKernel<Join>>("join", "join.opencl"); }

}  // namespace cutset::opencl
