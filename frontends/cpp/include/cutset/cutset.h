// What building, compiling and running a graph needs. <cutset/explain.h>, <cutset/saved.h>, <cutset/schedule.h>,
// <cutset/testing.h> and <cutset/verify.h> are included by those who use them. Includes no MLIR and no vendor's header.
#pragma once
#include <cutset/data.h>
#include <cutset/error.h>
#include <cutset/graph.h>
#include <cutset/ops.h>
#include <cutset/session.h>
#include <cutset/tensor.h>
