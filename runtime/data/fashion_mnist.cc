// SPDX-License-Identifier: Apache-2.0
#include "runtime/data/fashion_mnist.h"

#include "runtime/data/dataset.h"
#include "runtime/data/named_datasets.h"

namespace cutset {

Result<Samples> read_fashion_mnist(const std::string& split, const std::string& folder) {
  constexpr int kClasses = 10;
  if (split != "train" && split != "test")
    return invalid_argument("Fashion-MNIST has no split '" + split + "'", "the splits are train and test");
  CUTSET_ASSIGN(auto images, read_image_dataset(folder, split == "train" ? "train" : "t10k", kClasses));
  return samples_of(std::move(images));
}

static const RegisterDataset registered_fashion_mnist({
    .name = "fashion-mnist",
    .inputs = inputs_of_images(),
    .endings = {"-ubyte", "-ubyte.gz"},
    .open = [](const DatasetRequest& r) { return read_fashion_mnist(r.for_test ? "test" : "train", r.path); },
    .default_folder = kFashionMnistFolder,
    .default_image = {1, 28, 28},
});

}  // namespace cutset
