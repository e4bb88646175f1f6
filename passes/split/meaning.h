// What a value of a split program means in the program of one device: which of its values, and of which
// shards. The compiler carries it as a label, `cutset.meaning = [number, first, last, factor, layouts...]`;
// nothing it decides depends on it. `verify` does.
#pragma once
#include "mlir/IR/BuiltinOps.h"
#include "passes/split/layout.h"
#include "runtime/program.h"

namespace cutset::passes {

inline constexpr llvm::StringLiteral kMeaning = "cutset.meaning";

// Numbers all values of a function: arguments first, then results in order.
void number_values(mlir::func::FuncOp function);
// The number of an op's first result, or kNone.
int64_t number_of(mlir::Operation* op);
mlir::DenseI64ArrayAttr meaning_attribute(mlir::MLIRContext* context, int64_t number, int64_t first, int64_t last,
                                          int factor, llvm::ArrayRef<Layout> results);
// Of result `result` of an op that carries it; none where it carries none.
Meaning meaning_of(mlir::Operation* op, unsigned result = 0);
Meaning meaning_of(mlir::Attribute attribute, unsigned result);
// The label of one result alone, for what carries that value elsewhere.
mlir::Attribute one_result(mlir::Attribute attribute, unsigned result);

// Gives each op without an id one that no op of the module has. What joins the rows of an input comes from no op, and
// has the value that it stands for in common with its copies in other replicas; these get the same id.
void give_missing_ids(mlir::ModuleOp module);

}  // namespace cutset::passes
