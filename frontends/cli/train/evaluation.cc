#include "frontends/cli/train/evaluation.h"

#include <cmath>

#include "frontends/cli/terminal.h"
#include "frontends/cpp/failure.h"

namespace cutset::cli {

std::optional<double> Evaluation::perplexity() const { return sequence ? std::optional(std::exp(loss)) : std::nullopt; }

std::string Evaluation::text() const {
  std::string text = "loss " + fixed(loss, 4);
  if (const auto p = perplexity()) text += ", perplexity " + fixed(*p, 2);
  if (top1) text += ", top-1 " + fixed(100 * *top1, 2) + " %";
  if (top5) text += ", top-5 " + fixed(100 * *top5, 2) + " %";
  return text;
}

nlohmann::json Evaluation::json() const {
  nlohmann::json j = {{"step", step}, {"loss", loss}};
  if (const auto p = perplexity()) j["perplexity"] = *p;
  if (top1) j["top1"] = *top1;
  if (top5) j["top5"] = *top5;
  return j;
}

std::optional<Evaluation> evaluate(Session& session, const data::Dataset& samples, int64_t batch,
                                   const StopSignals& stop) {
  Evaluation made;
  double labels = 0, correct = 0, top5 = 0;
  bool counts = false, counts_five = false, tokens = false;
  for (Batch& b : samples.batch(batch).prefetch(2)) {
    const auto labels_of = b.find("label");
    if (labels_of == b.end())
      raise(invalid_argument("the samples for evaluation have no 'label'", "give --test-samples label=FILE.npy"));
    const TensorType label = labels_of->second.type();
    const Outputs outputs = session.evaluate(b);
    const auto n = static_cast<double>(label.elements());
    made.loss += n * outputs["loss"].item<double>(), labels += n;
    for (const auto& [name, value] : outputs) {
      if (name == "correct") correct += value.item<double>(), counts = true;
      if (name == "correct_top5") top5 += value.item<double>(), counts_five = true;
    }
    tokens = label.rank() == 2;
    if (stop.received()) return std::nullopt;
  }
  made.loss /= labels;
  if (counts) made.top1 = correct / labels, made.sequence = tokens;
  if (counts_five) made.top5 = top5 / labels;
  return made;
}

}  // namespace cutset::cli
