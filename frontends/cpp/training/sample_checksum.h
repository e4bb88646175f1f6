// SPDX-License-Identifier: Apache-2.0
// A checksum of the samples of a data set. A run that is resumed detects by it that its files have changed.
#pragma once
#include <cutset/data.h>

#include <string>
#include <vector>

namespace cutset {

// Returns the number of samples and a CRC-32 of the names, types and elements of all samples. The samples are
// read once, in the order of their numbers, a few at a time. `samples` must be without transforms, because a
// random crop hides pixels.
std::string checksum_of_samples(const data::Dataset& samples);
// Returns this checksum for the samples of the first epoch of `samples`, in the order of that epoch.
std::string checksum_of_epoch(const data::Dataset& samples);

// Returns the number and a CRC-32 of the classes and the bytes of all files of a folder of images with one
// subfolder per class. The files are not decoded, because decoding takes as long as an epoch.
std::string checksum_of_images(const std::string& folder, const std::vector<std::string>& classes);

// Returns the number of bytes of a file, and a CRC-32 of the bytes.
std::string checksum_of_file(const std::string& path);

}  // namespace cutset
