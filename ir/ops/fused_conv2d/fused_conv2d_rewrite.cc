#include "ir/ops/fused_conv2d/fused_conv2d_mlir.h"
