#include "ir/structural/count/count_mlir.h"
