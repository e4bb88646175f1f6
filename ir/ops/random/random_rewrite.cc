#include "ir/ops/random/random_mlir.h"
