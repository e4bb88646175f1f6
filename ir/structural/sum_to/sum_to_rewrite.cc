#include "ir/structural/sum_to/sum_to_mlir.h"
