#include "ir/ops/one_hot/one_hot_mlir.h"
