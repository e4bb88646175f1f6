// SPDX-License-Identifier: Apache-2.0
// Layers whose calls share their variables, as the modules of PyTorch do.
//
//   nn::Dense fc("fc", 10);
//   Tensor first = fc(x), second = fc(y);  // two ops, one weight "fc.weight"
//
//   nn::Shared tower([](const Tensor& x) { return nn::dense("out", relu(nn::dense("in", x, 64)), 8); });
//   Tensor distance = sum(pow(tower(left) - tower(right), 2));
//
// The first call makes the variables, and later calls find them by their names. A call throws a cutset::Error
// with the line of the call if its operands need a variable of another type. Copies of a layer also share its
// variables. If a layer is called for tensors of two graphs, each graph gets separate variables. A layer
// belongs to one thread at a time, as its graph does.
//
// Each call of a dropout draws another mask. A function that trains moves the running statistics of a batch
// normalization once for each call that it computes, in the order of the calls. A second layer with the same
// name is an error, even inside of one call. A call of a block that throws leaves what its layers have made,
// and the next call uses it.
#pragma once
#include <cutset/layers.h>

#include <functional>
#include <memory>
#include <source_location>
#include <string>
#include <utility>

namespace cutset {
struct SharingCall;
}

namespace cutset::nn {

// The names of the variables that the calls of a layer share. A copy refers to the same names.
class SharedVariables {
  struct Names;

 public:
  // Makes an empty list.
  SharedVariables();
  // Copies refer to the same names. A move is a copy, so no list is without its names.
  SharedVariables(const SharedVariables&) = default;
  SharedVariables& operator=(const SharedVariables&) = default;
  // One call of the layer. While it lives, a layer that would make a variable with the name of a variable of
  // an earlier call gets the earlier variable instead.
  class Call {
   public:
    // Begins a call for the graph of `operand`. Throws if the tensor is empty.
    Call(const SharedVariables& variables, const Tensor& operand, std::source_location source);
    // Ends the call.
    ~Call();
    Call(const Call&) = delete;

   private:
    std::shared_ptr<Names> names_;
    std::shared_ptr<GraphState> graph_;
    std::shared_ptr<SharingCall> call_;
  };

 private:
  std::shared_ptr<Names> names_;
};

// A block of layers that can be called several times. `Block` is a function of a tensor, and perhaps of more
// operands. It calls the layers with their names, and its result is the result of the call.
template <class Block>
class Shared {
 public:
  // Keeps the function.
  explicit Shared(Block block, std::source_location source = std::source_location::current())
      : block_(std::move(block)), source_(source) {}
  // Copies share their variables.
  Shared(const Shared&) = default;
  Shared& operator=(const Shared&) = default;
  // Calls the function in the graph of the first operand.
  template <class... More>
  auto operator()(const Tensor& x, More&&... more) const {
    const SharedVariables::Call call(variables_, x, source_);
    return block_(x, std::forward<More>(more)...);
  }

 private:
  Block block_;
  std::source_location source_;
  SharedVariables variables_;
};

// A layer of one operand that can be called several times.
class Layer {
 public:
  // Copies share their variables.
  Layer(const Layer&) = default;
  Layer& operator=(const Layer&) = default;
  // Appends the layer to the graph of x.
  Tensor operator()(const Tensor& x, std::source_location source = std::source_location::current()) const;

 protected:
  // Appends the ops of one call.
  using Function = std::function<Tensor(const Tensor& x, std::source_location source)>;
  // Makes a layer without variables.
  explicit Layer(Function function);

 private:
  Function function_;
  SharedVariables variables_;
};

// The layers of <cutset/layers.h> that have variables. Each has the arguments of the function with its name
// in small letters, without the operand.

// A fully connected layer: the object for nn::dense.
class Dense : public Layer {
 public:
  // Describes the layer, and makes no variable.
  Dense(std::string name, int64_t units, DenseOptions options = {});
};
// A convolution: the object for nn::conv.
class Conv : public Layer {
 public:
  // Describes the layer, and makes no variable.
  Conv(std::string name, ConvOptions options);
  Conv(std::string name, int64_t out_channels, AxisSizes kernel_size, ConvOptions options = {});
};
// A transposed convolution: the object for nn::conv_transpose.
class ConvTranspose : public Layer {
 public:
  // Describes the layer, and makes no variable.
  ConvTranspose(std::string name, ConvTransposeOptions options);
};
// An embedding: the object for nn::embedding.
class Embedding : public Layer {
 public:
  // Describes the layer, and makes no variable.
  Embedding(std::string name, EmbeddingOptions options);
  Embedding(std::string name, int64_t vocabulary, int64_t width);
};
// A layer normalization: the object for nn::layer_norm.
class LayerNorm : public Layer {
 public:
  // Describes the layer, and makes no variable.
  explicit LayerNorm(std::string name, LayerNormOptions options = {});
};
// A root-mean-square normalization: the object for nn::rms_norm.
class RmsNorm : public Layer {
 public:
  // Describes the layer, and makes no variable.
  explicit RmsNorm(std::string name, RmsNormOptions options = {});
};
// A group normalization: the object for nn::group_norm.
class GroupNorm : public Layer {
 public:
  // Describes the layer, and makes no variable.
  GroupNorm(std::string name, GroupNormOptions options);
  GroupNorm(std::string name, WholeNumber groups);
};
// A batch normalization: the object for nn::batch_norm.
class BatchNorm : public Layer {
 public:
  // Describes the layer, and makes no variable.
  explicit BatchNorm(std::string name, BatchNormOptions options = {});
};
// A dropout: the object for nn::dropout.
class Dropout : public Layer {
 public:
  // Describes the layer, and makes no variable.
  explicit Dropout(std::string name, DropoutOptions options = {});
  Dropout(std::string name, RealNumber probability);
};

// An attention layer: the object for nn::multi_head_attention.
class MultiHeadAttention {
 public:
  // Copies share their variables.
  MultiHeadAttention(const MultiHeadAttention&) = default;
  MultiHeadAttention& operator=(const MultiHeadAttention&) = default;
  // Describes the layer, and makes no variable.
  MultiHeadAttention(std::string name, MultiHeadAttentionOptions options);
  // Appends the layer for a query, keys and values.
  Tensor operator()(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& mask = {},
                    std::source_location source = std::source_location::current()) const;
  // Appends the layer for self-attention.
  Tensor operator()(const Tensor& x, const Tensor& mask = {},
                    std::source_location source = std::source_location::current()) const;

 private:
  std::string name_;
  MultiHeadAttentionOptions options_;
  SharedVariables variables_;
};

}  // namespace cutset::nn
