// SPDX-License-Identifier: Apache-2.0
// The records of a training run in a CSV file and in an event file of TensorBoard.
#pragma once
#include <cutset/trainer.h>

#include <optional>
#include <string>
#include <vector>

#include "frontends/cpp/training/log_file.h"

namespace cutset {

// The ends of both logs, which a checkpoint holds.
struct LogPlaces {
  LogPlace csv, events;
  // Whether a record could not be written yet.
  bool pending() const { return !csv.pending.empty() || !events.pending.empty(); }
  bool operator==(const LogPlaces&) const = default;
};

// The logs of LogOptions.
class TrainingLog {
 public:
  // Opens the files, as LogFile::open does. `metrics` are the names of the metrics of an evaluation; empty:
  // there is none. `run` names the run that claims the files (log_claim.h).
  static Result<TrainingLog> open(const LogOptions& options, const std::vector<std::string>& metrics,
                                  const LogPlaces& places, const std::string& run);

  // Records a step of the epoch `epoch`, which counts from 1, unless LogOptions::every leaves it out. If a
  // file cannot be written, the record is pending in this file.
  Status add(const TrainingStep& step, int64_t epoch);
  // Records an evaluation, in the same way.
  Status add(const Evaluation& evaluation, int64_t epoch);
  // Writes the records that are pending.
  Status write_pending();
  // Removes the records after `places`, as LogFile::return_to does.
  void return_to(const LogPlaces& places);
  // Removes the claims of the files.
  void remove_claims();
  // Returns the ends of the files. For a log that is not open, returns the place with which open() was
  // called.
  LogPlaces places() const;

 private:
  TrainingLog(int64_t every, std::vector<std::string> metrics, LogPlaces places)
      : every_(every), metrics_(std::move(metrics)), begin_(std::move(places)) {}
  Status append(const std::string& row, const std::string& event);

  int64_t every_;
  std::vector<std::string> metrics_;  // the names of the last columns of the CSV file
  LogPlaces begin_;
  std::optional<LogFile> csv_, events_;
};

}  // namespace cutset
