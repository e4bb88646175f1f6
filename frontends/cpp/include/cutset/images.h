// Functions of images that read them at places between their pixels, or by windows.
#pragma once
#include <cutset/deform_conv.h>
#include <cutset/fold.h>
#include <cutset/grid_sample.h>
#include <cutset/resize.h>
#include <cutset/roi_align.h>
