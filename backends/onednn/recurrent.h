// SPDX-License-Identifier: Apache-2.0
// The base of the kernels of lstm, gru, rnn and their backward ops. A step is a matrix product by oneDNN and
// pointwise arithmetic over the rows of the batch on all threads. The weight of the product is put into
// oneDNN's layout once for all steps.
#pragma once
#include <optional>
#include <vector>

#include "backends/onednn/primitive.h"
#include "ir/ops/recurrent/recurrent_steps.h"

namespace cutset::onednn {

class RecurrentKernel {
 public:
  uint64_t scratch_bytes() const { return chain_.scratch_bytes(); }

 protected:
  // A block of scratch memory for the plain matrix [batch, columns].
  using Block = Chain::Memory;
  // The product of a block and a part of the weight.
  struct Product {
    size_t first = 0, last = 0;  // the range of primitives that prepare the weight; the product follows
  };
  // `states` is the shape [batch, steps, hidden]. Operand `lengths_at` has the lengths, if it is given.
  RecurrentKernel(const abi::Problem& p, std::span<const int64_t> states, size_t lengths_at, bool reverse);

  // Returns the reason why the kernels do not support a problem, or an empty string.
  static std::string check(const abi::Problem& p, size_t lengths_at);

  Block take(int64_t columns) { return chain_.take(plain(std::array{s_.batch, columns})); }
  // Columns of a block, from the column `first` on.
  struct Columns {
    const Block& block;
    int64_t first;
  };
  // Adds to the chain the product of k columns of a block and a part of the weight. The product writes n
  // columns of another block. Element [i, j] of the right factor, [k, n], is weight[row + i, j], or
  // weight[row + j, i] if `transposed`. The weight is operand `weight_at`, [rows, hidden].
  struct Factor {
    size_t weight_at;
    int64_t rows, row, k, n;
    bool transposed;
  };
  Product add_product(const Columns& from, const Factor& weight, const Columns& to);
  // Puts the weight of a product into oneDNN's layout. Must be called once per execution, before the product
  // runs.
  void prepare(const Product& product, cutset_queue queue, const abi::Operands& at) {
    chain_.run(queue, at, product.first, product.last);
  }
  void multiply(const Product& product, cutset_queue queue, const abi::Operands& at) {
    chain_.run(queue, at, product.last, product.last + 1);
  }

  // Returns the memory of a block in an execution.
  static float* memory(const Block& block, const abi::Operands& at) {
    return reinterpret_cast<float*>(static_cast<char*>(abi::address(*at.scratch)) + block.place.index);
  }
  static float* in_at(const abi::Operands& at, size_t i) {
    return static_cast<float*>(abi::address(at.in[i]));
  }
  static float* out_at(const abi::Operands& at, size_t i) {
    return static_cast<float*>(abi::address(at.out[i]));
  }

  // Reads the lengths. Must be called at the beginning of an execution.
  void read_lengths(const abi::Operands& at);
  bool keeps(int64_t row, int64_t t) const { return t >= lengths_[static_cast<size_t>(row)]; }

  RecurrentSizes s_;
  RecurrentSteps order_;

 private:
  size_t lengths_at_;
  std::optional<DType> length_type_;  // none: all rows have all steps
  std::vector<int64_t> lengths_;
  Chain chain_;
};

// A kernel of the device ABI that is made of K, a RecurrentKernel. K::supports(problem) returns the reason
// for a refusal.
template <class K>
class RecurrentPlan {
 public:
  static std::string supports(const cutset_device_info&, const abi::Problem& p) { return K::supports(p); }
  static uint64_t scratch(const cutset_device_info& info, const abi::Problem& p) {
    UseThreads threads(info);
    return K(p).scratch_bytes();
  }
  RecurrentPlan(cutset_device device, const abi::Problem& p) {
    UseThreads threads(abi::host(device)->info);
    kernel_.emplace(p);
  }
  uint64_t scratch_bytes() const { return kernel_->scratch_bytes(); }
  void enqueue(cutset_queue queue, const abi::Operands& at) { kernel_->run(queue, at); }

 private:
  std::optional<K> kernel_;
};

}  // namespace cutset::onednn
