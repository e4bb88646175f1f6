// SPDX-License-Identifier: Apache-2.0
// Tests that a run which stops and is resumed equals the run that did not stop, and which checkpoints and
// logs are refused.
#include <cutset/trainer.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "runtime/files/files.h"
#include "tests/errors.h"
#include "tests/folder.h"
#include "tests/limited_files.h"
#include "tests/small_training.h"

namespace cutset {
namespace {

using ::testing::ElementsAre;
using testing::error_of;
using ::testing::HasSubstr;
using testing::kSmallBatch;
using testing::quiet;
using testing::small_samples;
using testing::variables_of;

constexpr int64_t kSamples = 22;

class Resumed : public Folder {
 protected:
  // Runs a program with a folder `name` from a new session, and stops after `until` steps.
  std::map<std::string, HostTensor> run(const std::string& name, int64_t until) {
    Session session = testing::small_session();
    TrainerOptions options = options_of(name);
    options.stop = [&] { return session.step() >= static_cast<uint64_t>(until); };
    result_ = Trainer(session, small_samples(kSamples), options).run();
    return variables_of(session);
  }
  // Runs the program in the same way, and stops when it is asked for the time `asked`: after a step, or in an
  // evaluation.
  std::map<std::string, HostTensor> run_until_asked(const std::string& name, int64_t asked) {
    Session session = testing::small_session();
    TrainerOptions options = options_of(name);
    options.stop = [&, times = int64_t{0}]() mutable { return ++times >= asked; };
    result_ = Trainer(session, small_samples(kSamples), options).run();
    return variables_of(session);
  }
  TrainerOptions options_of(const std::string& name) const {
    return {.batch = kSmallBatch,
            .epochs = 4,
            .seed = 8,
            .schedule = LearningRateSchedule{.kind = LearningRateSchedule::Kind::kCosine, .rate = 0.3},
            .evaluation = small_samples(9, 100),
            .checkpoints = {.folder = path(name), .every = 5, .keep = 2, .resume = true},
            .early_stopping = EarlyStopping{.patience = 2, .min_delta = 0.9},
            .log = {.csv = path(name + ".csv"), .tensorboard = path(name)},
            .on_note = quiet};
  }
  std::string contents(const std::string& file) const { return *read_file(path(file)); }

  TrainingResult result_;
};

TEST_F(Resumed, RunsAreThoseThatDidNotStop) {
  constexpr int64_t kNever = 1000;
  const auto whole = run("whole", kNever);
  const TrainingResult want = result_;
  const std::string log = contents("whole.csv");
  const int64_t steps = std::ssize(want.loss);
  ASSERT_GT(steps, 6);
  ASSERT_TRUE(want.stopped_early);
  ASSERT_LT(steps, 24);
  for (const int64_t until : {int64_t{1}, int64_t{5}, int64_t{6}, int64_t{8}, steps - 1}) {
    const std::string name = "stopped-" + std::to_string(until);
    run(name, until);
    EXPECT_TRUE(result_.stopped);
    std::ofstream(path(name + ".csv"), std::ios::app) << "17,3,0.";  // half of a row
    EXPECT_EQ(run(name, kNever), whole) << until;
    EXPECT_EQ(result_.first_step, until);
    EXPECT_EQ(result_.stopped_early, want.stopped_early);
    EXPECT_EQ(result_.best, want.best);
    EXPECT_EQ(contents(name + ".csv"), log) << until;
    EXPECT_EQ(contents(name + "/events.out.tfevents.cutset").size(),
              contents("whole/events.out.tfevents.cutset").size());
  }
  // The same program once more is complete.
  EXPECT_EQ(run("whole", kNever), whole);
  EXPECT_TRUE(result_.loss.empty());
  EXPECT_EQ(contents("whole.csv"), log);
}

// An evaluation of three batches that is not complete is made again, and is in the log once.
TEST_F(Resumed, RunsMayStopInAnEvaluation) {
  const auto whole = run("whole", 1000);
  int64_t in_evaluations = 0;
  for (int64_t asked = 7; asked <= 16; ++asked) {
    const std::string name = "asked-" + std::to_string(asked);
    run_until_asked(name, asked);
    in_evaluations += result_.loss.size() == 6 && result_.evaluations.empty();
    EXPECT_EQ(run(name, 1000), whole) << asked;
    EXPECT_EQ(contents(name + ".csv"), contents("whole.csv")) << asked;
  }
  EXPECT_GE(in_evaluations, 3);
}

// Steps 3 to 8 meet a full disk, each in a separate Trainer, which goes on when there is space again. Step 6
// ends an epoch and has an evaluation. The program that is started again ends in the same way.
TEST_F(Resumed, RunsGoOnWhenADiskWasFull) {
  const auto whole = run("whole", 1000);
  const std::string log = contents("whole.csv");
  for (const int64_t until : {int64_t{3}, int64_t{5}, int64_t{6}, int64_t{8}})
    for (const bool starts_again : {false, true}) {
      const std::string name = "full-" + std::to_string(until) + (starts_again ? "-again" : "");
      {
        Session session = testing::small_session();
        TrainerOptions options = options_of(name);
        std::optional<testing::LimitedFiles> full;
        options.on_step = [&](const TrainingStep& s) {
          if (s.step == until) full.emplace(contents(name + ".csv").size() + 5);
        };
        options.on_note = [&](const std::string&) { full.reset(); };
        Trainer trainer(session, small_samples(kSamples), options);
        EXPECT_THAT(error_of([&] { trainer.run(); }), HasSubstr("File too large")) << until;
        full.reset();
        if (!starts_again) {
          trainer.run();
          EXPECT_EQ(variables_of(session), whole) << until;
        }
      }
      if (starts_again) {
        EXPECT_EQ(run(name, 1000), whole) << until;
      }
      EXPECT_EQ(contents(name + ".csv"), log) << until;
      EXPECT_EQ(contents(name + "/events.out.tfevents.cutset").size(),
                contents("whole/events.out.tfevents.cutset").size());
    }
}

// An evaluation inside an epoch that is made after a resume ends no epoch.
TEST_F(Resumed, EvaluationsInsideAnEpochReportNoEpoch) {
  std::vector<int64_t> epochs;
  for (const int64_t until : {5, 1000}) {
    Session session = testing::small_session();
    TrainerOptions options = options_of("run");
    options.epochs = 1;
    options.evaluate_every = 5;
    options.schedule.reset();
    options.stop = [&] { return session.step() >= static_cast<uint64_t>(until); };
    options.on_epoch = [&](const TrainingEpoch& e) { epochs.insert(epochs.end(), {e.epoch, e.steps}); };
    result_ = Trainer(session, small_samples(kSamples), options).run();
  }
  EXPECT_THAT(epochs, ElementsAre(1, 6));
  EXPECT_EQ(result_.evaluations.size(), 2u);  // after the steps 5 and 6
}

// The table, read by hand, has the losses, rates and metrics that the result and the schedule have.
TEST_F(Resumed, LogsAreTables) {
  run("run", 1000);
  std::istringstream in(contents("run.csv"));
  std::string line;
  std::getline(in, line);
  EXPECT_EQ(line, "step,epoch,loss,learning_rate,evaluation/accuracy,evaluation/loss");
  LearningRateSchedule schedule{.kind = LearningRateSchedule::Kind::kCosine, .rate = 0.3, .total_steps = 23};
  size_t step = 0, evaluation = 0;
  while (std::getline(in, line)) {
    std::vector<std::string> cells(1);
    for (const char c : line)
      if (c == ',')
        cells.emplace_back();
      else
        cells.back() += c;
    ASSERT_EQ(cells.size(), 6u) << line;
    if (!cells[2].empty()) {
      EXPECT_EQ(std::stoull(cells[0]), step + 1);
      EXPECT_EQ(std::stoull(cells[1]), step / 6 + 1);
      EXPECT_EQ(std::stod(cells[2]), result_.loss.at(step));
      EXPECT_EQ(std::stof(cells[3]), static_cast<float>(schedule.at(static_cast<int64_t>(step))));
      EXPECT_EQ(cells[4] + cells[5], "");
      ++step;
    } else {
      const Evaluation& e = result_.evaluations.at(evaluation++);
      EXPECT_EQ(std::stoll(cells[0]), e.step);
      EXPECT_EQ(std::stoull(cells[0]), step);
      EXPECT_EQ(std::stod(cells[4]), e.metrics.at("accuracy"));
      EXPECT_EQ(std::stod(cells[5]), e.metrics.at("loss"));
    }
  }
  EXPECT_EQ(step, result_.loss.size());
  EXPECT_EQ(evaluation, result_.evaluations.size());
  EXPECT_GT(evaluation, 1u);
}

TEST_F(Resumed, RunsWithOtherOptionsAreRefused) {
  run("run", 7);
  const auto refuses = [&](const char* text, auto&& change, uint64_t samples = 0) {
    TrainerOptions options = options_of("run");
    change(options);
    Session session = testing::small_session();
    EXPECT_THAT(
        error_of([&] { Trainer(session, small_samples(kSamples, static_cast<int64_t>(samples)), options); }),
        HasSubstr(text));
  };
  refuses("was made with batch 4, and this run has 2 (give batch 4)", [](TrainerOptions& o) { o.batch = 2; });
  refuses("was made with seed 8, and this run has 9 (give seed 8)", [](TrainerOptions& o) { o.seed = 9; });
  refuses(
      "was made with the learning rate 0.3, cosine to 0 in step 24, and this run has 0.3, cosine to 0 in "
      "step 30 (give the learning rate and the schedule of the first run, with steps or epochs",
      [](TrainerOptions& o) { o.epochs = 5; });
  refuses("was made with the order of the samples shuffled, and this run has as given (give shuffle",
          [](TrainerOptions& o) { o.shuffle = false; });
  refuses(
      "was made with the order of the samples shuffled, and this run has shuffled, whole batches only (give",
      [](TrainerOptions& o) { o.drop_remainder = true; });
  refuses("was made with evaluations on 9 samples with the hash ",
          [](TrainerOptions& o) { o.evaluation = small_samples(9, 101); });
  refuses("was made with data of 22 samples with the hash ", [](TrainerOptions&) {}, 1);
  refuses(
      "was made with early stopping: 2 evaluations without an improvement of more than 0.9, and this run has "
      "none",
      [](TrainerOptions& o) { o.early_stopping.reset(); });
  refuses("was made with the best metric accuracy or loss, and this run has loss",
          [](TrainerOptions& o) { o.metric.name = "loss"; });
  refuses("was written by an older version of this program, whose checkpoints have no note 'train.fold'",
          [](TrainerOptions& o) { o.properties = {{.name = "fold", .value = "2"}}; });
  refuses("was made with the hyper-parameters momentum 0.9, and this run has momentum 0.5",
          [](TrainerOptions& o) {
            o.properties = {{.name = "optimizer", .value = "momentum 0.5", .what = "the hyper-parameters"}};
          });
  refuses("has the checkpoints of another run (continue that run with checkpoints.from '",
          [](TrainerOptions& o) { o.checkpoints.resume = false; });
  // A metric that is chosen by default may also be named.
  TrainerOptions named = options_of("run");
  named.metric = {.name = "accuracy", .larger_is_better = true};
  Session same = testing::small_session();
  EXPECT_EQ(error_of([&] { Trainer(same, small_samples(kSamples), named); }), "no error");
  std::filesystem::copy_file(path("run.csv"), path("other.csv"));
  refuses("' is not the one of the run that wrote the checkpoint", [&](TrainerOptions& o) {
    o.log.csv = path("other.csv");
    std::ofstream(o.log.csv, std::ios::in) << "another head";
  });
  // The graph differs in an op that no variable shows.
  Graph other = testing::small_network();
  other.function("more", {}, {{"one", other.constant(HostTensor::scalar(1.f))}});
  Session session = compile(other, {.devices = "reference:0"});
  EXPECT_THAT(error_of([&] { Trainer(session, small_samples(kSamples), options_of("run")); }),
              HasSubstr("was made with a network of f32 with the hash "));
}

// The best checkpoint was written after the evaluation of its step, which is not made again.
TEST_F(Resumed, RunsMayGoOnFromTheBestCheckpoint) {
  const auto whole = run("whole", 1000);
  const size_t evaluations = result_.evaluations.size();
  std::filesystem::create_directory(path("best"));
  for (const char* const file : {"/best.safetensors", "/events.out.tfevents.cutset"})
    std::filesystem::copy_file(path("whole") + file, path("best") + file);
  std::filesystem::copy_file(path("whole.csv"), path("best.csv"));
  EXPECT_EQ(run("best", 1000), whole);
  EXPECT_GT(result_.evaluations.size(), 0u);
  EXPECT_LT(result_.evaluations.size(), evaluations);
  EXPECT_EQ(contents("best.csv"), contents("whole.csv"));
}

TEST_F(Resumed, RunsHaveOneFolderAndOneLog) {
  Session first = testing::small_session(), second = testing::small_session();
  const Trainer has(first, small_samples(kSamples), options_of("run"));
  EXPECT_THAT(error_of([&] { Trainer(second, small_samples(kSamples), options_of("run")); }),
              HasSubstr("is in use by another run"));
  TrainerOptions log_only = options_of("run");
  log_only.checkpoints = {};
  log_only.log.tensorboard.clear();
  EXPECT_THAT(error_of([&] { Trainer(second, small_samples(kSamples), log_only); }),
              HasSubstr("run.csv' is in use by another run"));
}

// A new run does not replace a log, whatever the log has.
TEST_F(Resumed, NewRunsKeepOldLogs) {
  run("run", 3);
  Session session = testing::small_session();
  TrainerOptions options = options_of("run");
  options.checkpoints = {};
  options.log.tensorboard.clear();
  const std::string before = contents("run.csv");
  EXPECT_THAT(error_of([&] { Trainer(session, small_samples(kSamples), options); }),
              HasSubstr("run.csv' belongs to another run, or is another file (continue that run"));
  EXPECT_EQ(contents("run.csv"), before);
}

// A run whose folder has no checkpoint did not write the log, although its options are the same.
TEST_F(Resumed, RunsWithoutCheckpointsKeepTheLogsOfOthers) {
  run("whole", 1000);
  const std::string table = contents("whole.csv");
  std::filesystem::copy_file(path("whole.csv"), path("other.csv"));
  EXPECT_THAT(error_of([&] { run("other", 1000); }),
              HasSubstr("other.csv' belongs to another run, or is another file"));
  EXPECT_EQ(contents("other.csv"), table);
}

// A copy of the files that a killed run leaves: a log with rows, and the checkpoint of step 5 or no
// checkpoint. The checkpoint belongs to a run without a log, or to a run whose log has been removed.
TEST_F(Resumed, RunsKnowTheLogsThatTheyHaveBegun) {
  const auto without_log = [&](const std::string& name) {
    TrainerOptions options = options_of(name);
    options.log = {};
    Session session = testing::small_session();
    options.stop = [&] { return session.step() >= 5; };
    Trainer(session, small_samples(kSamples), options).run();
  };
  const auto killed = [&](const std::string& name, int64_t step) {
    Session session = testing::small_session();
    TrainerOptions options = options_of(name);
    options.checkpoints.every = 1000;
    const std::string kept = path(name) + "-kept";
    // In the middle of the run, the files are the files that a killed process leaves.
    options.on_step = [&](const TrainingStep& s) {
      if (s.step == step) std::filesystem::copy(path(name), kept);
      if (s.step == step) std::filesystem::copy(path(name + ".csv"), kept + ".csv");
      if (s.step == step) std::filesystem::copy(path(name + ".csv.run"), kept + ".csv.run");
      if (s.step == step) throw std::runtime_error("killed");
    };
    EXPECT_THROW(Trainer(session, small_samples(kSamples), options).run(), std::runtime_error);
    for (const char* const more : {"", ".csv"}) {
      std::filesystem::remove_all(path(name) + more);
      std::filesystem::rename(kept + more, path(name) + more);
    }
    std::filesystem::rename(kept + ".csv.run", path(name + ".csv.run"));
  };
  const auto whole = run("whole", 1000);
  const std::string head = contents("whole.csv").substr(0, contents("whole.csv").find('\n') + 1);
  killed("new", 2);
  EXPECT_EQ(run("new", 1000), whole);
  EXPECT_EQ(contents("new.csv"), contents("whole.csv"));
  without_log("first");
  killed("first", 8);
  EXPECT_GT(contents("first.csv").size(), head.size());
  EXPECT_EQ(run("first", 1000), whole);
  EXPECT_EQ(contents("first.csv"),
            head + contents("whole.csv").substr(contents("whole.csv").find("\n6,1,") + 1));
  run("lost", 5);
  std::filesystem::remove(path("lost.csv"));
  killed("lost", 8);
  EXPECT_EQ(run("lost", 1000), whole);
  EXPECT_EQ(contents("lost.csv"), contents("first.csv"));
  EXPECT_FALSE(std::filesystem::exists(path("lost.csv.run")) ||
               std::filesystem::exists(path("lost/.events.run")));
}

}  // namespace
}  // namespace cutset
