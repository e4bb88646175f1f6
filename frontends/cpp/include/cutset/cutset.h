// All of Cutset's C++ API. Includes no MLIR and no vendor's header.
#pragma once
#include <cutset/data.h>
#include <cutset/error.h>
#include <cutset/graph.h>
#include <cutset/ops.h>
#include <cutset/session.h>
#include <cutset/tensor.h>
