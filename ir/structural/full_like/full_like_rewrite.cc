#include "ir/structural/full_like/full_like_mlir.h"
