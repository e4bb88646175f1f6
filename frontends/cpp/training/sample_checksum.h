// SPDX-License-Identifier: Apache-2.0
// A checksum of the samples of a data set, by which a run that is resumed finds out that its files have
// changed.
#pragma once
#include <cutset/data.h>

#include <string>
#include <vector>

namespace cutset {

// Returns the number of samples and a CRC-32 of the names, types and elements of all of them. The samples are
// read once, in the order of their numbers, a few at a time. `samples` must be as they are stored, because a
// random crop hides pixels.
std::string checksum_of_samples(const data::Dataset& samples);
// The same for the samples of the first epoch of `samples`, in the order of that epoch.
std::string checksum_of_epoch(const data::Dataset& samples);

// The same for the images of a folder with one subfolder per class: a CRC-32 of the classes and the bytes of
// all files. They are not decoded, which takes as long as an epoch.
std::string checksum_of_images(const std::string& folder, const std::vector<std::string>& classes);

// The number of bytes of a file, and a CRC-32 of them.
std::string checksum_of_file(const std::string& path);

}  // namespace cutset
