// SPDX-License-Identifier: Apache-2.0
#include "runtime/data/dataset.h"

#include <filesystem>
#include <numeric>

#include "ir/core/philox.h"
#include "runtime/data/idx.h"
#include "runtime/files/uninitialized.h"

namespace cutset {

Result<std::shared_ptr<const ImageDataset>> read_image_dataset(const std::string& folder,
                                                               const std::string& prefix, int classes) {
  auto path = [&](const std::string& name) {
    const std::string plain = folder + "/" + prefix + name;
    std::error_code ignored;
    return std::filesystem::exists(plain, ignored) ? plain : plain + ".gz";
  };
  const std::string image_path = path("-images-idx3-ubyte"), label_path = path("-labels-idx1-ubyte");
  CUTSET_ASSIGN(IdxFile images, read_idx(image_path));
  CUTSET_ASSIGN(IdxFile labels, read_idx(label_path));
  if (images.shape.size() != 3)
    return invalid_data("'" + image_path + "' has rank " + std::to_string(images.shape.size()) +
                        "; a file of images has rank 3");
  if (labels.shape.size() != 1)
    return invalid_data("'" + label_path + "' has rank " + std::to_string(labels.shape.size()) +
                        "; a file of labels has rank 1");
  if (images.shape[0] != labels.shape[0])
    return invalid_data("'" + image_path + "' has " + std::to_string(images.shape[0]) + " images and '" +
                        label_path + "' has " + std::to_string(labels.shape[0]) + " labels");
  for (size_t i = 0; i < labels.bytes.size(); ++i)
    if (labels.bytes[i] >= classes)
      return invalid_data("'" + label_path + "': label " + std::to_string(labels.bytes[i]) + " of sample " +
                          std::to_string(i) + " is out of range; there are " + std::to_string(classes) +
                          " classes");
  auto data = std::make_shared<ImageDataset>();
  data->image = {1, images.shape[1], images.shape[2]};
  data->pixels = std::move(images.bytes);
  data->labels = std::move(labels.bytes);
  return std::shared_ptr<const ImageDataset>(data);
}

std::vector<int64_t> shuffled_order(int64_t n, uint64_t seed, uint64_t epoch) {
  std::vector<int64_t> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), int64_t{0});
  PhiloxSequence random(seed, epoch);
  for (int64_t i = n - 1; i > 0; --i)
    std::swap(order[static_cast<size_t>(i)], order[random.below(static_cast<uint64_t>(i) + 1)]);
  return order;
}

ImageBatch make_batch(const ImageDataset& data, const std::vector<int64_t>& samples) {
  const int64_t n = static_cast<int64_t>(samples.size()),
                pixels = data.image[0] * data.image[1] * data.image[2];
  ImageBatch batch{uninitialized({f32, {n, data.image[0], data.image[1], data.image[2]}}),
                   uninitialized({i32, {n}})};
  for (int64_t i = 0; i < n; ++i) {
    const int64_t sample = samples[static_cast<size_t>(i)];
    const unsigned char* from = data.pixels.data() + sample * pixels;
    float* to = batch.image.as<float>().data() + i * pixels;
    for (int64_t p = 0; p < pixels; ++p) to[p] = static_cast<float>(from[p]) / 255.0f;
    batch.label.as<int32_t>()[i] = data.labels[static_cast<size_t>(sample)];
  }
  return batch;
}

std::map<std::string, HostTensor> by_name(ImageBatch batch) {
  std::map<std::string, HostTensor> tensors;
  tensors.emplace("image", std::move(batch.image));
  tensors.emplace("label", std::move(batch.label));
  return tensors;
}

Samples samples_of(std::shared_ptr<const ImageDataset> images) {
  const int64_t size = images->size();
  return {size, [images = std::move(images)](const std::vector<int64_t>& numbers) {
            return by_name(make_batch(*images, numbers));
          }};
}

}  // namespace cutset
