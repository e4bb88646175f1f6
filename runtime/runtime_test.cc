#include <gtest/gtest.h>
#include <sys/stat.h>
#include <zlib.h>

#include <thread>

#include "runtime/data/dataset.h"
#include "runtime/data/idx.h"
#include "runtime/data/prefetcher.h"
#include "runtime/files.h"
#include "runtime/transport.h"
#include "tests/folder.h"

namespace cutset {
namespace {

using Idx = Folder;
TEST_F(Idx, PlainAndGzipGiveTheSame) {
  std::string file("\0\0\x08\x02\0\0\0\x02\0\0\0\x03", 12);
  file += "abcdef";
  ASSERT_TRUE(write_file(path("p"), file).ok());
  gzFile z = gzopen(path("z.gz").c_str(), "wb");
  gzwrite(z, file.data(), static_cast<unsigned>(file.size()));
  gzclose(z);
  for (const char* name : {"p", "z.gz"}) {
    auto idx = read_idx(path(name));
    ASSERT_TRUE(idx.ok()) << idx.error().text();
    EXPECT_EQ(idx->shape, (Shape{2, 3}));
    EXPECT_EQ(std::string(idx->bytes.begin(), idx->bytes.end()), "abcdef");
  }
  EXPECT_FALSE(read_idx(path("p"), 5).ok()) << "above the limit";
  EXPECT_TRUE(read_idx(path("p"), 6).ok()) << "at the limit";
}

TEST_F(Idx, SizesBeyondTheFileAreRefusedBeforeMemoryIsTaken) {
  const std::string claims("\0\0\x08\x01\xf0\0\0\0", 8);
  ASSERT_TRUE(write_file(path("p"), claims).ok());
  auto plain = read_idx(path("p"));
  ASSERT_FALSE(plain.ok());
  EXPECT_NE(plain.error().what.find("4026531840 elements, more than its bytes can hold"), std::string::npos);
  gzFile z = gzopen(path("z.gz").c_str(), "wb");
  gzwrite(z, claims.data(), static_cast<unsigned>(claims.size()));
  gzclose(z);
  auto packed = read_idx(path("z.gz"));
  ASSERT_FALSE(packed.ok());
  EXPECT_NE(packed.error().what.find("more than its bytes can hold"), std::string::npos);
}
TEST_F(Idx, AFileThatIsPackedAsTightAsDeflateCanIsRead) {  // deflate reaches 1 : 1032 at most
  std::string file("\0\0\x08\x01\0\x80\0\0", 8);
  file += std::string(1 << 23, '\0');
  gzFile z = gzopen(path("z.gz").c_str(), "wb9");
  gzwrite(z, file.data(), static_cast<unsigned>(file.size()));
  gzclose(z);
  auto idx = read_idx(path("z.gz"));
  ASSERT_TRUE(idx.ok()) << idx.error().text();
  EXPECT_EQ(idx->shape, (Shape{1 << 23}));
}
TEST_F(Idx, APipeIsNoWait) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_FALSE(read_idx(path("pipe")).ok());
}

TEST(Transport, AWrongMessageIsAnErrorThatNamesBoth) {
  Mailbox box({f32, {4}});
  const MessageHeader sent{1, 7, 3, 0, 16};
  for (auto change : {+[](MessageHeader& h) { h.program++; }, +[](MessageHeader& h) { h.step++; },
                      +[](MessageHeader& h) { h.channel++; }, +[](MessageHeader& h) { h.dtype++; },
                      +[](MessageHeader& h) { h.bytes++; }}) {
    MessageHeader expected = sent;
    change(expected);
    box.post(sent);
    Status s = box.take(expected);
    ASSERT_FALSE(s.ok());
    EXPECT_NE(s.error().what.find("step 7"), std::string::npos);
  }
  box.post(sent);
  EXPECT_TRUE(box.take(sent).ok());
}

TEST(Transport, AbandonEndsAWait) {
  Mailbox box({f32, {4}});
  std::thread waiting([&] { EXPECT_FALSE(box.take({}).ok()); });
  box.abandon();
  waiting.join();
}

TEST(Prefetcher, GivesItemsInOrderAndStopsEarly) {
  int next = 0;
  auto make = [&]() -> std::optional<int> { return next < 100 ? std::optional<int>(next++) : std::nullopt; };
  {
    Prefetcher<int> p(make, 3);
    for (int i = 0; i < 100; ++i) EXPECT_EQ(*p.take(), i);
    EXPECT_FALSE(p.take().has_value());
  }
  next = 0;
  Prefetcher<int> unfinished(make, 2);
  EXPECT_EQ(*unfinished.take(), 0);
}

TEST(Prefetcher, WhatIsThrownOnItsThreadIsThrownByTake) {
  int next = 0;
  Prefetcher<int> p(
      [&]() -> std::optional<int> {
        if (next == 2) throw std::bad_alloc();
        return next++;
      },
      1);
  EXPECT_EQ(*p.take(), 0);
  EXPECT_EQ(*p.take(), 1);
  EXPECT_THROW(p.take(), std::bad_alloc);
  EXPECT_THROW(p.take(), std::bad_alloc) << "it is no end of the data";
}

TEST(Dataset, ShufflesArePermutationsThatDependOnSeedAndEpoch) {
  const auto a = shuffled_order(1000, 1, 0);
  EXPECT_EQ(a, shuffled_order(1000, 1, 0));
  EXPECT_NE(a, shuffled_order(1000, 1, 1));
  EXPECT_NE(a, shuffled_order(1000, 2, 0));
  auto sorted = a;
  std::sort(sorted.begin(), sorted.end());
  for (int64_t i = 0; i < 1000; ++i) EXPECT_EQ(sorted[size_t(i)], i);
}

}  // namespace
}  // namespace cutset
