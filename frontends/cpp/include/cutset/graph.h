// Building a graph. Each call appends an op at once; shapes are inferred then, and an operand that does
// not fit is a cutset::Error with the line of the call.
//
// A Graph and its tensors belong to one thread at a time. Copies of a Graph, its tensors and its scopes are handles
// of one graph: what is added through one is there for all.
//
// A graph has functions, which Session::run names. "train" and "evaluate" return what output() names: minimize()
// makes "train", one training step, and "evaluate" is there as soon as the graph has an output. function() makes any
// others. A function computes what its results depend on and needs those inputs alone.
#pragma once
#include <cutset/error.h>
#include <cutset/handle.h>
#include <cutset/ops.h>

#include <cstdint>
#include <map>
#include <source_location>
#include <string>
#include <vector>

#include "runtime/host_tensor.h"

namespace cutset {

// How a variable starts. Numbers are drawn by counter (Philox), so every device draws the same.
struct Initializer {
  enum class Kind { kZeros, kUniform, kNormal } kind = Kind::kZeros;
  double a = 0, b = 0;
  static Initializer zeros() { return {}; }
  static Initializer uniform(double low, double high) { return {Kind::kUniform, low, high}; }
  static Initializer normal(double mean, double deviation) { return {Kind::kNormal, mean, deviation}; }
};

struct VariableOptions {
  bool trainable = true;  // false: minimize leaves it alone; set it with assign, or Session::set_variable
};

// Stochastic gradient descent; its state is one velocity per variable, which starts at zero. The numbers are the
// first values of the hyper-parameters "learning_rate" and "momentum" of the session, which may change them between
// steps (Session::set_hyper_parameter). They must be finite.
struct Sgd {
  double learning_rate = 0.01;
  double momentum = 0;
};

struct InputOptions {
  // Axis 0 is the batch: data(n) gives each replica its share of the rows. Where it is false (a mask, a table, a
  // time-major tensor), every replica gets the whole tensor.
  bool batched = true;
};

// A handle: its copies and its Tensors share one graph. Every use of a Graph that was moved from is a cutset::Error.
class Graph {
 public:
  // `seed` draws the initial values of variables.
  explicit Graph(uint64_t seed = 0);

  Tensor input(const std::string& name, DType dtype, const Shape& shape,
               std::source_location where = std::source_location::current());
  Tensor input(const std::string& name, DType dtype, const Shape& shape, const InputOptions& options,
               std::source_location where = std::source_location::current());
  // The number of the step that runs, an i64 scalar: 1 in the first training step of a session, and one more after
  // each that commits. Functions that train nothing get the number of the last training step that did. Hand it to
  // random_uniform or random_normal, which then draw other numbers in each step; initial values are those of step 0.
  Tensor step(std::source_location where = std::source_location::current());
  // A scalar (f32) that the session feeds: `initial`, which must be finite, until Session::set_hyper_parameter gives
  // it another value. Changing it compiles nothing. The same name with the same `initial` is the same tensor;
  // "learning_rate" and "momentum" are those of Sgd, whose values must then be equal.
  Tensor hyper_parameter(const std::string& name, double initial,
                         std::source_location where = std::source_location::current());
  // Makes a variable, state that lives from step to step, and returns its value before the step. `name` must be new,
  // and no function's.
  Tensor variable(const std::string& name, DType dtype, const Shape& shape, const Initializer& initial,
                  const VariableOptions& options = {}, std::source_location where = std::source_location::current());
  // Gives `variable`, which variable() returned, `value` at the end of each step of "train": all of the step reads
  // the value before it, and a step that fails assigns nothing. A variable is assigned once, and not trained as well.
  // Replicas assign the same value, computed over the whole batch.
  void assign(const Tensor& variable, const Tensor& value,
              std::source_location where = std::source_location::current());
  // Names a result, which "train" and "evaluate" return. It is computed in both; what is wanted in one alone belongs
  // in a function of its own.
  void output(const std::string& name, const Tensor& value,
              std::source_location where = std::source_location::current());
  // Makes the function `name`, which returns `outputs` and takes `inputs` of the graph, all that the outputs depend
  // on among them: g.function("predict", {image}, {{"logits", logits}}). It changes no variable. "evaluate" may be
  // made so too, and then returns these outputs instead of what output() names.
  void function(const std::string& name, const std::vector<Tensor>& inputs,
                const std::vector<std::pair<std::string, Tensor>>& outputs,
                std::source_location where = std::source_location::current());
  // Makes the function "train": one step of `optimizer` down the gradient of `loss`, a scalar, for all trainable
  // variables that the loss depends on. The loss becomes the output "loss".
  void minimize(const Tensor& loss, const Sgd& optimizer, std::source_location where = std::source_location::current());

  // Names and types, in the order in which they were made.
  const std::vector<std::pair<std::string, TensorType>>& inputs() const;
  // Of each integer input that an op reads as labels (a loss, one_hot): how many classes there are. Labels lie
  // in [0, classes).
  const std::map<std::string, int64_t>& label_classes() const;
  // The program as text, before any pass.
  std::string text() const;
  // A small tensor that is part of the program: of at most 1 KiB. Larger values belong in a variable or an input.
  Tensor constant(const HostTensor& value, std::source_location where = std::source_location::current());
  // For the functions that build graphs.
  const std::shared_ptr<GraphState>& state() const;

 private:
  // The number of a tensor of this graph; throws an Error that says what is not one.
  int own(const Tensor& tensor, const std::string& what, std::source_location where) const;

  Handle<std::shared_ptr<GraphState>> state_;
};

// A scalar that is part of the program.
Tensor constant(Graph& graph, const Number& value, DType dtype);
// One of the element type of `like`, for functions that take tensors: greater(x, constant(x, 0.5)).
Tensor constant(const Tensor& like, const Number& value);

// While it lives, ops go to `device`: "user" is then the reason, and no pass moves them.
class On {
 public:
  On(Graph& graph, const std::string& device);
  ~On();
  On(const On&) = delete;

 private:
  std::shared_ptr<GraphState> state_;
  std::string before_;
};

// While it lives, ops belong to the layer `name`, a cluster in pictures.
class Scope {
 public:
  Scope(const std::shared_ptr<GraphState>& graph, const std::string& name);
  ~Scope();
  Scope(const Scope&) = delete;

 private:
  std::shared_ptr<GraphState> state_;
  std::string before_;
};

// Compositions of ops. No axes means all of them.
Tensor sum(const Tensor& x, const std::vector<int64_t>& axes = {}, bool keep_dims = false,
           std::source_location where = std::source_location::current());
Tensor mean(const Tensor& x, const std::vector<int64_t>& axes = {}, bool keep_dims = false,
            std::source_location where = std::source_location::current());
Tensor flatten(const Tensor& x,
               std::source_location where = std::source_location::current());  // all but the first dimension
struct Pool2d {
  int64_t kernel = 2;
  int64_t stride = 0;  // 0: as the kernel
  int64_t padding = 0;
};
Tensor max_pool2d(const Tensor& x, const Pool2d& pool, std::source_location where = std::source_location::current());
// By reshape and mean, so it needs sizes that the kernel divides.
Tensor mean_pool2d(const Tensor& x, int64_t kernel, std::source_location where = std::source_location::current());

// Layers with variables, initialized as PyTorch does: uniform within 1 / sqrt(fan in).
namespace nn {
struct Conv2d {
  int64_t filters = 0;
  int64_t kernel = 1;
  int64_t stride = 1;
  int64_t padding = 0;
  int64_t dilation = 1;
  int64_t groups = 1;
};
// Variables NAME.weight and NAME.bias. A call that throws leaves none behind.
Tensor conv2d(Graph& g, const std::string& name, const Tensor& x, const Conv2d& options,
              std::source_location where = std::source_location::current());
Tensor dense(Graph& g, const std::string& name, const Tensor& x, int64_t units,
             std::source_location where = std::source_location::current());
}  // namespace nn

}  // namespace cutset
