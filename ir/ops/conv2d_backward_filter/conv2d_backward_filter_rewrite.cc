#include "ir/ops/conv2d_backward_filter/conv2d_backward_filter_mlir.h"
