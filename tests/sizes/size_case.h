// SPDX-License-Identifier: Apache-2.0
// Functions of the C++ API whose graphs are run with other sizes than they were built with.
#pragma once
#include <cutset/activations.h>
#include <cutset/attention.h>
#include <cutset/cutset.h>
#include <cutset/einsum.h>
#include <cutset/fold.h>
#include <cutset/grid_sample.h>
#include <cutset/indexing.h>
#include <cutset/interpolate.h>
#include <cutset/losses.h>
#include <cutset/normalizations.h>
#include <cutset/pooling.h>
#include <cutset/quantization.h>
#include <cutset/recurrent.h>
#include <cutset/recurrent_layers.h>
#include <cutset/reductions.h>
#include <cutset/shapes.h>
#include <cutset/signal_windows.h>
#include <cutset/spectral.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace cutset {

// The sizes of the inputs of a case.
struct Sizes {
  int64_t batch = 4, length = 6, height = 6, width = 8;
};

// An input. Integers are from `low` to below `high`.
struct SizedInput {
  Shape shape;
  DType dtype = f32;
  double low = 0.2, high = 0.9;
  std::optional<int> batch_dimension = 0;
};

struct SizeCase {
  std::string name;  // the name of the function, and the special property of the case: "sort:batch"
  std::function<std::vector<SizedInput>(const Sizes&)> inputs;
  // Returns the results for the inputs, in this order.
  std::function<std::vector<Tensor>(Graph&, const std::vector<Tensor>&)> build;
  bool trains = true;          // whether the first result, if it is of f32, has a gradient
  bool any_size = true;        // whether all sizes may change; false: only the batch
  bool joins_samples = false;  // whether a sample reads other samples, so that micro-batches are refused
};

// Return the most frequent inputs of the cases: [batch, length, 5], and images [batch, 3, height, width].
inline std::vector<SizedInput> rows(const Sizes& s) { return {{{s.batch, s.length, 5}}}; }
inline std::vector<SizedInput> images(const Sizes& s) { return {{{s.batch, 3, s.height, s.width}}}; }

std::vector<SizeCase> size_cases_of_ops();
std::vector<SizeCase> size_cases_of_shapes();
std::vector<SizeCase> size_cases_of_functions();
std::vector<SizeCase> size_cases_of_layers();

}  // namespace cutset
