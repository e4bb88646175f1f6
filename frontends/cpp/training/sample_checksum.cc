// SPDX-License-Identifier: Apache-2.0
#include "frontends/cpp/training/sample_checksum.h"

#include <algorithm>
#include <cstdint>

#include "frontends/cpp/checks/failure.h"
#include "runtime/data/image_folder.h"
#include "runtime/files/checksum.h"
#include "runtime/files/files.h"

namespace cutset {
namespace {

constexpr int64_t kAtOnce = int64_t{1} << 20;  // bytes, which limit the memory

std::string text_of(int64_t samples, uint32_t sum) {
  return std::to_string(samples) + " samples with the hash " + std::to_string(sum);
}

// Continues the checksum `sum` of some bytes with the contents of a file.
uint32_t with_file(const std::string& path, uint32_t sum) {
  InputFile file = check(InputFile::open(path));
  std::string part(static_cast<size_t>(kAtOnce), '\0');
  while (const size_t n = check(file.some(part.data(), part.size()))) sum = checksum({part.data(), n}, sum);
  return sum;
}

}  // namespace

std::string checksum_of_samples(const data::Dataset& samples) {
  std::vector<int64_t> all(static_cast<size_t>(samples.size()));
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int64_t>(i);
  return checksum_of_epoch(samples.order(std::move(all)));
}

std::string checksum_of_epoch(const data::Dataset& samples) {
  int64_t bytes = 1;  // per sample
  const Batch first = *samples.batch(1).start_at(0).begin();
  for (const auto& [name, tensor] : first) bytes += tensor.type().bytes();
  const data::Dataset epoch = samples.batch(std::max<int64_t>(1, kAtOnce / bytes)).prefetch(2).start_at(0);
  uint32_t sum = 0;
  for (const Batch& batch : epoch)
    for (const auto& [name, tensor] : batch) {
      sum = checksum(name + " " + to_string(tensor.type()) + " ", sum);
      sum = checksum({reinterpret_cast<const char*>(tensor.data()), tensor.bytes().size()}, sum);
    }
  return text_of(samples.size(), sum);
}

std::string checksum_of_file(const std::string& path) {
  const uint64_t bytes = check(InputFile::open(path)).size();
  return std::to_string(bytes) + " bytes with the hash " + std::to_string(with_file(path, 0));
}

std::string checksum_of_images(const std::string& folder, const std::vector<std::string>& classes) {
  const ImageFolder images = check(list_images(folder, classes));
  uint32_t sum = 0;
  for (size_t i = 0; i < images.files.size(); ++i)
    sum = with_file(images.files[i], checksum(" " + std::to_string(images.labels[i]) + " ", sum));
  return text_of(static_cast<int64_t>(images.files.size()), sum);
}

}  // namespace cutset
