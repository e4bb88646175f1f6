// SPDX-License-Identifier: Apache-2.0
#include "frontends/cpp/training/training_log.h"

#include <chrono>
#include <cmath>
#include <filesystem>

#include "frontends/cpp/training/event_record.h"
#include "ir/core/number_text.h"

namespace cutset {
namespace {

constexpr char kEventFile[] = "/events.out.tfevents.cutset";  // as TensorBoard wants it
constexpr char kEventClaim[] = "/.events.run";  // TensorBoard reads all files with "tfevents" in their names
constexpr char kEvaluation[] = "evaluation/";   // is followed by the name of a metric

double seconds_since_1970() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// Returns a cell of the table. The name of a metric may have any characters (RFC 4180, section 2).
std::string cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}
std::string cell(double number) { return std::isnan(number) ? "nan" : shortest_text(number); }

std::string head_of(const std::vector<std::string>& metrics) {
  std::string head = "step,epoch,loss,learning_rate";
  for (const std::string& name : metrics) head += "," + cell(kEvaluation + name);
  return head + "\n";
}

}  // namespace

Result<TrainingLog> TrainingLog::open(const LogOptions& o, const std::vector<std::string>& metrics,
                                      const LogPlaces& places, const std::string& run) {
  TrainingLog log(o.every, metrics, places);
  if (!o.tensorboard.empty()) {
    std::error_code failed;
    std::filesystem::create_directories(o.tensorboard, failed);
    if (failed)
      return unavailable("cannot create the folder '" + o.tensorboard + "': " + failed.message(),
                         "check the path and its permissions");
    CUTSET_ASSIGN(log.events_, LogFile::open(o.tensorboard + kEventFile,
                                             {version_record(seconds_since_1970()), begins_with_version},
                                             places.events, {o.tensorboard + kEventClaim, run}));
  }
  if (!o.csv.empty()) {
    const std::string head = head_of(metrics);
    const auto fits = [&](std::string_view bytes) { return head.starts_with(bytes.substr(0, head.size())); };
    CUTSET_ASSIGN(log.csv_, LogFile::open(o.csv, {head, fits}, places.csv, {o.csv + ".run", run}));
  }
  return log;
}

Status TrainingLog::add(const TrainingStep& s, int64_t epoch) {
  if (s.step % every_ != 0) return {};
  const bool has_rate = !std::isnan(s.learning_rate);
  std::vector<std::pair<std::string, double>> values = {{"loss", s.loss}};
  if (has_rate) values.emplace_back("learning_rate", s.learning_rate);
  return append(std::to_string(s.step) + "," + std::to_string(epoch) + "," + cell(s.loss) + "," +
                    (has_rate ? cell(s.learning_rate) : "") + std::string(metrics_.size(), ',') + "\n",
                scalars_record(seconds_since_1970(), s.step, values));
}

Status TrainingLog::add(const Evaluation& e, int64_t epoch) {
  std::string row = std::to_string(e.step) + "," + std::to_string(epoch) + ",,";
  std::vector<std::pair<std::string, double>> values;
  for (const std::string& name : metrics_) {
    const std::optional<double> value = e.metric(name);
    row += "," + (value ? cell(*value) : "");
    if (value) values.emplace_back(kEvaluation + name, *value);
  }
  return append(row + "\n", scalars_record(seconds_since_1970(), e.step, values));
}

Status TrainingLog::append(const std::string& row, const std::string& event) {
  Status csv = csv_ ? csv_->append(row) : Status();
  Status events = events_ ? events_->append(event) : Status();
  return csv.ok() ? events : csv;
}

Status TrainingLog::write_pending() {
  if (csv_) CUTSET_TRY(csv_->write_pending());
  return events_ ? events_->write_pending() : Status();
}

void TrainingLog::return_to(const LogPlaces& places) {
  if (csv_) csv_->return_to(places.csv);
  if (events_) events_->return_to(places.events);
}

void TrainingLog::remove_claims() {
  if (csv_) csv_->remove_claim();
  if (events_) events_->remove_claim();
}

LogPlaces TrainingLog::places() const {
  return {csv_ ? csv_->place() : begin_.csv, events_ ? events_->place() : begin_.events};
}

}  // namespace cutset
