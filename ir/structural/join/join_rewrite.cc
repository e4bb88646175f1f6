#include "ir/structural/join/join_mlir.h"
