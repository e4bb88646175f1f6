// A hash of the samples of a data set, by which a run that is resumed finds out that its files have changed.
#pragma once
#include <cutset/data.h>

#include <string>

namespace cutset::cli {

// The number of samples and a hash of their names, types and elements. If all samples together have more than 256 MiB, the elements are those of
// samples in even distances, the first and the last one among them, which have at most 256 MiB. The samples are those of epoch 0 in the order of
// their numbers.
std::string hash_of_samples(const data::Dataset& samples);

}  // namespace cutset::cli
