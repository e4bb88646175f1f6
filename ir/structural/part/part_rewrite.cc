#include "ir/structural/part/part_mlir.h"
