// SPDX-License-Identifier: Apache-2.0
#include "frontends/cli/train/training_data.h"

#include <algorithm>

#include "frontends/cli/options/samples.h"
#include "frontends/cli/output/terminal.h"
#include "frontends/cpp/checks/failure.h"
#include "frontends/cpp/graph/function_inputs.h"
#include "ir/core/hash.h"
#include "runtime/data/order.h"

namespace cutset::cli {
namespace {

// Says how many samples are left out, because the command trains an ONNX model with whole batches.
void note_left_out(const data::Dataset& samples, const char* what, int64_t batch) {
  const int64_t left_out = samples.size() % batch;
  if (left_out == 0 || samples.size() < batch) return;
  std::fprintf(stderr,
               "note: %lld of the %lld samples for %s %s left out, because this command runs an ONNX model "
               "with whole batches "
               "of %lld samples (a --batch that divides the number of samples leaves none out)\n",
               static_cast<long long>(left_out), static_cast<long long>(samples.size()), what,
               left_out == 1 ? "is" : "are", static_cast<long long>(batch));
}

// Says how many words of the samples of a text are not in the vocabulary. `input` is the input of their
// tokens.
void note_unknown_words(const data::Dataset& text, const std::string& input, const char* what) {
  constexpr int64_t kSamplesAtOnce = 256;
  int64_t words = 0, unknown = 0;
  for (const Batch& batch : text.batch(kSamplesAtOnce)) {
    const HostTensor& tokens = batch.at(input);
    words += tokens.elements();
    unknown += tokens.dtype() == DType::i64 ? std::ranges::count(tokens.as<int64_t>(), 0)
                                            : std::ranges::count(tokens.as<int32_t>(), 0);
  }
  if (unknown == 0) return;
  std::fprintf(
      stderr,
      "note: %lld of the %lld words for %s (%s %%) %s not in the vocabulary; token 0 stands for them\n",
      static_cast<long long>(unknown), static_cast<long long>(words), what,
      fixed(100 * static_cast<double>(unknown) / static_cast<double>(words), 1).c_str(),
      unknown == 1 ? "is" : "are");
}

}  // namespace

TrainingData read_training_data(const TrainingOptions& o) {
  const CommonOptions& c = o.common;
  const bool imported = is_onnx(c.model);
  // Arrays decide the open sizes of an ONNX model, so its inputs are checked when it runs.
  const Graph graph = imported && !o.samples.samples.empty() ? Graph() : c.graph();
  std::string contents;
  TrainingData data{o.samples.training(graph, c.seed, o.has_checkpoints() ? &contents : nullptr),
                    {},
                    imported,
                    {},
                    {},
                    {},
                    {}};
  data.contents = std::move(contents);
  data.source = o.samples.description();
  data.words = o.samples.input_of_words(graph);
  if (!o.order.empty()) {
    std::vector<int64_t> order = check(read_order(o.order));
    const std::string bytes(reinterpret_cast<const char*>(order.data()), order.size() * sizeof order[0]);
    data.source += ", the order " + std::to_string(hash_of(bytes));
    data.training = data.training.order(std::move(order));
  }
  if (o.evaluate) data.test = o.samples.test(graph, o.has_checkpoints() ? &data.test_contents : nullptr);
  o.stopping.check_use(data.test.has_value());
  return data;
}

void fit_to_graph(TrainingData& data, const Graph& graph, int64_t batch, bool notes) {
  data.training = with_types_of(graph, data.training);
  if (data.test) data.test = with_types_of(graph, *data.test);
  check_samples(graph, [&] { return inputs_of_function(graph, "train"); }, data.training);
  if (data.test)
    check_samples(graph, [&] { return inputs_of_function(graph, "evaluate"); }, *data.test, "--test-samples");
  if (notes && !data.words.empty()) {
    note_unknown_words(data.training, data.words, "training");
    if (data.test) note_unknown_words(*data.test, data.words, "the evaluation");
  }
  if (!data.whole_batches) return;
  if (notes) note_left_out(data.training, "each epoch of training", batch);
  if (!data.test) return;
  if (notes) note_left_out(*data.test, "each evaluation", batch);
  data.test = without_remainder(*data.test, batch, "samples for evaluation");
}

}  // namespace cutset::cli
