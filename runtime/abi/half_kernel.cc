// SPDX-License-Identifier: Apache-2.0
#include "runtime/abi/half_kernel.h"

#include "ir/core/half.h"
#include "ir/core/op/op_info.h"

namespace cutset::abi {

FloatProblem::FloatProblem(const Problem& p) : raw_(*p.raw) {
  const OpInfo* op = find_op(p.raw->op);
  const bool converts = op && !op->converts_halves;
  types_.reserve(p.inputs() + p.outputs());
  for (size_t i = 0; i < p.inputs(); ++i)
    add(*p.raw->in[i], false, i, converts && !op->reads_type_only(i), converts);
  for (size_t i = 0; i < p.outputs(); ++i) add(*p.raw->out[i], true, i, converts, converts);
  raw_.in = pointers_.data();
  raw_.out = pointers_.data() + p.inputs();
}

void FloatProblem::add(const cutset_type& type, bool result, size_t index, bool stored, bool converts) {
  // Blocks begin at multiples of this number of bytes, which suits every backend.
  constexpr uint64_t kAlignment = 256;
  types_.push_back(type);
  pointers_.push_back(&types_.back());
  const auto dtype = static_cast<DType>(type.dtype);
  if (!converts || !is_half(dtype)) return;
  types_.back().dtype = CUTSET_F32;
  if (!stored) return;
  const int64_t n = type_of(type).elements();
  halves_.push_back({result, index, dtype, n, bytes_});
  bytes_ += (static_cast<uint64_t>(n) * sizeof(float) + kAlignment - 1) / kAlignment * kAlignment;
}

}  // namespace cutset::abi
