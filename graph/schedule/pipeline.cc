// SPDX-License-Identifier: Apache-2.0
#include "graph/schedule/pipeline.h"

#include <algorithm>
#include <string>

namespace cutset {
namespace {

// Returns whether `value` is a number in [0, most]. NaN is not.
bool in_range(double value, double most) { return value >= 0 && value <= most; }

}  // namespace

int64_t PipelineCosts::devices() const {
  int64_t last = -1;
  for (const Stage& s : stages) last = std::max(last, s.device);
  return last + 1;
}

std::string PipelineCosts::name_of_device(int64_t device) const {
  const auto d = static_cast<size_t>(device);
  return d < names.size() ? names[d] : "device " + std::to_string(device);
}

double PipelineCosts::largest_micro_batch() const {
  return micro_batches.empty() ? 0 : *std::max_element(micro_batches.begin(), micro_batches.end());
}

Status check_pipeline(const PipelineCosts& pipeline) {
  const auto count = static_cast<int64_t>(pipeline.stages.size());
  const auto sizes = static_cast<int64_t>(pipeline.micro_batches.size());
  if (count == 0) return invalid_data("the pipeline has no stage", "add a line 'stage'");
  if (sizes == 0) return invalid_data("the pipeline has no micro-batch", "add a line 'micro-batches'");
  if (count > kScheduleCells / sizes)
    return invalid_data("the pipeline has " + std::to_string(count) + " stages and " + std::to_string(sizes) +
                            " micro-batches; their product is at most " + std::to_string(kScheduleCells),
                        "use fewer micro-batches");
  if (pipeline.links.size() + 1 != pipeline.stages.size())
    return invalid_data("the pipeline has " + std::to_string(pipeline.links.size()) + " links; " +
                            std::to_string(count) + " stages need " + std::to_string(count - 1),
                        "give one link between each two consecutive stages");
  std::vector<char> used(pipeline.stages.size(), 0);
  for (int64_t i = 0; i < count; ++i) {
    const Stage& s = pipeline.stages[static_cast<size_t>(i)];
    const std::string name = "stage " + std::to_string(i);
    if (s.device < 0 || s.device >= count)
      return invalid_data(name + ": device " + std::to_string(s.device) + " is out of range; " +
                              std::to_string(count) + " stages have devices from 0 to " +
                              std::to_string(count - 1),
                          "number the devices from 0");
    used[static_cast<size_t>(s.device)] = 1;
    for (const double seconds : {s.forward, s.backward_input, s.backward_weight, s.update})
      if (!in_range(seconds, kPipelineSeconds))
        return invalid_data(name + ": a time is not a number of seconds from 0 to 1e9", "correct the time");
    if (s.stash_bytes > static_cast<uint64_t>(kStashBytes))
      return invalid_data(name + ": the stash has more than 2^50 bytes", "correct the bytes");
  }
  const int64_t devices = pipeline.devices();
  for (int64_t d = 0; d < devices; ++d)
    if (!used[static_cast<size_t>(d)])
      return invalid_data("device " + std::to_string(d) + " has no stage",
                          "number the devices from 0 without a gap");
  for (size_t i = 0; i < pipeline.links.size(); ++i)
    if (!in_range(pipeline.links[i], kPipelineSeconds))
      return invalid_data("link " + std::to_string(i) + ": the time is not a number of seconds from 0 to 1e9",
                          "correct the time");
  for (size_t i = 0; i < pipeline.micro_batches.size(); ++i)
    if (!(pipeline.micro_batches[i] > 0) || !in_range(pipeline.micro_batches[i], kMicroBatchSize))
      return invalid_data(
          "micro-batch " + std::to_string(i) + ": the size is not a number above 0 and up to 1e9",
          "correct the size");
  return {};
}

Result<PipelineCosts> divide_stages(const PipelineCosts& pipeline, int64_t chunks, double wrap) {
  const size_t devices = pipeline.stages.size();
  for (size_t d = 0; d < devices; ++d)
    if (pipeline.stages[d].device != static_cast<int64_t>(d))
      return invalid_argument("stage " + std::to_string(d) + " is on device " +
                                  std::to_string(pipeline.stages[d].device) +
                                  "; stages are divided into chunks only if "
                                  "stage d is on device d",
                              "list the chunks as stages of their own");
  if (chunks < 1 || chunks > kScheduleCells / static_cast<int64_t>(devices))
    return invalid_argument(std::to_string(chunks) + " chunks per device are out of range",
                            "use 2 to 8 chunks");
  PipelineCosts divided;
  divided.micro_batches = pipeline.micro_batches;
  const auto parts = static_cast<double>(chunks);
  for (int64_t c = 0; c < chunks; ++c)
    for (size_t d = 0; d < devices; ++d) {
      Stage s = pipeline.stages[d];
      s.forward /= parts;
      s.backward_input /= parts;
      s.backward_weight /= parts;
      s.update /= parts;
      s.stash_bytes = (s.stash_bytes + static_cast<uint64_t>(chunks) - 1) / static_cast<uint64_t>(chunks);
      divided.stages.push_back(s);
      if (d + 1 < devices)
        divided.links.push_back(pipeline.links[d]);
      else if (c + 1 < chunks)
        divided.links.push_back(devices == 1 ? 0 : wrap);
    }
  CUTSET_TRY(check_pipeline(divided));
  return divided;
}

}  // namespace cutset
