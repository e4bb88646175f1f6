#include "ir/structural/all_finite/all_finite_mlir.h"
