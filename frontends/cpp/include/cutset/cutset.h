// All that a program needs to build, compile and run a graph. <cutset/augment.h>, <cutset/explain.h>,
// <cutset/image_data.h>, <cutset/learning_rate_schedule.h>, <cutset/saved.h>, <cutset/testing.h>, <cutset/text_data.h>
// and <cutset/verify.h> are included by the programs that use them. No public header includes MLIR or a header of a
// vendor.
#pragma once
#include <cutset/activations.h>
#include <cutset/constants.h>
#include <cutset/data.h>
#include <cutset/error.h>
#include <cutset/graph.h>
#include <cutset/indexing.h>
#include <cutset/layers.h>
#include <cutset/ops.h>
#include <cutset/pooling.h>
#include <cutset/recurrent.h>
#include <cutset/recurrent_layers.h>
#include <cutset/session.h>
#include <cutset/tensor.h>
#include <cutset/trainer.h>
