// SPDX-License-Identifier: Apache-2.0
// Includes all that a program needs to build, train and run a network. A program includes these headers
// itself: <cutset/augment.h>, <cutset/explain.h>, <cutset/image_data.h>, <cutset/learning_rate_schedule.h>,
// <cutset/onnx.h>, <cutset/saved.h>, <cutset/testing.h>, <cutset/text_data.h>, <cutset/verify.h>, and the
// headers of functions of one field, such as <cutset/spectral.h> or <cutset/quantization.h>. No public header
// includes MLIR or a header of a vendor.
#pragma once
#include <cutset/activations.h>
#include <cutset/attention.h>
#include <cutset/constants.h>
#include <cutset/convolutions.h>
#include <cutset/data.h>
#include <cutset/einsum.h>
#include <cutset/error.h>
#include <cutset/graph.h>
#include <cutset/images.h>
#include <cutset/indexing.h>
#include <cutset/layers.h>
#include <cutset/losses.h>
#include <cutset/normalizations.h>
#include <cutset/ops.h>
#include <cutset/pooling.h>
#include <cutset/recurrent.h>
#include <cutset/recurrent_layers.h>
#include <cutset/reductions.h>
#include <cutset/session.h>
#include <cutset/shapes.h>
#include <cutset/shared_layers.h>
#include <cutset/tensor.h>
#include <cutset/trainer.h>
