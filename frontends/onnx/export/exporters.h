// SPDX-License-Identifier: Apache-2.0
// The exporters: one function per op of Cutset, which adds the nodes of ONNX that compute the same values. A
// file of exporters/ holds the exporters of a family of ops. docs/howto/add-onnx-op.md shows how to add one.
#pragma once
#include <map>
#include <string_view>

#include "frontends/onnx/export/exported_op.h"
#include "frontends/onnx/family.h"

namespace cutset::onnx {

// The names of the results in the model. A result that no output needs may have an empty name.
using Exported = Result<ValueNames>;
// Exports an op. Fails with kUnsupported and the reason if no nodes of ONNX compute what the op computes.
using Exporter = Exported (*)(ExportedOp& op);
// The exporters by the names of the ops.
using Exporters = std::map<std::string_view, Exporter>;

// Returns the exporters of all families.
const Exporters& exporters();

// Registers the exporters of one file, when the library is loaded.
using ExporterFamily = Family<Exporters>;

// Makes the result of an exporter whose op has one result.
inline Exported one(std::string name) { return ValueNames{std::move(name)}; }

}  // namespace cutset::onnx
