#include "ir/ops/argmax/argmax_mlir.h"
