// SPDX-License-Identifier: Apache-2.0
// Tests that the results of functions do not depend on the old contents of the memory of a pool.
#include "runtime/files/uninitialized.h"

#include <cutset/augment.h>
#include <gtest/gtest.h>

#include <cstring>
#include <functional>

#include "runtime/data/dataset.h"
#include "runtime/data/id_table.h"
#include "runtime/data/image_folder.h"
#include "runtime/data/rows.h"
#include "runtime/data/tokens.h"
#include "runtime/files/convert_floats.h"
#include "runtime/files/files.h"
#include "runtime/files/host_pool.h"
#include "runtime/files/npy.h"
#include "runtime/files/safetensors.h"
#include "runtime/files/widen.h"
#include "tests/encode_images.h"
#include "tests/folder.h"

namespace cutset {
namespace {

// Gives memory in which each byte has the same value.
class Filled final : public HostPool::Source {
 public:
  explicit Filled(int byte) : byte_(byte) {}
  void* allocate(size_t bytes) noexcept override {
    void* memory = std::aligned_alloc(kTensorAlignment, (bytes + 63) / 64 * 64);
    return std::memset(memory, byte_, bytes);
  }
  void free(void* memory) noexcept override { std::free(memory); }

 private:
  const int byte_;
};

using Tensors = std::vector<HostTensor>;
// Moves the tensors into a vector; braces would copy them.
template <class... T>
Tensors list(T... tensors) {
  Tensors all;
  (all.push_back(std::move(tensors)), ...);
  return all;
}

HostTensor counted(Shape shape) {
  HostTensor t({f32, std::move(shape)});
  for (int64_t i = 0; i < t.elements(); ++i) t.set(i, static_cast<double>(i) - 3);
  return t;
}

class Uninitialized : public Folder {
 protected:
  void write(const std::string& name, const std::string& contents) {
    ASSERT_TRUE(write_file(path(name), contents).ok());
  }
  // Returns the tensors of `make`. Expects that tensors with elements are in memory of a pool. Also expects
  // that the elements are the same, whether the memory had zeros or other bytes before.
  Tensors made(const std::function<Tensors()>& make) {
    std::vector<Tensors> all;
    for (int byte : {0x00, 0xff, 0x5a}) {
      HostPool pool(1 << 20, std::make_unique<Filled>(byte));
      const HostPool::Use use(pool);
      all.push_back(make());
      for (const HostTensor& t : all.back())
        EXPECT_TRUE(t.bytes().empty() || pool.holds(t)) << to_string(t.type());
    }
    EXPECT_TRUE(all[0] == all[1] && all[0] == all[2]) << "the old bytes show";
    return all[0];
  }
};

TEST_F(Uninitialized, MemoryHoldsWhatItHeldBefore) {
  HostPool pool(1 << 20, std::make_unique<Filled>(0x5a));
  const HostPool::Use use(pool);
  EXPECT_EQ(uninitialized({u8, {3}}), HostTensor({3}, std::vector<unsigned char>(3, 0x5a)));
}

TEST_F(Uninitialized, RowsAndSamplesAreWrittenWhole) {
  const HostTensor x = counted({5, 3});
  EXPECT_EQ(made([&] { return list(gather_rows(x, {4, 0, 4})); })[0],
            HostTensor({3, 3}, {9.f, 10.f, 11.f, -3.f, -2.f, -1.f, 9.f, 10.f, 11.f}));
  EXPECT_EQ(made([&] { return list(gather_rows(counted({5, 0}), {1})); })[0], HostTensor({f32, {1, 0}}));
  const Tensors stacked = made([] {
    RowStack stack(2);
    for (int64_t i = 0; i < 2; ++i)
      EXPECT_TRUE(stack.add(i, {{"a", HostTensor::scalar(i + 7)}, {"b", counted({2})}}).ok());
    auto batch = std::move(stack).batch();
    return list(std::move(batch.at("a")), std::move(batch.at("b")));
  });
  EXPECT_EQ(stacked[0], HostTensor({2}, {int64_t{7}, int64_t{8}}));
  EXPECT_EQ(stacked[1], HostTensor({2, 2}, {-3.f, -2.f, -3.f, -2.f}));
}

TEST_F(Uninitialized, BatchesOfDataSetsAreWrittenWhole) {
  ImageDataset images;
  images.image = {1, 1, 2};
  images.pixels = {0, 255, 51, 102};
  images.labels = {3, 4};
  const Tensors read = made([&] {
    ImageBatch batch = make_batch(images, {1, 0});
    return list(std::move(batch.image), std::move(batch.label));
  });
  EXPECT_EQ(read[0], HostTensor({2, 1, 1, 2}, {0.2f, 0.4f, 0.0f, 1.0f}));
  EXPECT_EQ(read[1], HostTensor({2}, {4, 3}));

  write("text", "abcdefg");
  const auto tokens = Tokens::read(path("text"), {});
  ASSERT_TRUE(tokens.ok());
  made([&] {
    TokenBatch batch = make_batch(**tokens, 3, {1, 0});
    return list(std::move(batch.token), std::move(batch.label));
  });
  write("table", "5 1 2 3\n0\n");
  const auto table = read_id_table(path("table"), {4, 10, 8});
  ASSERT_TRUE(table.ok()) << table.error().text();
  EXPECT_EQ(made([&] {
              IdBatch batch = make_batch(**table, 4, -1, {1, 0});
              return list(std::move(batch.ids), std::move(batch.label));
            })[0],
            HostTensor({2, 4}, {-1, -1, -1, -1, 1, 2, 3, -1}));
  std::filesystem::create_directory(path("a"));
  write("a/1.png", testing::encode_png(testing::pattern(3, 5, 3), 3, 5));
  const auto folder = list_images(folder_, {"a"});
  ASSERT_TRUE(folder.ok()) << folder.error().text();
  made([&] {
    auto batch = read_images(*folder, {2, 2}, {0});
    EXPECT_TRUE(batch.ok());
    return list(std::move(batch->image), std::move(batch->label));
  });
}

// A crop that extends past the edge of the image is zero outside of the image.
TEST_F(Uninitialized, CropsAreZeroOutsideOfTheImage) {
  const auto crop = data::random_crop({.padding = 3, .height = 7, .width = 8});
  const Tensors cropped = made([&] {
    Batch batch;
    batch.emplace("image", counted({2, 1, 3, 4}));
    return list(std::move(crop(std::move(batch), {0, 0, {0, 1}}).at("image")));
  });
  double sum = 0;
  for (float v : std::as_const(cropped[0]).as<float>()) sum += v;
  EXPECT_EQ(sum, 24 * 23 / 2 - 3 * 24) << "the crops hold both images";
}

TEST_F(Uninitialized, FilesAndConversionsAreReadWhole) {
  const HostTensor x = counted({2, 3}), truth({3}, std::vector<bool>{true, false, true}), none({f32, {0, 2}});
  ASSERT_TRUE(write_safetensors(path("s"), {{"x", x}, {"t", truth}, {"n", none}}).ok());
  const Tensors read = made([&] {
    TensorMap tensors = *read_safetensors(path("s"));
    return list(std::move(tensors.at("x")), std::move(tensors.at("t")), std::move(tensors.at("n")));
  });
  EXPECT_EQ(read, (Tensors{x, truth, none}));
  for (const HostTensor& t : read) {
    ASSERT_TRUE(write_npy(path("n"), t).ok());
    EXPECT_EQ(made([&] { return list(*read_npy(path("n"))); })[0], t);
  }
  const std::string header = "{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3)}";
  write("f",
        std::string("\x93NUMPY\1\0", 8) + static_cast<char>(header.size()) + '\0' + header + "\1\2\3\4\5\6");
  EXPECT_EQ(made([&] { return list(*read_npy(path("f"))); })[0],
            HostTensor({2, 3}, std::vector<unsigned char>{1, 3, 5, 2, 4, 6}));
  const HostTensor wide({2, 3}, {-3., -2., -1., 0., 1., 2.});
  EXPECT_EQ(made([&] { return list(widened_to_f64(x)); })[0], wide);
  EXPECT_EQ(made([&] { return list(*converted_floats(x, f64)); })[0], wide);
  EXPECT_EQ(made([&] { return list(*converted_floats(wide, f32)); })[0], x);
}

}  // namespace
}  // namespace cutset
