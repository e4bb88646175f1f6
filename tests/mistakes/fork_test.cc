// SPDX-License-Identifier: Apache-2.0
// Tests sessions after fork(), which copies the memory of a process and none of its threads. A call of a
// child for a session of its parent returns at once, with an error or with a result. It never waits for a
// thread that does not exist.
#include <cutset/saved.h>
#include <cutset/testing.h>
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/mistakes/mistakes.h"
#include "tests/temporary_folder.h"

namespace cutset::mistakes {
namespace {

using ::testing::HasSubstr;

// Calls `f` in a child. Returns "no error", the text of its error, or a text that says how else the child
// ended. A signal ends a child that waits forever.
std::string in_child(const std::function<void()>& f) {
  int ends[2];
  if (pipe(ends) != 0) return "no pipe";
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    std::string text = "no error";
    try {
      f();
    } catch (const std::exception& e) {
      text = e.what();
    }
    const bool written = write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size());
    _exit(written ? 0 : 1);
  }
  close(ends[1]);
  std::string text;
  char part[256];
  for (ssize_t n = 0; (n = read(ends[0], part, sizeof part)) > 0;) text.append(part, static_cast<size_t>(n));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? text : "the child did not end by itself";
}

constexpr char kForked[] = "was made by the parent of this process";

TEST(Fork, AChildCannotUseASessionOfItsParent) {
  for (const char* device : {"reference:0", "sim:0", "cpu:0", "opencl:0"}) {
    if (!testing::have_devices(device)) continue;
    SCOPED_TRACE(device);
    Session session = compile(small(), {.devices = device});
    session.train(small_batch());
    PrefetchedBatch ahead = session.prefetch("train", small_batch());
    EXPECT_THAT(in_child([&] { session.train(small_batch()); }), HasSubstr(kForked));
    EXPECT_THAT(in_child([&] { session.run(std::move(ahead)); }), HasSubstr(kForked));
    EXPECT_THAT(in_child([&] { session.prefetch("train", small_batch()); }), HasSubstr(kForked));
    EXPECT_THAT(in_child([&] { session.variable("a.weight"); }), HasSubstr(kForked));
    EXPECT_THAT(in_child([&] { session.variables(); }), HasSubstr(kForked));
    EXPECT_THAT(in_child([&] { session.save("/dev/null"); }), HasSubstr(kForked));
    EXPECT_EQ(in_child([&] {
                const PrefetchedBatch batch = std::move(ahead);
                const Session destroyed = std::move(session);
              }),
              "no error");
    EXPECT_EQ(in_child([&] { session = compile(small(), {.devices = "reference:0"}); }), "no error");
    session.run(std::move(ahead));  // the parent goes on
    EXPECT_EQ(session.step(), 2u);
  }
}

TEST(Fork, AChildMakesItsOwnSessions) {
  for (const char* device : {"reference:0", "sim:0", "cpu:0"}) {
    if (!testing::have_devices(device)) continue;
    Session session = compile(small(), {.devices = device});
    session.train(small_batch());
    EXPECT_EQ(in_child([&] { compile(small(), {.devices = device}).train(small_batch()); }), "no error")
        << device;
  }
  if (!testing::have_devices("opencl:0")) GTEST_SKIP() << "opencl:0 is not available";
  EXPECT_THAT(in_child([&] { compile(small(), {.devices = "opencl:0"}).train(small_batch()); }),
              HasSubstr("whose drivers do not work after fork()"));
}

TEST(Fork, AChildCannotUseAProgramOrADataSetThatItsParentReads) {
  const TemporaryFolder folder;
  save_program(small(), {.devices = "reference:0"}, folder.path("p"));
  SavedProgram program = load_program(folder.path("p"));
  EXPECT_THAT(in_child([&] { program.run("train", small_batch()); }), HasSubstr(kForked));
  EXPECT_THAT(in_child([&] { program.set_hyper_parameter("learning_rate", 0.5); }), HasSubstr(kForked));
  EXPECT_EQ(in_child([&] { const SavedProgram destroyed = std::move(program); }), "no error");
  program.run("train", small_batch());

  const data::Dataset numbers = data::from_function(100, [](int64_t) { return batch_of("x", {f32, {2}}); });
  std::optional<data::Dataset::Iterator> it = numbers.begin();
  EXPECT_THAT(in_child([&] {
                for (int i = 0; i < 50; ++i) ++*it;
              }),
              HasSubstr(kForked));
  EXPECT_EQ(in_child([&] { it.reset(); }), "no error");
  EXPECT_EQ(in_child([&] {
              for (auto& batch : numbers) (void)batch;
            }),
            "no error");
  ++*it;
}

}  // namespace
}  // namespace cutset::mistakes
