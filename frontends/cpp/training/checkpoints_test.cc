// SPDX-License-Identifier: Apache-2.0
#include "frontends/cpp/training/checkpoints.h"

#include <gmock/gmock.h>

#include <chrono>
#include <filesystem>

#include "tests/folder.h"
#include "tests/small_training.h"
#include "tests/virtual_clock.h"

namespace cutset {
namespace {

using CheckpointFiles = Folder;

TEST_F(CheckpointFiles, AreWrittenByTheClock) {
  Session session = testing::small_session();
  std::filesystem::create_directory(path("run"));
  FirstInfinities first;
  testing::VirtualClock clock;
  std::vector<std::string> written;
  Checkpoints checkpoints(
      {.folder = path("run"), .minutes = 2}, {session, first, {}, {}, {}, ""},
      [&](const std::string& file) { written.push_back(file); }, clock);
  TrainingPosition position;
  int steps = 0;
  for (Batch& batch : testing::small_samples(22).batch(testing::kSmallBatch)) {  // six steps of 50 seconds
    session.train(batch);
    position.batches = ++steps;
    clock.advance(std::chrono::seconds(50));
    checkpoints.after_step(position, false);
  }
  EXPECT_THAT(written,
              ::testing::ElementsAre(path("run/step-3.safetensors"), path("run/step-6.safetensors")));
}

}  // namespace
}  // namespace cutset
