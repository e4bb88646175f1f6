// SPDX-License-Identifier: Apache-2.0
#include "ir/dialect/placement.h"

using namespace mlir;

namespace cutset::ir {

LogicalResult verify_placement(Operation* op, const Placement& p) {
  if (p.device && p.device.getValue().empty()) return op->emitOpError("is placed on a device without a name");
  if (p.reason && !p.device) return op->emitOpError("has a reason for a device, but no device");
  if (p.replica < 0 || p.replica >= kMostReplicas)
    return op->emitOpError() << "belongs to replica " << p.replica << ", which is not from 0 to "
                             << kMostReplicas - 1;
  if (p.id < 0 || p.id > kMostId)
    return op->emitOpError() << "has the id " << p.id << ", which is not from 1 to " << kMostId;
  return success();
}

Attribute convertToAttribute(MLIRContext* context, const Placement& p) {
  Builder b(context);
  SmallVector<NamedAttribute> fields;
  auto add = [&](StringRef name, Attribute value) { fields.emplace_back(b.getStringAttr(name), value); };
  if (p.device) add("device", p.device);
  if (p.id) add("id", b.getI64IntegerAttr(p.id));
  if (p.reason) add("reason", p.reason);
  if (p.replica) add("replica", b.getI64IntegerAttr(p.replica));
  return b.getDictionaryAttr(fields);
}

LogicalResult convertFromAttribute(Placement& p, Attribute attribute,
                                   function_ref<InFlightDiagnostic()> error) {
  auto fields = dyn_cast_or_null<DictionaryAttr>(attribute);
  if (!fields) return error ? LogicalResult(error() << "placement must be a dictionary") : failure();
  p = Placement();
  p.device = fields.getAs<StringAttr>("device");
  p.reason = fields.getAs<StringAttr>("reason");
  auto number = [&](StringRef name, int64_t& to) {
    if (auto i = fields.getAs<IntegerAttr>(name); i && i.getType().isSignlessInteger(64)) to = i.getInt();
  };
  number("id", p.id);
  number("replica", p.replica);
  return success();
}

ParseResult parsePlacement(OpAsmParser& parser, Placement& p) {
  auto string = [&](StringRef keyword, StringAttr& to) -> ParseResult {
    std::string text;
    if (failed(parser.parseOptionalKeyword(keyword))) return success();
    if (parser.parseString(&text)) return failure();
    to = parser.getBuilder().getStringAttr(text);
    return success();
  };
  auto number = [&](StringRef keyword, int64_t& to) -> ParseResult {
    return failed(parser.parseOptionalKeyword(keyword)) ? ParseResult(success()) : parser.parseInteger(to);
  };
  return failure(string("on", p.device) || string("because", p.reason) || number("replica", p.replica) ||
                 number("id", p.id));
}

void printPlacement(OpAsmPrinter& printer, Operation*, const Placement& p) {
  const char* gap = "";  // the declarative format has already printed one blank
  auto word = [&](StringRef keyword) -> OpAsmPrinter& {
    printer << gap << keyword << ' ';
    gap = " ";
    return printer;
  };
  if (p.device) word("on") << p.device;
  if (p.reason) word("because") << p.reason;
  if (p.replica) word("replica") << p.replica;
  if (p.id) word("id") << p.id;
}

}  // namespace cutset::ir
