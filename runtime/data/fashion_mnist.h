// SPDX-License-Identifier: Apache-2.0
// Reads Fashion-MNIST (Xiao, Rasul and Vollgraf, arXiv:1708.07747, 2017).
#pragma once
#include <string>

#include "runtime/data/samples.h"

namespace cutset {

// The folder of Debian's package dataset-fashion-mnist.
inline constexpr char kFashionMnistFolder[] = "/usr/share/datasets/fashion-mnist";

// Reads the images and labels of a split, "train" or "test", from the IDX files in a folder, plain or as .gz.
// A batch has "image", f32 [n, 1, 28, 28] with values from 0 to 1, and "label", i32 [n]. Fails if there is no
// such split, or if a file is missing or malformed.
Result<Samples> read_fashion_mnist(const std::string& split, const std::string& folder);

}  // namespace cutset
