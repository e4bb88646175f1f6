// SPDX-License-Identifier: Apache-2.0
// The generated classes of the dialect's own attributes, which ir/dialect/attributes.td describes.
#pragma once
#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#define GET_ATTRDEF_CLASSES
#include "ir/dialect/attributes.h.inc"
