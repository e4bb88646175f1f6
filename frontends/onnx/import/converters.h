// SPDX-License-Identifier: Apache-2.0
// The converters: one function per op of ONNX, which appends ops of Cutset. A file of converters/ holds those
// of a family of ops, and docs/howto/add-onnx-op.md shows how one is added.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/onnx/import/nodes/node.h"

namespace cutset::onnx {

// The results of a node in the order of its outputs. Results at the end that the node does not name may be
// missing.
using Results = std::vector<Value>;
// Converts a node. Throws a cutset::Error if the node is invalid or not supported.
using Converter = Results (*)(Node& node);
// By the name of the op. The name of an op of another domain than ONNX's own begins with the domain:
// "com.microsoft.BiasGelu".
using Converters = std::map<std::string_view, Converter>;

// The converter of a node; null if there is none.
Converter converter_of(const onnx_proto::NodeProto& node);
// Why a node has no converter, and what to do.
std::string why_not_converted(const onnx_proto::NodeProto& node);

// Each adds the converters of one file.
void add_activations(Converters& table);
void add_arithmetic(Converters& table);
void add_attention(Converters& table);
void add_branches(Converters& table);
void add_casts(Converters& table);
void add_comparisons(Converters& table);
void add_constants(Converters& table);
void add_convolutions(Converters& table);
void add_images(Converters& table);
void add_indexing(Converters& table);
void add_loops(Converters& table);
void add_losses(Converters& table);
void add_matrix_products(Converters& table);
void add_normalizations(Converters& table);
void add_poolings(Converters& table);
void add_quantization(Converters& table);
void add_quantized_products(Converters& table);
void add_recurrent(Converters& table);
void add_reductions(Converters& table);
void add_resizing(Converters& table);
void add_scans(Converters& table);
void add_sequences(Converters& table);
void add_sequences_of_tensors(Converters& table);
void add_shapes(Converters& table);
void add_skip_normalizations(Converters& table);
void add_slices(Converters& table);
void add_spectra(Converters& table);
void add_texts(Converters& table);

}  // namespace cutset::onnx
