// SPDX-License-Identifier: Apache-2.0
// The exporters: one function per op of Cutset, which adds the nodes of ONNX that compute the same values. A
// file of exporters/ holds those of a family of ops, and docs/howto/add-onnx-op.md shows how one is added.
#pragma once
#include <map>
#include <string_view>

#include "frontends/onnx/export/exported_op.h"

namespace cutset::onnx {

// The names of the results in the model. A result that no output needs may have an empty name.
using Exported = Result<ValueNames>;
// Exports an op. Fails with kUnsupported and the reason if no nodes of ONNX compute what the op computes.
using Exporter = Exported (*)(ExportedOp& op);
// By the name of the op.
using Exporters = std::map<std::string_view, Exporter>;

// The exporters of all families.
const Exporters& exporters();

// Enters a function that adds the exporters of one file, when the library is loaded:
//   static const ExporterFamily kCastsExporters(export_casts);
struct ExporterFamily {
  explicit ExporterFamily(void (*add)(Exporters& table));
};

// The result of an exporter whose op has one result.
inline Exported one(std::string name) { return ValueNames{std::move(name)}; }

}  // namespace cutset::onnx
