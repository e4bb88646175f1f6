#include "ir/structural/sum_to_size/sum_to_size_mlir.h"
