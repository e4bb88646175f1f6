// SPDX-License-Identifier: Apache-2.0
#include "ir/dialect/dialect.h"

#include "ir/core/op/op_library.h"
#include "ir/dialect/attributes.h"
#include "ir/structural/structural.h"
#include "llvm/Support/Path.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;

#include "ir/dialect/dialect.cpp.inc"
#include "ir/dialect/interfaces.cpp.inc"

#define OP_FOLDER(name)                 \
  namespace cutset::ir {                \
  void register_##name(mlir::Dialect&); \
  }
#include "ir/dialect/op_folders.inc"
#undef OP_FOLDER

namespace cutset::ir {

static std::vector<RegisterOps*>& op_folders_of_libraries() {
  static std::vector<RegisterOps*> folders;
  return folders;
}
OpFolderRegistration::OpFolderRegistration(RegisterOps* register_ops) {
  op_folders_of_libraries().push_back(register_ops);
}

void CutsetDialect::initialize() {
  register_attributes();
  register_structural(*this);
#define OP_FOLDER(name) register_##name(*this);
#include "ir/dialect/op_folders.inc"
#undef OP_FOLDER
  close_op_registry();
  for (RegisterOps* register_ops : op_folders_of_libraries()) register_ops(*this);
}

Operation* CutsetDialect::materializeConstant(OpBuilder& builder, Attribute value, Type type, Location loc) {
  auto elements = dyn_cast<ElementsAttr>(value);
  return elements && elements.getType() == type ? ConstantOp::create(builder, loc, elements) : nullptr;
}

namespace {

bool is_string(Attribute a) { return isa<StringAttr>(a); }
bool is_unit(Attribute a) { return isa<UnitAttr>(a); }
bool is_number(Attribute a) {
  auto number = dyn_cast<FloatAttr>(a);
  return number && number.getType().isF64();
}
bool is_count(Attribute a) {
  auto i = dyn_cast<IntegerAttr>(a);
  return i && i.getType().isSignlessInteger(64) && i.getInt() >= 0;
}
bool is_shard(Attribute a) { return is_count(a) && cast<IntegerAttr>(a).getInt() <= INT32_MAX; }
bool is_dimension(Attribute a) {
  auto i = dyn_cast<IntegerAttr>(a);
  return i && i.getType().isSignlessInteger(64) && i.getInt() >= -1 && i.getInt() < 64;
}
bool is_replicas(Attribute a) {
  return is_count(a) && cast<IntegerAttr>(a).getInt() >= 1 && cast<IntegerAttr>(a).getInt() <= kMostReplicas;
}
bool is_chunks(Attribute a) {
  return is_count(a) && cast<IntegerAttr>(a).getInt() >= 1 && cast<IntegerAttr>(a).getInt() <= 64;
}
bool is_numbers(Attribute a) { return isa<DenseI64ArrayAttr>(a); }
bool is_shares(Attribute a) {
  auto shares = dyn_cast<DenseF64ArrayAttr>(a);
  return shares && llvm::all_of(shares.asArrayRef(), [](double share) { return share >= 0 && share <= 1e9; });
}
bool is_strings(Attribute a) {
  auto list = dyn_cast<ArrayAttr>(a);
  return list && llvm::all_of(list, is_string);
}
bool is_average(Attribute a) {
  auto settings = dyn_cast<DictionaryAttr>(a);
  return settings && settings.get("decay") && is_number(settings.get("decay")) && settings.get("functions") &&
         is_strings(settings.get("functions"));
}
bool is_group(Attribute a) {
  auto group = dyn_cast<DictionaryAttr>(a);
  return group && group.get("name") && is_string(group.get("name")) && group.get("variables") &&
         is_strings(group.get("variables"));
}
bool is_minimize(Attribute a) {
  auto settings = dyn_cast<DictionaryAttr>(a);
  if (!settings) return false;
  const Attribute variables = settings.get("variables");
  if (variables && !is_strings(variables)) return false;
  const Attribute groups = settings.get("groups");
  return !groups || (isa<ArrayAttr>(groups) && llvm::all_of(cast<ArrayAttr>(groups), is_group));
}
bool is_origin(Attribute a) {
  if (auto each = dyn_cast<ArrayAttr>(a)) return llvm::all_of(each, llvm::IsaPred<OriginAttr>);
  return isa<OriginAttr>(a);
}

// Checks the type of one of the discardable attributes that passes put on modules, functions, arguments,
// results and ops. Attributes with other names are accepted.
LogicalResult verify_attribute(Operation* op, NamedAttribute attribute) {
  static constexpr struct {
    StringLiteral name;
    bool (*fits)(Attribute);
    StringLiteral what;
  } known[] = {
      {"cutset.input", is_string, "a string"},
      {"cutset.output", is_string, "a string"},
      {"cutset.program", is_string, "a string"},
      {"cutset.strategy", is_string, "a string"},
      {"cutset.role", is_string, "a string"},
      {"cutset.device", is_string, "a string"},
      {"cutset.kernel", is_string, "a string"},
      {"cutset.whole", is_string, "a string"},
      {"cutset.function", is_string, "a string"},
      {"cutset.refused", is_strings, "a list of strings"},
      {"cutset.inputs", is_strings, "a list of strings"},
      {"cutset.devices", is_strings, "a list of strings"},
      {"cutset.finite", is_strings, "a list of strings"},
      {"cutset.gradient", is_unit, "a unit attribute"},
      {"cutset.begins_role", is_unit, "a unit attribute"},
      {"cutset.step", is_unit, "a unit attribute"},
      {"cutset.several_rows", is_unit, "a unit attribute"},
      {"cutset.batch_dimension", is_dimension, "a 64-bit integer from -1 to 63"},
      {"cutset.hyper_parameter", is_number, "an f64 number"},
      {"cutset.next_id", is_count, "a 64-bit integer that is not negative"},
      {"cutset.minimize", is_minimize,
       "a dictionary, in which `variables` is a list of strings, and `groups` a list of dictionaries with "
       "`name` and `variables`"},
      {"cutset.clip_value", is_number, "an f64 number"},
      {"cutset.clip_norm", is_number, "an f64 number"},
      {"cutset.average", is_average,
       "a dictionary of an f64 number, decay, and a list of strings, functions"},
      {"cutset.stage", is_count, "a 64-bit integer that is not negative"},
      {"cutset.chunks", is_chunks, "a 64-bit integer from 1 to 64"},
      {"cutset.start", is_count, "a 64-bit integer that is not negative"},
      {"cutset.first_shard", is_shard, "a 64-bit integer from 0 to 2^31 - 1"},
      {"cutset.rows", is_count, "a 64-bit integer that is not negative"},
      {"cutset.replicas", is_replicas, "a 64-bit integer from 1 to 4096"},
      {"cutset.shares", is_shares, "a list of f64 numbers from 0 to 1e9"},
      {"cutset.shards", is_numbers, "a list of 64-bit integers"},
      {"cutset.origin", is_origin, "#cutset.origin, or a list with one per tensor"},
  };
  for (const auto& k : known)
    if (attribute.getName() == k.name && !k.fits(attribute.getValue()))
      return op->emitError() << "the attribute '" << k.name << "' is " << attribute.getValue()
                             << "; it must be " << k.what;
  return success();
}

}  // namespace

LogicalResult CutsetDialect::verifyOperationAttribute(Operation* op, NamedAttribute attribute) {
  return verify_attribute(op, attribute);
}
LogicalResult CutsetDialect::verifyRegionArgAttribute(Operation* op, unsigned, unsigned,
                                                      NamedAttribute attribute) {
  return verify_attribute(op, attribute);
}
LogicalResult CutsetDialect::verifyRegionResultAttribute(Operation* op, unsigned, unsigned,
                                                         NamedAttribute attribute) {
  return verify_attribute(op, attribute);
}

std::string source_of(Location loc) {
  std::string text;
  loc->walk([&](Location l) {
    auto file = dyn_cast<FileLineColLoc>(l);
    if (!file) return WalkResult::advance();
    text = llvm::sys::path::filename(file.getFilename().getValue()).str();
    if (file.getLine() > 0) text += ":" + std::to_string(file.getLine());
    return WalkResult::interrupt();
  });
  return text;
}

std::string layer_of(Location loc) {
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
