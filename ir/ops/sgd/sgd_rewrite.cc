#include "ir/ops/sgd/sgd_mlir.h"
