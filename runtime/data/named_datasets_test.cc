// SPDX-License-Identifier: Apache-2.0
#include "runtime/data/named_datasets.h"

#include <gtest/gtest.h>

#include <fstream>
#include <numeric>

#include "tests/temporary_folder.h"

namespace cutset {
namespace {

// A batch of an example has the inputs that the table lists.
TEST(NamedDatasets, GiveTheInputsThatTheyList) {
  const TemporaryFolder folder;
  int opened = 0;
  for (const NamedDataset& d : named_datasets()) {
    SCOPED_TRACE(d.name);
    EXPECT_EQ(find_named_dataset(d.name), &d);
    EXPECT_EQ(d.example.empty(), !d.endings.empty()) << "a data set in one file has an example";
    if (d.example.empty()) continue;
    const std::string path = folder.path(d.name);
    std::ofstream(path) << d.example;
    const auto samples = d.open({.path = path,
                                 .training_path = path,
                                 .size_of = [](const char*, size_t) { return 4; },
                                 .range_of = [](const char*) { return 100; },
                                 .padding = 7});
    ASSERT_TRUE(samples.ok()) << samples.error().text();
    std::vector<int64_t> numbers(static_cast<size_t>(samples->size));
    std::iota(numbers.begin(), numbers.end(), int64_t{0});
    const auto batch = samples->batch(numbers);
    ASSERT_TRUE(batch.ok()) << batch.error().text();
    EXPECT_EQ(batch->size(), d.inputs.size());
    for (const DatasetInput& input : d.inputs) {
      ASSERT_TRUE(batch->contains(input.name)) << input.name;
      const TensorType& type = batch->at(input.name).type();
      EXPECT_EQ(type.rank(), input.rank) << input.name;
      EXPECT_EQ(type.shape[0], samples->size) << input.name;
      EXPECT_EQ(is_float(type.dtype), !input.integers) << input.name;
    }
    ++opened;
  }
  EXPECT_GE(opened, 3);
  EXPECT_EQ(find_named_dataset("random"), nullptr);
}

}  // namespace
}  // namespace cutset
