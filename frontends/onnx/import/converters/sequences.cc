// SPDX-License-Identifier: Apache-2.0
// Ops that move rows of each sample to places that depend on the sample.
#include <cutset/onnx_ops/sequences.h>

#include "frontends/onnx/import/converters.h"

namespace cutset::onnx {
namespace {

Results reverse_sequence_of(Node& n) {
  return {onnx_ops::reverse_sequence(n.in(0), n.in(1), n.number("time_axis", 0), n.number("batch_axis", 1))};
}

Results update_cache_of(Node& n) {
  const std::string mode = n.text("mode", "linear");
  if (mode != "linear" && mode != "circular") invalid("the mode is '" + mode + "'");
  return {onnx_ops::update_cache(n.in(0), n.in(1), n.optional(2), n.number("axis", -2), mode == "circular")};
}

}  // namespace

static void add_sequences(Converters& table) {
  table.insert({{"ReverseSequence", reverse_sequence_of}, {"TensorScatter", update_cache_of}});
}

static const ConverterFamily kSequencesConverters(add_sequences);

}  // namespace cutset::onnx
