// SPDX-License-Identifier: Apache-2.0
#include <cutset/error.h>
#include <cutset/image_data.h>

#include <algorithm>
#include <set>

#include "frontends/cpp/checks/failure.h"
#include "runtime/data/cifar.h"
#include "runtime/data/image.h"
#include "runtime/data/image_folder.h"

namespace cutset::data {
namespace {

Batch batch_of(ImageBatch made) {
  Batch batch;
  batch.emplace("image", std::move(made.image));
  batch.emplace("label", std::move(made.label));
  return batch;
}

CropSize checked_size(const ImageFolderOptions& o) {
  if (o.height < 1 || o.width < 1 || o.height > kMaxImageSide || o.width > kMaxImageSide)
    raise(invalid_argument(
        "images cannot have " + std::to_string(o.height) + " x " + std::to_string(o.width) + " pixels",
        "height and width are from 1 to " + std::to_string(kMaxImageSide)));
  if (o.shorter_side != 0 && (o.shorter_side < std::max(o.height, o.width) || o.shorter_side > kMaxImageSide))
    raise(invalid_argument("the shorter side cannot have " + std::to_string(o.shorter_side) + " pixels",
                           "it is from " + std::to_string(std::max(o.height, o.width)) +
                               ", the larger of height and width, to " + std::to_string(kMaxImageSide)));
  return {o.height, o.width, o.shorter_side};
}

}  // namespace

Dataset cifar10(const std::string& split, const std::string& folder) {
  std::vector<std::string> files;
  if (split == "train")
    for (int i = 1; i <= 5; ++i) files.push_back(folder + "/data_batch_" + std::to_string(i) + ".bin");
  else if (split == "test")
    files.push_back(folder + "/test_batch.bin");
  else
    raise(invalid_argument("CIFAR-10 has no split '" + split + "'", "the splits are train and test"));
  auto images = check(read_cifar10(files));
  const int64_t size = images->size();
  return Dataset(size, [images = std::move(images)](const std::vector<int64_t>& samples) {
    return batch_of(make_batch(*images, samples));
  });
}

Dataset image_folder(const std::string& folder, const ImageFolderOptions& options) {
  const CropSize crop = checked_size(options);
  const auto& classes = options.classes;
  if (std::set<std::string>(classes.begin(), classes.end()).size() != classes.size())
    raise(invalid_argument("the classes of '" + folder + "' have a name twice"));
  auto images = std::make_shared<const ImageFolder>(
      check(list_images(folder, classes.empty() ? check(list_classes(folder)) : classes)));
  const int64_t size = static_cast<int64_t>(images->files.size());
  return Dataset(size, [images = std::move(images), crop](const std::vector<int64_t>& samples) {
    return batch_of(check(read_images(*images, crop, samples)));
  });
}

std::vector<std::string> image_classes(const std::string& folder) { return check(list_classes(folder)); }

}  // namespace cutset::data
