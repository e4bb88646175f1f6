#include "backends/opencl/copy_rows.h"
#include "ir/structural/part/part_attrs.h"

namespace cutset::opencl {
namespace {

struct Part {
  static std::string supports(const abi::Problem&) { return ""; }
  static void build(Launches& list, const abi::Problem& p, const abi::Operands* at) {
    const auto& a = p.attributes<PartAttrs>();
    add_copy_rows(list, blocks_of(p.in_shape(0), a.axis), size_of(p.in_type(0)), in(at, 0),
                  p.in_shape(0)[static_cast<size_t>(a.axis)], a.start, out(at, 0), a.rows, 0, a.rows);
  }
};

}  // namespace

void register_part(abi::KernelTable& kernels) { kernels.add<LaunchKernel<Part>>("part", "part.opencl"); }

}  // namespace cutset::opencl
