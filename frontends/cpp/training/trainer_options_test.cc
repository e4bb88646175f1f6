// SPDX-License-Identifier: Apache-2.0
// Tests which options a Trainer refuses.
#include <cutset/indexing.h>
#include <cutset/trainer.h>
#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>
#include <limits>

#include "tests/errors.h"
#include "tests/folder.h"
#include "tests/small_training.h"

namespace cutset {
namespace {

using ::testing::ElementsAre;
using testing::error_of;
using ::testing::HasSubstr;
using testing::kSmallBatch;
using testing::quiet;
using testing::small_samples;
using testing::small_session;
using testing::variables_of;

constexpr int64_t kSamples = 22, kPerEpoch = 6;  // the last batch of an epoch has two samples

using Trainers = Folder;

// A loop written by hand is the judge.

TEST_F(Trainers, RefuseOptionsOutOfRange) {
  Session session = small_session();
  const auto refuses = [&](TrainerOptions options, const char* text) {
    if (!options.batch) options.batch = kSmallBatch;
    if (options.batch == -1) options.batch = 0;
    EXPECT_THAT(error_of([&] { Trainer(session, small_samples(kSamples), options); }), HasSubstr(text));
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  refuses({.batch = -1}, "batch is 0, and must be at least 1");
  refuses({.batch = 40, .drop_remainder = true},
          "there are 22 samples, fewer than a batch of 40 (give a smaller batch)");
  refuses({.epochs = 0}, "epochs is 0");
  refuses({.epochs = int64_t{1} << 62}, "steps are too many (give fewer steps or epochs)");
  refuses({.steps = -1}, "steps is -1");
  refuses({.prefetch = 0}, "prefetch is 0");
  refuses({.schedule = LearningRateSchedule{.rate = -1}}, "rate, decay or final rate is negative");
  refuses({.steps = 2,
           .schedule = LearningRateSchedule{.kind = LearningRateSchedule::Kind::kCosine, .warmup_steps = 2}},
          "a run of 2 steps with schedule.warmup_steps 2 leaves schedule.kind cosine no step");
  refuses({.evaluate_every = 3}, "need samples for an evaluation (give evaluation, a data set)");
  refuses({.early_stopping = EarlyStopping()}, "need samples for an evaluation");
  const data::Dataset few = small_samples(3);
  refuses({.evaluation = few, .early_stopping = EarlyStopping{.patience = 0}},
          "early_stopping.patience is 0");
  refuses({.evaluation = few, .early_stopping = EarlyStopping{.min_delta = nan}},
          "early_stopping.min_delta is nan");
  refuses({.evaluation = few, .early_stopping = EarlyStopping{.restore_best = true}},
          "needs a folder for the best");
  refuses({.evaluation = few, .metric = {.name = "f1"}},
          "no metric 'f1' (its metrics are 'accuracy', 'loss')");
  refuses({.checkpoints = {.every = 3}}, "need a folder (give checkpoints.folder)");
  refuses({.checkpoints = {.resume = true}}, "need a folder");
  refuses({.checkpoints = {.folder = path("a"), .keep = 0}}, "checkpoints.keep is 0");
  refuses({.checkpoints = {.folder = path("a"), .minutes = nan}}, "checkpoints.minutes is nan");
  refuses({.checkpoints = {.folder = path("a"), .resume = true, .from = path("b")}}, "(give one of them)");
  refuses({.checkpoints = {.from = path("missing")}}, "there is no checkpoint and no folder of checkpoints");
  refuses({.checkpoints = {.file = path("missing/file")}}, "missing/file");
  refuses({.checkpoints = {.file_every = 2}}, "needs a file (give checkpoints.file)");
  refuses({.log = {.csv = path("log"), .every = 0}}, "log.every is 0");
  refuses({.properties = {{.name = "seed", .value = "1"}}}, "cannot have the name 'seed'");

  Graph untrained;
  untrained.output("w", untrained.variable("w", f32, {}, Initializer::constant(1)));
  Session predicts = compile(untrained, {.devices = "reference:0"});
  EXPECT_THAT(error_of([&] { Trainer(predicts, small_samples(4), {.batch = 4}); }),
              HasSubstr("the graph has no function 'train' (call Graph::minimize"));
}

}  // namespace
}  // namespace cutset
