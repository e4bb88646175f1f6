// SPDX-License-Identifier: Apache-2.0
#include "runtime/data/cifar.h"

#include <filesystem>

#include "runtime/data/byte_source.h"
#include "runtime/data/folder_entries.h"
#include "runtime/data/named_datasets.h"

namespace cutset {
namespace {

namespace fs = std::filesystem;

// Returns the failure of a folder that lacks `file`.
Failure missing(const fs::path& file) {
  const std::string folder = file.parent_path().string(), binary = "cifar-10-batches-bin";
  std::error_code failed;
  std::string hint = "unpack cifar-10-binary.tar.gz, and give its folder " + binary;
  if (fs::is_directory(folder + "/" + binary, failed))
    hint = "give the folder " + folder + "/" + binary;
  else if (fs::exists(fs::path(file).replace_extension(), failed))
    hint = "the folder has the Python version of CIFAR-10; " + hint;
  return unavailable("'" + folder + "' has no file '" + file.filename().string() +
                         "' of the binary version of CIFAR-10; it " + entries_of(folder),
                     hint);
}

}  // namespace

Result<std::shared_ptr<const ImageDataset>> read_cifar10(const std::vector<std::string>& files,
                                                         int64_t records) {
  constexpr size_t kPixels = 3 * 32 * 32;
  constexpr int kClasses = 10;
  auto data = std::make_shared<ImageDataset>();
  data->image = {3, 32, 32};
  for (const std::string& path : files) {
    std::error_code failed;
    if (!fs::exists(path, failed)) return missing(path);
    CUTSET_ASSIGN(const auto file, ByteSource::open(path));
    auto bad = [&](const std::string& why) {
      return invalid_data("'" + path + "' " + why,
                          "the file is damaged or not of the binary version of CIFAR-10, whose files have " +
                              std::to_string(records) + " records of " + std::to_string(1 + kPixels) +
                              " bytes");
    };
    for (int64_t r = 0; r < records; ++r) {
      unsigned char label;
      data->pixels.resize(data->pixels.size() + kPixels);
      if (!file->read(&label, 1) || !file->read(data->pixels.data() + data->pixels.size() - kPixels, kPixels))
        return bad("ends within record " + std::to_string(r));
      if (label >= kClasses)
        return bad("has the label " + std::to_string(label) + " in record " + std::to_string(r) +
                   "; labels are from 0 to 9");
      data->labels.push_back(label);
    }
    if (!file->at_end())
      return bad("has more than " + std::to_string(records) + " records, or its gzip data is damaged");
  }
  return std::shared_ptr<const ImageDataset>(data);
}

Result<Samples> read_cifar10_split(const std::string& split, const std::string& folder) {
  std::vector<std::string> files;
  if (split == "train")
    for (int i = 1; i <= 5; ++i) files.push_back(folder + "/data_batch_" + std::to_string(i) + ".bin");
  else if (split == "test")
    files.push_back(folder + "/test_batch.bin");
  else
    return invalid_argument("CIFAR-10 has no split '" + split + "'", "the splits are train and test");
  CUTSET_ASSIGN(auto images, read_cifar10(files));
  return samples_of(std::move(images));
}

static const RegisterDataset registered_cifar10({
    .name = "cifar10",
    .inputs = inputs_of_images(),
    .endings = {"_batch.bin", "_1.bin", "_2.bin", "_3.bin", "_4.bin", "_5.bin"},
    .open = [](const DatasetRequest& r) { return read_cifar10_split(r.for_test ? "test" : "train", r.path); },
});

}  // namespace cutset
