// SPDX-License-Identifier: Apache-2.0
#include "passes/support/layout/batch.h"

#include "passes/passes.h"

using namespace mlir;

namespace cutset::passes {
namespace {

constexpr const char* kHow =
    "the batch is one dimension of every input and has the same size in each (InputOptions{.batch_dimension "
    "= ...} names another dimension than the first one, or std::nullopt for an input without a batch, such "
    "as a mask; InputOptions{.several_rows_per_sample = true} is for labels [B*S] beside tokens [B, S])";

// Returns as text the name of an input, and the number of its rows along the batch.
std::string rows_of(func::FuncOp function, unsigned argument, int64_t rows) {
  auto name = function.getArgAttrOfType<StringAttr>(argument, kInput);
  return "input '" + (name ? name.str() : std::to_string(argument)) + "' has " + std::to_string(rows) +
         (rows == 1 ? " row" : " rows");
}

}  // namespace

Batch batch_of(func::FuncOp function) {
  Batch batch;
  std::optional<unsigned> with_samples,
      with_rows;  // the first arguments with one row, and with several, per sample
  const auto rows = [&](unsigned argument) {
    return cast<RankedTensorType>(function.getArgumentTypes()[argument])
        .getDimSize(static_cast<unsigned>(batch.layouts[argument]));
  };
  const auto conflict = [&](unsigned argument, std::string why) {
    if (!batch.conflict) batch.conflict = {argument, std::move(why)};
  };
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    const int64_t rank = cast<RankedTensorType>(function.getArgumentTypes()[i]).getRank();
    auto dimension = function.getArgAttrOfType<IntegerAttr>(i, kBatchDimension);
    const int64_t d = dimension ? dimension.getInt() : rank == 0 ? kWhole : 0;
    batch.layouts.push_back(d < rank ? static_cast<Layout>(d) : kWhole);
    if (d >= rank)
      conflict(i, "the batch is dimension " + std::to_string(d) + " of an input with " +
                      std::to_string(rank) + (rank == 1 ? " dimension" : " dimensions"));
    if (batch.layouts[i] == kWhole) continue;
    auto& first = function.getArgAttr(i, kSeveralRows) ? with_rows : with_samples;
    if (!first) first = i;
  }
  const std::optional<unsigned> reference = with_samples ? with_samples : with_rows;
  if (!reference) return batch;
  batch.samples = rows(*reference);
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    if (batch.layouts[i] == kWhole || rows(i) == batch.samples) continue;
    const bool divides = batch.samples > 0 && rows(i) > 0 && rows(i) % batch.samples == 0;
    if (with_samples && function.getArgAttr(i, kSeveralRows)) {
      if (!divides)
        conflict(i, rows_of(function, i, rows(i)) + ", which cannot be the same number for each of " +
                        std::to_string(batch.samples) +
                        " samples: " + rows_of(function, *reference, batch.samples));
    } else {
      conflict(i, "inputs of " + std::to_string(batch.samples) + " and " + std::to_string(rows(i)) +
                      " rows: " + rows_of(function, *reference, batch.samples) + ", and " +
                      rows_of(function, i, rows(i)) + "; " + kHow);
    }
  }
  return batch;
}

}  // namespace cutset::passes
