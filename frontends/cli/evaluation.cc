#include "frontends/cli/evaluation.h"

#include <cmath>

#include "frontends/cli/terminal.h"

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
  made.step = static_cast<int64_t>(session.step());
  double labels = 0, correct = 0, top5 = 0;
  bool counts = false, counts_five = false;
  for (Batch& b : samples.batch(batch).prefetch(2)) {
    const TensorType label = b.at("label").type();
    const Outputs outputs = session.evaluate(b);
    const auto n = static_cast<double>(label.elements());
    made.loss += n * outputs["loss"].item<double>(), labels += n;
    made.sequence = label.rank() > 1 && !is_float(label.dtype);
    for (const auto& [name, value] : outputs) {
      if (name == "correct") correct += value.item<double>(), counts = true;
      if (name == "correct_top5") top5 += value.item<double>(), counts_five = true;
    }
    if (stop.received()) return std::nullopt;
  }
  made.loss /= labels;
  if (counts) made.top1 = correct / labels;
  if (counts_five) made.top5 = top5 / labels;
  return made;
}

}  // namespace cutset::cli
