// SPDX-License-Identifier: Apache-2.0
#include "backends/onednn/recurrent.h"

namespace cutset::onednn {

RecurrentKernel::RecurrentKernel(const abi::Problem& p, std::span<const int64_t> states, size_t lengths_at,
                                 bool reverse)
    : s_(states),
      order_{s_.steps, s_.steps, reverse},
      lengths_at_(lengths_at),
      lengths_(static_cast<size_t>(s_.batch), s_.steps) {
  if (p.inputs() > lengths_at) length_type_ = p.in_type(lengths_at);
}

std::string RecurrentKernel::check(const abi::Problem& p, size_t lengths_at) {
  for (size_t i = 0; i < p.inputs(); ++i)
    if (const DType type = p.in_type(i); type != DType::f32 && i != lengths_at)
      return std::string("only f32, not ") + name_of(type);
  return p.no_empty();
}

RecurrentKernel::Product RecurrentKernel::add_product(const Columns& from, const Factor& f,
                                                      const Columns& to) {
  using Dims = dnnl::memory::dims;
  constexpr auto kType = dnnl::memory::data_type::f32;
  // A matmul of oneDNN ignores the offset of a memory description, so the offset is added to the place of the
  // block in scratch memory.
  const auto columns = [&](const Columns& c, int64_t count) {
    const int64_t width = c.block.layout.get_dims()[1];
    Chain::Memory part{{Dims{s_.batch, count}, kType, Dims{width, 1}}, c.block.place};
    part.place.index += sizeof(float) * static_cast<uint64_t>(c.first);
    return part;
  };
  const int64_t hidden = s_.hidden;
  const dnnl::memory::desc weight(f.transposed ? Dims{hidden, f.rows} : Dims{f.rows, hidden}, kType,
                                  f.transposed ? Dims{1, hidden} : Dims{hidden, 1});
  const auto block = weight.submemory_desc(Dims{f.k, f.n}, f.transposed ? Dims{0, f.row} : Dims{f.row, 0});
  const auto left = columns(from, f.k), result = columns(to, f.n);
  dnnl::matmul::primitive_desc pd(engine(), left.layout, any(std::array{f.k, f.n}), result.layout,
                                  user_scratchpad());
  Product product{chain_.size(), 0};
  chain_.add<dnnl::matmul>(pd, {{DNNL_ARG_SRC, left.layout, left.layout, left.place},
                                {DNNL_ARG_WEIGHTS, pd.weights_desc(), block, in(f.weight_at)},
                                {DNNL_ARG_DST, result.layout, result.layout, result.place}});
  product.last = chain_.size() - 1;
  return product;
}

void RecurrentKernel::read_lengths(const abi::Operands& at) {
  if (!length_type_) return;
  const void* lengths = abi::address(at.in[lengths_at_]);
  for (int64_t n = 0; n < s_.batch; ++n)
    lengths_[static_cast<size_t>(n)] = *length_type_ == DType::i64 ? static_cast<const int64_t*>(lengths)[n]
                                                                   : static_cast<const int32_t*>(lengths)[n];
}

}  // namespace cutset::onednn
