// SPDX-License-Identifier: Apache-2.0
// Functions of images that read them at places between their pixels, or by windows.
#pragma once
#include <cutset/fold.h>
#include <cutset/grid_sample.h>
#include <cutset/interpolate.h>
