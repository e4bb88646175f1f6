#include "ir/dialect/dialect.h"

#include "ir/structural/structural.h"
#include "llvm/Support/Path.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;

#include "ir/dialect/dialect.cpp.inc"
#include "ir/dialect/interfaces.cpp.inc"

#define ROOM(name)                      \
  namespace cutset::ir {                \
  void register_##name(mlir::Dialect&); \
  }
#include "ir/dialect/rooms.inc"
#undef ROOM

namespace cutset::ir {

void CutsetDialect::initialize() {
  registerStructural(*this);
#define ROOM(name) register_##name(*this);
#include "ir/dialect/rooms.inc"
#undef ROOM
}

Operation* CutsetDialect::materializeConstant(OpBuilder& builder, Attribute value, Type type, Location loc) {
  auto elements = dyn_cast<ElementsAttr>(value);
  return elements && elements.getType() == type ? ConstantOp::create(builder, loc, elements) : nullptr;
}

std::string sourceOf(Location loc) {
  std::string text;
  loc->walk([&](Location l) {
    auto file = dyn_cast<FileLineColLoc>(l);
    if (!file) return WalkResult::advance();
    text = (llvm::sys::path::filename(file.getFilename().getValue()) + ":" + Twine(file.getLine())).str();
    return WalkResult::interrupt();
  });
  return text;
}

std::string scopeOf(Location loc) {
  std::string text;
  loc->walk([&](Location l) {
    auto name = dyn_cast<NameLoc>(l);
    if (!name) return WalkResult::advance();
    text = name.getName().str();
    return WalkResult::interrupt();
  });
  return text;
}

}  // namespace cutset::ir
