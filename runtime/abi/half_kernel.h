// SPDX-License-Identifier: Apache-2.0
// Kernels of f32 that also compute in f16 and bf16. The 16-bit operands are converted to f32 in scratch
// memory, the kernel computes the same problem in f32, and its results are rounded once.
#pragma once
#include <memory>
#include <vector>

#include "runtime/abi/kernel.h"

namespace cutset::abi {

// A problem with f32 in place of f16 and bf16, and the places of these f32 numbers in scratch memory. The
// problem of an op that takes 16-bit floats itself (OpInfo::converts_halves) stays as it is.
class FloatProblem {
 public:
  struct Half {
    bool result;   // a result, and otherwise an operand
    size_t index;  // the index of the operand or result
    DType type;    // f16 or bf16
    int64_t elements;
    uint64_t offset;  // the offset of the f32 numbers in the scratch memory
  };
  // `p` and everything that it points to must outlive this object.
  explicit FloatProblem(const Problem& p);
  FloatProblem(const FloatProblem&) = delete;
  FloatProblem& operator=(const FloatProblem&) = delete;

  Problem problem() const { return {&raw_}; }
  // Returns the tensors that are converted. An operand that is read only for its type is not converted.
  const std::vector<Half>& halves() const { return halves_; }
  // Returns the bytes of all f32 numbers. The kernel's own scratch memory follows them.
  uint64_t bytes() const { return bytes_; }

 private:
  // Adds a tensor. `stored`: the elements are read or written. `converts`: f32 takes the place of f16 and
  // bf16.
  void add(const cutset_type& type, bool result, size_t index, bool stored, bool converts);

  std::vector<cutset_type> types_;
  // Pointers to the types of the operands, followed by the types of the results.
  std::vector<const cutset_type*> pointers_;
  std::vector<Half> halves_;
  uint64_t bytes_ = 0;
  cutset_problem raw_;
};

template <bool>
struct RefusalOf {};
template <>
struct RefusalOf<true> {
  static constexpr bool kMayRefuse = true;
};

// The kernel class K for problems in f32, f16 and bf16. `Conversion` converts the operands or, if `results`
// is true, the results on the device. `from` and `to` have one slice per converted tensor:
//
//   Conversion(cutset_device, const std::vector<FloatProblem::Half>&, bool results);
//   void enqueue(cutset_queue, const cutset_slice* from, const cutset_slice* to, const cutset_run*);
template <class K, class Conversion>
    class HalfKernel : public RefusalOf < requires {
  K::kMayRefuse;
}> {
 public:
  static const char* identity(cutset_device device)
    requires requires { K::identity(device); }
  {
    return K::identity(device);
  }
  static std::string supports(const cutset_device_info& info, const Problem& p) {
    return K::supports(info, FloatProblem(p).problem());
  }
  static uint64_t scratch(const cutset_device_info& info, const Problem& p) {
    const FloatProblem floats(p);
    return floats.bytes() + K::scratch(info, floats.problem());
  }
  HalfKernel(cutset_device device, const Problem& p) : floats_(p), kernel_(device, floats_.problem()) {
    if (floats_.halves().empty()) return;
    before_ = std::make_unique<Conversion>(device, floats_.halves(), false);
    after_ = std::make_unique<Conversion>(device, floats_.halves(), true);
  }
  uint64_t scratch_bytes() const { return floats_.bytes() + kernel_.scratch_bytes(); }
  void enqueue(cutset_queue queue, const Operands& at) {
    if (!before_) return kernel_.enqueue(queue, at);
    in_.assign(at.in, at.in + floats_.problem().inputs());
    out_.assign(at.out, at.out + floats_.problem().outputs());
    for (const bool result : {false, true}) {
      from_[result].clear();
      to_[result].clear();
    }
    for (const FloatProblem::Half& h : floats_.halves()) {
      cutset_slice& tensor = (h.result ? out_ : in_)[h.index];
      const cutset_slice numbers{at.scratch->buffer, at.scratch->offset + h.offset,
                                 static_cast<uint64_t>(h.elements) * sizeof(float)};
      from_[h.result].push_back(h.result ? numbers : tensor);
      to_[h.result].push_back(h.result ? tensor : numbers);
      tensor = numbers;
    }
    const uint64_t used = floats_.bytes();
    const cutset_slice scratch{at.scratch->buffer, at.scratch->offset + used, at.scratch->bytes - used};
    before_->enqueue(queue, from_[0].data(), to_[0].data(), at.run);
    kernel_.enqueue(queue, {in_.data(), out_.data(), &scratch, at.run});
    after_->enqueue(queue, from_[1].data(), to_[1].data(), at.run);
  }

 private:
  FloatProblem floats_;
  K kernel_;
  std::unique_ptr<Conversion> before_, after_;
  // The slices of the current call, which are members so that they are allocated once.
  std::vector<cutset_slice> in_, out_, from_[2], to_[2];
};

}  // namespace cutset::abi
