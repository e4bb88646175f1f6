#include "ir/structural/accumulate/accumulate_mlir.h"
