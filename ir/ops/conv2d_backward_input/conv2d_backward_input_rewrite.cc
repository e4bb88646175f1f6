#include "ir/ops/conv2d_backward_input/conv2d_backward_input_mlir.h"
