// A hash of the samples of a data set, by which a run that is resumed finds out that its files have changed.
#pragma once
#include <cutset/data.h>

#include <string>

namespace cutset::cli {

// Returns the number of samples and a hash of their names, types and elements. If the samples have more than 256 MiB, only evenly spaced
// samples of at most 256 MiB together are hashed, with the first and the last one. The samples are read as in epoch 0, in the order of
// their numbers.
std::string hash_of_samples(const data::Dataset& samples);

}  // namespace cutset::cli
