// SPDX-License-Identifier: Apache-2.0
#include "graph/schedule/pipeline_text.h"

#include <algorithm>

#include "graph/schedule/generators.h"
#include "graph/schedule/lines.h"

namespace cutset {
namespace {

constexpr const char* kMicroBatches = "micro-batches COUNT [SIZE...]";
constexpr const char* kStage = "stage DEVICE FORWARD BACKWARD_INPUT BACKWARD_WEIGHT [UPDATE [STASH_BYTES]]";
constexpr const char* kLinks = "links SECONDS...";
constexpr const char* kChunks = "chunks COUNT";
constexpr const char* kSchedule = "schedule NAME";
constexpr size_t kMostWords = kTextLineBytes;

class Parser {
 public:
  explicit Parser(std::string_view text) : lines_(text, {.kind = "pipeline"}) {}

  Result<PipelineInstance> run() {
    CUTSET_TRY(lines_.header());
    for (;;) {
      CUTSET_ASSIGN(const bool more, lines_.next());
      if (!more) break;
      CUTSET_TRY(line());
    }
    CUTSET_TRY(links());
    if (Status valid = check_pipeline(instance_.pipeline); !valid.ok()) {
      Failure f = lines_.at_end(valid.error().what);
      f.hint = valid.error().hint;
      return f;
    }
    return std::move(instance_);
  }

 private:
  Status line() {
    const std::string_view word = lines_.word(0);
    if (word == "stage") return stage();
    if (word == "micro-batches") return micro_batches();
    if (word == "links") {
      CUTSET_TRY(once(!links_.empty(), "links"));
      CUTSET_TRY(lines_.expect_words(2, kMostWords, kLinks));
      for (size_t i = 1; i < lines_.size(); ++i) {
        CUTSET_ASSIGN(const double seconds, lines_.number(i, "SECONDS", kPipelineSeconds));
        links_.push_back(seconds);
      }
      return {};
    }
    if (word == "chunks") {
      CUTSET_TRY(once(chunks_, "chunks"));
      CUTSET_TRY(lines_.expect_words(2, 2, kChunks));
      CUTSET_ASSIGN(instance_.chunks, lines_.whole(1, "COUNT", 1, kScheduleCells));
      chunks_ = true;
      return {};
    }
    if (word == "schedule") {
      CUTSET_TRY(lines_.expect_words(2, 2, kSchedule));
      const std::string name(lines_.word(1));
      if (!find_schedule_generator(name)) return lines_.at(1, "there is no schedule " + shown_word(name));
      std::vector<std::string>& names = instance_.schedules;
      if (std::find(names.begin(), names.end(), name) != names.end())
        return lines_.at(1, "schedule '" + name + "' is listed twice");
      names.push_back(name);
      return {};
    }
    return lines_.at(
        0, "a line starts with 'stage', 'micro-batches', 'links', 'chunks' or 'schedule', not with " +
               shown_word(word));
  }

  Status stage() {
    CUTSET_TRY(lines_.expect_words(5, 7, kStage));
    if (instance_.pipeline.stages.size() >= static_cast<size_t>(kScheduleCells))
      return lines_.at(0, "the pipeline has more than " + std::to_string(kScheduleCells) + " stages");
    Stage s;
    CUTSET_ASSIGN(s.device, lines_.whole(1, "DEVICE", 0, kScheduleCells - 1));
    CUTSET_ASSIGN(s.forward, lines_.number(2, "FORWARD", kPipelineSeconds));
    CUTSET_ASSIGN(s.backward_input, lines_.number(3, "BACKWARD_INPUT", kPipelineSeconds));
    CUTSET_ASSIGN(s.backward_weight, lines_.number(4, "BACKWARD_WEIGHT", kPipelineSeconds));
    if (lines_.size() > 5) {
      CUTSET_ASSIGN(s.update, lines_.number(5, "UPDATE", kPipelineSeconds));
    }
    if (lines_.size() > 6) {
      CUTSET_ASSIGN(const int64_t bytes, lines_.whole(6, "STASH_BYTES", 0, kStashBytes));
      s.stash_bytes = static_cast<uint64_t>(bytes);
    }
    instance_.pipeline.stages.push_back(s);
    return {};
  }

  Status micro_batches() {
    std::vector<double>& sizes = instance_.pipeline.micro_batches;
    CUTSET_TRY(once(!sizes.empty(), "micro-batches"));
    CUTSET_TRY(lines_.expect_words(2, kMostWords, kMicroBatches));
    CUTSET_ASSIGN(const int64_t count, lines_.whole(1, "COUNT", 1, kScheduleCells));
    const size_t listed_sizes = lines_.size() - 2;
    if (listed_sizes != 0 && listed_sizes != static_cast<size_t>(count))
      return lines_.at(2, "the line has " + std::to_string(listed_sizes) + " sizes for " +
                              std::to_string(count) +
                              " micro-batches; give one size per micro-batch, or none");
    sizes.assign(static_cast<size_t>(count), 1);
    for (size_t i = 0; i < listed_sizes; ++i) {
      CUTSET_ASSIGN(sizes[i], lines_.number(i + 2, "SIZE", kMicroBatchSize));
    }
    return {};
  }

  // Fails at a second line of the same kind.
  Status once(bool seen, const std::string& what) const {
    if (seen) return lines_.at(0, "the text has a second line '" + what + "'");
    return {};
  }

  // Turns the numbers of the line 'links' into one number per link, and a number for transfers from the last
  // device to the first one.
  Status links() {
    const size_t stages = instance_.pipeline.stages.size(), needed = stages ? stages - 1 : 0;
    if (links_.size() <= 1) {
      instance_.wrap = links_.empty() ? 0 : links_[0];
      instance_.pipeline.links.assign(needed, instance_.wrap);
      return {};
    }
    if (links_.size() != needed && links_.size() != needed + 1)
      return lines_.at_end("the line 'links' has " + std::to_string(links_.size()) + " numbers; " +
                           std::to_string(stages) + " stages need one number, " + std::to_string(needed) +
                           ", or " + std::to_string(needed + 1) +
                           " with the way from the last device to the first one");
    instance_.wrap = *std::max_element(links_.begin(), links_.end());
    if (links_.size() == needed + 1) instance_.wrap = links_.back();
    links_.resize(needed);
    instance_.pipeline.links = links_;
    return {};
  }

  LineReader lines_;
  PipelineInstance instance_;
  std::vector<double> links_;
  bool chunks_ = false;
};

}  // namespace

Result<PipelineInstance> parse_pipeline(std::string_view text) { return Parser(text).run(); }

}  // namespace cutset
