#include "runtime/communicate/transport.h"

#include <gtest/gtest.h>

#include <thread>

namespace cutset {
namespace {

TEST(Transport, AWrongMessageIsAnErrorThatNamesBothHeaders) {
  float memory[4];
  Mailbox box(memory);
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
  float memory[4];
  Mailbox box(memory);
  std::thread waiting([&] { EXPECT_FALSE(box.take({}).ok()); });
  box.abandon();
  waiting.join();
}

}  // namespace
}  // namespace cutset
