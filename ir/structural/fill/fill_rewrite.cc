#include "ir/structural/fill/fill_mlir.h"
