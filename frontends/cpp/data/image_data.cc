// SPDX-License-Identifier: Apache-2.0
#include <cutset/image_data.h>

#include "frontends/cpp/data/dataset_of.h"
#include "runtime/data/cifar.h"
#include "runtime/data/image_folder.h"

namespace cutset::data {

Dataset cifar10(const std::string& split, const std::string& folder) {
  return dataset_of(check(read_cifar10_split(split, folder)));
}

Dataset image_folder(const std::string& folder, const ImageFolderOptions& options) {
  return dataset_of(check(
      read_image_folder(folder, {options.height, options.width, options.shorter_side}, options.classes)));
}

std::vector<std::string> image_classes(const std::string& folder) { return check(list_classes(folder)); }

}  // namespace cutset::data
