// SPDX-License-Identifier: Apache-2.0
// Labelled images in memory, and batches of them. The pixels are stored as bytes, and make_batch converts the
// pixels of one batch to f32.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "ir/core/result.h"
#include "runtime/data/samples.h"
#include "runtime/files/host_tensor.h"

namespace cutset {

struct ImageDataset {
  Shape image;                        // {channels, height, width} of every image
  std::vector<unsigned char> pixels;  // sample after sample, each in CHW order
  std::vector<unsigned char> labels;  // one per sample
  int64_t size() const { return static_cast<int64_t>(labels.size()); }  // the number of samples
};

// Reads the files PREFIX-images-idx3-ubyte and PREFIX-labels-idx1-ubyte of a folder. The name of a compressed
// file ends in .gz. Fails, naming the file, in these cases:
// - A file cannot be read or has the wrong rank.
// - The number of images and the number of labels differ.
// - A label is not below `classes`.
Result<std::shared_ptr<const ImageDataset>> read_image_dataset(const std::string& folder,
                                                               const std::string& prefix, int classes);

// Returns the order of the samples in epoch number `epoch`: a permutation of 0..n-1. It is the Fisher-Yates
// shuffle with random numbers of Philox(seed, epoch), so it is the same on every machine.
std::vector<int64_t> shuffled_order(int64_t n, uint64_t seed, uint64_t epoch);

struct ImageBatch {
  HostTensor image;  // f32, NCHW; bytes 0 to 255 become 0 to 1
  HostTensor label;  // i32, one per sample
};
// Returns the batch of the samples with these numbers, in this order. Every number must be in [0,
// data.size()).
ImageBatch make_batch(const ImageDataset& data, const std::vector<int64_t>& samples);
// Returns the tensors of a batch by the names "image" and "label".
std::map<std::string, HostTensor> by_name(ImageBatch batch);
// Returns the samples of images in memory.
Samples samples_of(std::shared_ptr<const ImageDataset> images);

}  // namespace cutset
