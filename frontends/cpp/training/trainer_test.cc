// SPDX-License-Identifier: Apache-2.0
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
TEST_F(Trainers, TrainAsALoopDoes) {
  const LearningRateSchedule schedule{
      .kind = LearningRateSchedule::Kind::kLinear, .rate = 0.2, .warmup_steps = 2, .total_steps = 17};
  Session by_hand = small_session();
  std::vector<double> losses;
  const data::Dataset shuffled = small_samples(kSamples).shuffle(5).batch(kSmallBatch);
  for (int epoch = 0; epoch < 3; ++epoch)
    for (Batch& batch : shuffled) {
      by_hand.set_hyper_parameter("learning_rate", schedule.at(static_cast<int64_t>(losses.size())));
      losses.push_back(by_hand.train(batch)["loss"].item<double>());
    }
  Session session = small_session();
  LearningRateSchedule of_run = schedule;
  of_run.total_steps = 0;  // the last of 18 steps has the final rate
  Trainer trainer(session, small_samples(kSamples),
                  {.batch = kSmallBatch, .epochs = 3, .seed = 5, .schedule = of_run, .on_note = quiet});
  EXPECT_EQ(trainer.steps(), 18);
  const TrainingResult result = trainer.run();
  EXPECT_EQ(result.loss, losses);
  EXPECT_EQ(variables_of(session), variables_of(by_hand));
  EXPECT_EQ(trainer.step(), 18);
  EXPECT_THAT(error_of([&] { trainer.run(); }), HasSubstr("the run of 18 steps is complete"));

  // Without a shuffle, and without the last samples.
  Session in_order = small_session(), other = small_session();
  for (int epoch = 0; epoch < 2; ++epoch)
    for (Batch& batch : small_samples(20).batch(kSmallBatch)) in_order.train(batch);
  Trainer(other, small_samples(kSamples),
          {.batch = kSmallBatch, .epochs = 2, .shuffle = false, .drop_remainder = true, .on_note = quiet})
      .run();
  EXPECT_EQ(variables_of(other), variables_of(in_order));
}

// A constant rate holds for all steps, whatever the rate of the session was when the Trainer was made.
TEST_F(Trainers, HaveTheRatesOfTheirSchedule) {
  Session by_hand = small_session(), session = small_session();
  by_hand.set_hyper_parameter("learning_rate", 0.125);
  for (int epoch = 0; epoch < 2; ++epoch)
    for (Batch& batch : small_samples(20).batch(kSmallBatch)) by_hand.train(batch);
  session.set_hyper_parameter("learning_rate", 0);  // as a schedule that ends leaves it
  TrainerOptions options{.batch = kSmallBatch, .shuffle = false, .on_note = quiet};
  options.schedule = LearningRateSchedule{.rate = 0.125};
  Trainer(session, small_samples(20), options).run();
  options.schedule.reset();
  Trainer second(session, small_samples(20), options);
  session.set_hyper_parameter("learning_rate",
                              0.5);  // the Trainer took this rate when it was made
  second.run();
  EXPECT_EQ(session.hyper_parameter("learning_rate"), 0.125);
  EXPECT_EQ(variables_of(session), variables_of(by_hand));
}

// Returns a network whose evaluation after step n has the metric "score" `scores[n]`.
Graph scripted(const std::vector<float>& scores) {
  Graph g(1);
  const Tensor x = g.input("x", f32, {kSmallBatch, 2}), label = g.input("label", i32, {kSmallBatch});
  g.minimize(mean(softmax_cross_entropy(nn::dense("out", x, 3), label)), {.learning_rate = 0.1});
  const Tensor table = g.variable("scores", HostTensor({std::ssize(scores)}, scores), {.trainable = false});
  g.function("evaluate", {x}, {{"score", add(gather(table, g.step()), mul(sum(x), constant(x, 0)))}});
  return g;
}

struct Decision {
  std::vector<float> scores;  // after step 1, 2, ...
  EarlyStopping stopping;
  bool larger;
  int64_t steps;  // the run has 8 steps, and stops after this one
  double best;
};

// The decisions were made by hand.
TEST_F(Trainers, StopEarly) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const Decision decisions[] = {
      {{1, 2, 3, 3, 3, 4, 5, 6}, {.patience = 2}, true, 5, 3},
      {{1, 2, 3, 3, 4, 4, 4, 5}, {.patience = 2}, true, 7, 4},
      {{3, 2, 2, 1, 2, 2, 2, 0}, {.patience = 3}, false, 7, 1},
      {{1, kNan, kNan, 2, 3, 4, 5, 6}, {.patience = 2}, true, 3, 1},
      {{1, 1.25f, 1.5f, 1.75f, 2, 3, 4, 5}, {.patience = 3, .min_delta = 0.75}, true, 4, 1.75},
      {{1, 2, 3, 4, 5, 6, 7, 8}, {.patience = 1}, true, 8, 8},
  };
  for (const Decision& d : decisions) {
    std::vector<float> scores = {0};
    scores.insert(scores.end(), d.scores.begin(), d.scores.end());
    Session session = compile(scripted(scores), {.devices = "reference:0"});
    std::vector<std::string> notes;
    Trainer trainer(session, small_samples(kSamples),
                    {.batch = kSmallBatch,
                     .steps = 8,
                     .evaluation = small_samples(4),
                     .evaluate_every = 1,
                     .metric = {.name = "score", .larger_is_better = d.larger},
                     .early_stopping = d.stopping,
                     .on_note = [&](const std::string& note) { notes.push_back(note); }});
    const TrainingResult result = trainer.run();
    EXPECT_EQ(std::ssize(result.loss), d.steps) << d.steps;
    EXPECT_EQ(std::ssize(result.evaluations), d.steps);
    EXPECT_EQ(result.stopped_early, d.steps < 8);
    EXPECT_EQ(result.best, d.best);
    EXPECT_EQ(notes.size(), d.steps < 8 ? 1u : 0u);
  }
}

// The session ends with the variables of the best evaluation, the evaluation of step 3.
TEST_F(Trainers, RestoreTheBestVariables) {
  Session session = compile(scripted({0, 1, 2, 5, 4, 3, 2, 1, 0}), {.devices = "reference:0"});
  std::map<std::string, HostTensor> third;
  const auto options = [&] {
    return TrainerOptions{.batch = kSmallBatch,
                          .steps = 8,
                          .evaluation = small_samples(4),
                          .evaluate_every = 1,
                          .checkpoints = {.folder = path("run"), .resume = true},
                          .metric = {.name = "score", .larger_is_better = true},
                          .early_stopping = EarlyStopping{.patience = 2, .restore_best = true},
                          .on_step =
                              [&](const TrainingStep& s) {
                                if (s.step == 3) third = variables_of(session);
                              },
                          .on_note = quiet};
  };
  EXPECT_TRUE(Trainer(session, small_samples(kSamples), options()).run().stopped_early);
  EXPECT_EQ(variables_of(session), third);
  EXPECT_EQ(session.step(), 3u);
  // The same program again makes no step, and ends with the same variables.
  Session again = compile(scripted({0, 1, 2, 5, 4, 3, 2, 1, 0}), {.devices = "reference:0"});
  const TrainingResult result = Trainer(again, small_samples(kSamples), options()).run();
  EXPECT_TRUE(result.stopped_early && result.loss.empty());
  EXPECT_EQ(variables_of(again), third);
}

// The run stops after step 3. A note that throws does not keep the state from being saved, and a note says
// that the best checkpoint is missing.
TEST_F(Trainers, SaveWhenANoteThrows) {
  const auto run = [&](std::function<void(const std::string&)> on_note) {
    Session session = compile(scripted({0, 2, 1, 1, 1, 1, 1, 1, 1}), {.devices = "reference:0"});
    Trainer(session, small_samples(kSamples),
            {.batch = kSmallBatch,
             .steps = 8,
             .evaluation = small_samples(4),
             .evaluate_every = 1,
             .checkpoints = {.folder = path("run"), .every = 100, .resume = true},
             .metric = {.name = "score", .larger_is_better = true},
             .early_stopping = EarlyStopping{.patience = 2, .restore_best = true},
             .on_note = std::move(on_note)})
        .run();
    return session.step();
  };
  EXPECT_THROW(run([](const std::string&) { throw std::runtime_error("of the note"); }), std::runtime_error);
  EXPECT_TRUE(std::filesystem::exists(path("run/step-3.safetensors")));
  EXPECT_EQ(run(quiet), 1u);
  std::filesystem::remove(path("run/best.safetensors"));
  std::vector<std::string> notes;
  EXPECT_EQ(run([&](const std::string& note) { notes.push_back(note); }), 3u);
  EXPECT_THAT(
      notes,
      ElementsAre(HasSubstr("best.safetensors', so the session keeps the variables of the last step")));
}

// The number of epochs is rounded up without an overflow.
TEST_F(Trainers, MayHaveAnyNumberOfSteps) {
  Session session = small_session();
  int64_t epochs = 0;
  Trainer(session, small_samples(kSamples),
          {.batch = kSmallBatch,
           .steps = INT64_MAX,
           .stop = [&] { return session.step() >= 7; },
           .on_epoch = [&](const TrainingEpoch& e) { epochs = e.epochs; },
           .on_note = quiet})
      .run();
  EXPECT_EQ(epochs, 1537228672809129302);  // (2^63 - 1) / 6, rounded up
}

// An exception of a callback comes out of run(), and the state is the state after the last step.
TEST_F(Trainers, EndAndGoOnAfterAnErrorOfACallback) {
  Session whole = small_session();
  Trainer(whole, small_samples(kSamples), {.batch = kSmallBatch, .epochs = 2, .on_note = quiet}).run();
  for (const char* const of : {"step", "evaluation", "epoch"}) {
    bool throws = true;
    const auto fail = [&](const std::string& at, bool now) {
      if (throws && now && at == of) throw std::runtime_error("of the callback");
    };
    Session session = small_session();
    Trainer trainer(session, small_samples(kSamples),
                    {.batch = kSmallBatch,
                     .epochs = 2,
                     .evaluation = small_samples(5),
                     .checkpoints = {.folder = path(of)},
                     .on_step = [&](const TrainingStep& s) { fail("step", s.step == 3); },
                     .on_evaluation = [&](const Evaluation&) { fail("evaluation", true); },
                     .on_epoch = [&](const TrainingEpoch&) { fail("epoch", true); },
                     .on_note = quiet});
    EXPECT_THROW(trainer.run(), std::runtime_error);
    EXPECT_EQ(session.step(), of == std::string("step") ? 3u : 6u) << of;
    EXPECT_EQ(trainer.result().loss.size(), session.step());
    EXPECT_EQ(trainer.result().saved_to,
              path(of) + "/step-" + std::to_string(session.step()) + ".safetensors");
    throws = false;
    EXPECT_EQ(std::ssize(trainer.run().loss), 12 - (of == std::string("step") ? 3 : 6));
    EXPECT_EQ(variables_of(session), variables_of(whole)) << of;
  }
}

// A step that fails leaves the state of the step before, which is saved. Sample 9 has an infinite input.
TEST_F(Trainers, SaveWhatAFailedStepLeaves) {
  const data::Dataset damaged =
      small_samples(kSamples).map([](Batch batch, const data::BatchPosition& position) {
        for (size_t i = 0; i < position.samples.size(); ++i)
          if (position.samples[i] == 9)
            batch.at("x").set(2 * static_cast<int64_t>(i), std::numeric_limits<double>::quiet_NaN());
        return batch;
      });
  Session session = small_session(), by_hand = small_session();
  Trainer trainer(
      session, damaged,
      {.batch = kSmallBatch, .shuffle = false, .checkpoints = {.file = path("file")}, .on_note = quiet});
  EXPECT_THAT(error_of([&] { trainer.run(); }), HasSubstr("step 3 of 'train' is not committed"));
  EXPECT_EQ(trainer.step(), 2);
  EXPECT_EQ(trainer.result().saved_to, path("file"));
  int steps = 0;
  for (Batch& batch : small_samples(kSamples).batch(kSmallBatch))
    if (++steps <= 2) by_hand.train(batch);
  EXPECT_EQ(variables_of(session), variables_of(by_hand));
  Session loaded = small_session();
  EXPECT_TRUE(loaded.load(path("file")).complete());
  EXPECT_EQ(variables_of(loaded), variables_of(by_hand));
}

// In the last step, a folder appears under the name of the file, so the file cannot be written. The folder is
// gone when run() is called again.
TEST_F(Trainers, SaveAgainWhatCouldNotBeSaved) {
  Session session = small_session();
  Trainer trainer(session, small_samples(kSamples),
                  {.batch = kSmallBatch,
                   .checkpoints = {.file = path("file")},
                   .on_step =
                       [&](const TrainingStep& s) {
                         if (s.last) std::filesystem::create_directory(path("file"));
                       },
                   .on_note = quiet});
  EXPECT_THAT(error_of([&] { trainer.run(); }), HasSubstr("/file'"));
  EXPECT_EQ(trainer.result().saved_to, "");
  std::filesystem::remove(path("file"));
  const TrainingResult result = trainer.run();
  EXPECT_TRUE(result.loss.empty());
  EXPECT_EQ(result.saved_to, path("file"));
  Session loaded = small_session();
  EXPECT_TRUE(loaded.load(path("file")).complete());
  EXPECT_EQ(variables_of(loaded), variables_of(session));
  EXPECT_THAT(error_of([&] { trainer.run(); }), HasSubstr("the run of 6 steps is complete"));
}

TEST_F(Trainers, ReportStepsAndEpochs) {
  Session session = small_session();
  std::vector<int64_t> epochs, lasts;
  std::vector<std::string> written;
  Trainer trainer(session, small_samples(kSamples),
                  {.batch = kSmallBatch,
                   .steps = 8,
                   .checkpoints = {.folder = path("run"), .every = 4},
                   .on_step =
                       [&](const TrainingStep& s) {
                         if (s.last) lasts.push_back(s.step);
                         EXPECT_EQ(s.learning_rate, session.hyper_parameter("learning_rate"));
                       },
                   .on_epoch =
                       [&](const TrainingEpoch& e) {
                         epochs.insert(epochs.end(),
                                       {e.epoch, e.epochs, e.steps, e.whole_steps, e.made, e.samples});
                       },
                   .on_checkpoint = [&](const std::string& file) { written.push_back(file); },
                   .on_note = quiet});
  trainer.run();
  EXPECT_THAT(lasts, ElementsAre(8));
  EXPECT_THAT(epochs, ElementsAre(1, 2, 6, 6, 6, 22, 2, 2, 2, 6, 2, 8));
  EXPECT_THAT(written, ElementsAre(path("run/step-4.safetensors"), path("run/step-8.safetensors")));
  EXPECT_EQ(trainer.steps_per_epoch(), kPerEpoch);
}

}  // namespace
}  // namespace cutset
