// SPDX-License-Identifier: Apache-2.0
// Element types (DType), shapes (Shape) and tensor types (TensorType).
#pragma once
#include "ir/core/types.h"
