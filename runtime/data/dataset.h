// Labelled images in memory, as bytes: a sample becomes floating-point only in its batch.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "runtime/host_tensor.h"

namespace cutset {

struct ImageDataset {
  Shape image;                        // {channels, height, width}
  std::vector<unsigned char> pixels;  // samples in order
  std::vector<unsigned char> labels;
  int64_t size() const { return static_cast<int64_t>(labels.size()); }
};

// The pair PREFIX-images-idx3-ubyte and PREFIX-labels-idx1-ubyte of a folder, each plain or with .gz.
// Fails if they differ in number, or a label is not below `classes`.
Result<std::shared_ptr<const ImageDataset>> read_image_dataset(const std::string& folder, const std::string& prefix,
                                                               int classes);

// The order of an epoch: a permutation of 0..n-1 by the shuffle of Fisher and Yates over Philox(seed, epoch).
std::vector<int64_t> shuffled_order(int64_t n, uint64_t seed, uint64_t epoch);

struct ImageBatch {
  HostTensor image;  // f32, NCHW, 0..1
  HostTensor label;  // i32
};
// The batch of `samples`, each of which must be a sample of the data.
ImageBatch make_batch(const ImageDataset& data, const std::vector<int64_t>& samples);

}  // namespace cutset
