// SPDX-License-Identifier: Apache-2.0
#include "ir/dialect/attributes.h"

#include <limits>

#include "ir/core/types.h"
#include "ir/dialect/dialect.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/IR/DialectImplementation.h"

#define GET_ATTRDEF_CLASSES
#include "ir/dialect/attributes.cpp.inc"

using namespace mlir;

namespace cutset::ir {
namespace {

// Layouts of an origin that are not a dimension.
constexpr int64_t kWhole = -1, kPartial = -2;
constexpr int64_t kMostPieces = 4096;
constexpr size_t kNumbersPerPiece = 5;

}  // namespace

void CutsetDialect::register_attributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ir/dialect/attributes.cpp.inc"
      >();
}

LogicalResult OriginAttr::verify(function_ref<InFlightDiagnostic()> error, int64_t value, int64_t first,
                                 int64_t last, int64_t factor, ArrayRef<int64_t> layouts,
                                 ArrayRef<int64_t> pieces) {
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  if (value < -1 || value + static_cast<int64_t>(layouts.size()) > kMost)
    return error() << "an origin has the value " << value << ", which is not from -1 to " << kMost;
  if (first < 0 || last <= first || last > kMost)
    return error() << "an origin covers the shards " << first << " to " << last
                   << "; the first must be at least 0 and below the last, and the last at most " << kMost;
  if (!pieces.empty() && pieces.size() != layouts.size() * kNumbersPerPiece)
    return error() << "an origin has " << pieces.size() << " numbers of pieces for " << layouts.size()
                   << " results";
  for (size_t i = 0; i < pieces.size(); i += kNumbersPerPiece)
    if (pieces[i] < kPartial || pieces[i] >= kMaxRank || pieces[i + 1] < -1 || pieces[i + 1] > kMost ||
        pieces[i + 3] < 1 || pieces[i + 3] > kMostPieces || pieces[i + 2] < 0 ||
        pieces[i + 2] >= pieces[i + 3] || pieces[i + 4] < 1)
      return error() << "an origin has a piece that is out of range";
  if (factor < -1 || factor > kMost)
    return error() << "an origin has the factor " << factor << ", which is not from -1 to " << kMost;
  for (int64_t layout : layouts)
    if (layout < kPartial || layout >= kMaxRank)
      return error() << "an origin has rows along dimension " << layout << ", which is not from 0 to "
                     << kMaxRank - 1;
  return success();
}

Attribute OriginAttr::parse(AsmParser& parser, Type) {
  int64_t value = 0, first = 0, last = 0, factor = -1;
  SmallVector<int64_t> layouts, pieces;
  auto integer_after = [&](StringRef keyword, int64_t& to) {
    return failure(parser.parseKeyword(keyword) || parser.parseInteger(to));
  };
  if (parser.parseLess() || failed(integer_after("value", value)) || parser.parseComma() ||
      failed(integer_after("shards", first)) || failed(integer_after("to", last)))
    return {};
  while (succeeded(parser.parseOptionalComma())) {
    if (succeeded(parser.parseOptionalKeyword("piece"))) {
      if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                         [&] { return parser.parseInteger(pieces.emplace_back()); }))
        return {};
      break;
    }
    int64_t& layout = layouts.emplace_back(kWhole);
    if (succeeded(parser.parseOptionalKeyword("whole"))) continue;
    if (succeeded(parser.parseOptionalKeyword("partial"))) {
      layout = kPartial;
      const OptionalParseResult given = parser.parseOptionalInteger(factor);
      if (given.has_value() && failed(*given)) return {};
    } else if (failed(integer_after("rows", layout))) {
      return {};
    }
  }
  if (parser.parseGreater()) return {};
  return parser.getChecked<OriginAttr>(parser.getContext(), value, first, last, factor, layouts, pieces);
}

void OriginAttr::print(AsmPrinter& printer) const {
  printer << "<value " << getValue() << ", shards " << getFirst() << " to " << getLast();
  for (int64_t layout : getLayouts()) {
    if (layout == kWhole)
      printer << ", whole";
    else if (layout != kPartial)
      printer << ", rows " << layout;
    else if (printer << ", partial"; getFactor() >= 0)
      printer << ' ' << getFactor();
  }
  if (!getPieces().empty()) {
    printer << ", piece [";
    llvm::interleaveComma(getPieces(), printer);
    printer << ']';
  }
  printer << '>';
}

}  // namespace cutset::ir
