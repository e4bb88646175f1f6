// The compiler's side of the bridge. The builder appends MLIR operations directly, so there is no second form of the
// graph.
#pragma once
#include "frontends/cpp/bridge.h"

// Returns the compiler, or null if `version` is not the bridge version of this library.
extern "C" cutset::Compiler* cutset_compiler_open(int version);
