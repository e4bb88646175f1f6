#include "frontends/cli/training.h"

#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>

#include "frontends/cli/terminal.h"
#include "frontends/cpp/graph_state.h"
#include "runtime/files.h"

namespace cutset::cli {
namespace {

using Clock = std::chrono::steady_clock;
const Clock::time_point kProcessStart = Clock::now();
double seconds_since(Clock::time_point t) { return std::chrono::duration<double>(Clock::now() - t).count(); }

// Sample numbers, one a line or separated by blanks.
std::vector<int64_t> read_order(const std::string& path) {
  const std::string text = check(read_file(path, uint64_t{1} << 30));
  std::vector<int64_t> order;
  const char *p = text.c_str(), *end = p + text.size();
  while (p < end) {
    if (std::isspace(static_cast<unsigned char>(*p))) {
      ++p;
      continue;
    }
    char* after = nullptr;
    const long long v = std::strtoll(p, &after, 10);
    if (after == p)
      raise(invalid_data("'" + path + "' holds something that is not a sample number, at byte " +
                         std::to_string(p - text.c_str())));
    order.push_back(v);
    p = after;
  }
  if (order.empty()) raise(invalid_data("'" + path + "' holds no sample number"));
  return order;
}

constexpr size_t kTraceTo = 6;  // steps; the first is left out where there are more

int kinds_of(const std::string& devices) {
  std::set<std::string> kinds;
  std::stringstream list(devices);
  for (std::string name; std::getline(list, name, ',');) kinds.insert(name.substr(0, name.find(':')));
  return static_cast<int>(kinds.size());
}

double evaluate(Session& session, const data::Images& test, int64_t batch) {
  double correct = 0;
  for (Batch& b : test.batch(batch).prefetch(2)) correct += session.run("evaluate", b)["correct"].item<double>();
  return correct / static_cast<double>(test.size());
}

}  // namespace

double TrainingResult::median_ms() const {
  std::vector<double> t(step_ms.begin() + (step_ms.size() > 1), step_ms.end());
  if (t.empty()) return 0;
  std::nth_element(t.begin(), t.begin() + static_cast<int64_t>(t.size() / 2), t.end());
  return t[t.size() / 2];
}
double TrainingResult::min_ms() const {
  return step_ms.empty() ? 0 : *std::min_element(step_ms.begin() + (step_ms.size() > 1), step_ms.end());
}

nlohmann::json TrainingResult::json(const TrainingOptions& o) const {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  nlohmann::json j = {
      {"model", o.common.model},
      {"devices", devices},
      {"strategy", strategy},
      {"batch", o.common.batch},
      {"seed", o.common.seed},
      {"steps", loss.size()},
      {"loss", loss},
      {"accuracy", accuracy},
      {"step_ms", {{"median", median_ms()}, {"min", min_ms()}}},
      {"items_per_second", median_ms() > 0 ? static_cast<double>(o.common.batch) / median_ms() * 1e3 : 0},
      {"first_step_s", first_step_s},
      {"peak_rss_mib", usage.ru_maxrss / 1024},
      {"transfers", nlohmann::json::array()},
      {"memory", nlohmann::json::array()}};
  for (const Transfer& t : transfers)
    j["transfers"].push_back(
        {{"from", t.from}, {"to", t.to}, {"bytes_per_step", t.bytes_per_step}, {"tensors", t.tensors}});
  for (const MemoryUse& m : memory)
    j["memory"].push_back({{"device", m.device},
                           {"planned_bytes", m.planned_bytes},
                           {"lower_bound_bytes", m.lower_bound_bytes},
                           {"variables", m.variables},
                           {"optimizer", m.optimizer},
                           {"constants", m.constants},
                           {"activations", m.activations},
                           {"transfers", m.transfers},
                           {"scratch", m.scratch},
                           {"fullest_op", m.fullest_op}});
  return j;
}

TrainingResult train(const TrainingOptions& o, const std::string& devices) {
  const CommonOptions& c = o.common;
  const models::Model& model = models::find(c.model);
  data::Images training = data::fashion_mnist("train", o.data), test = data::fashion_mnist("test", o.data);
  training = o.order.empty() ? training.shuffle(training.size(), c.seed) : training.order(read_order(o.order));
  Graph graph = model.build({c.batch, c.seed, {o.learning_rate, o.momentum}});
  Session session = compile(graph, c.compile_options(devices));
  if (!o.init.empty()) session.load(o.init);
  for (const std::string& topic : c.log) std::fputs(session.log(topic).c_str(), stderr);
  if (!c.dot.empty()) write_picture(c.dot, session.dot(c.dot_level == "layer"));

  TrainingResult r;
  r.devices = devices;
  r.strategy = session.strategy();
  if (c.deterministic && kinds_of(devices) > 1)
    std::fprintf(stderr,
                 "note: --deterministic over devices of %d kinds: runs repeat to the bit; against other devices the "
                 "bound of cutset verify holds\n",
                 kinds_of(devices));
  r.transfers = session.transfers();
  r.memory = session.memory();
  const int64_t per_epoch = (training.size() + c.batch - 1) / c.batch, total = o.steps ? o.steps : o.epochs * per_epoch;
  const size_t trace_from = total > 1 ? 1 : 0;
  try {
    Progress progress(c.model + " on " + devices, total);
    while (static_cast<int64_t>(r.loss.size()) < total) {
      for (Batch& batch : training.batch(c.batch).prefetch(2)) {
        if (!o.trace.empty() && r.loss.size() == trace_from) session.start_trace();
        const auto start = Clock::now();
        r.loss.push_back(session.run("train", batch)["loss"].item<double>());
        r.step_ms.push_back(seconds_since(start) * 1e3);
        const bool last = static_cast<int64_t>(r.loss.size()) == total;
        if (!o.trace.empty() && r.loss.size() > trace_from &&
            (r.loss.size() == kTraceTo || (last && r.loss.size() < kTraceTo)))
          session.write_trace(o.trace);
        if (r.loss.size() == 1) r.first_step_s = seconds_since(kProcessStart);
        progress.update(static_cast<int64_t>(r.loss.size()), "loss " + fixed(r.loss.back(), 4));
        if (static_cast<int64_t>(r.loss.size()) == total) break;
      }
      if (o.evaluate) r.accuracy.push_back(evaluate(session, test, c.batch));
    }
  } catch (const Error&) {
    if (!o.save.empty()) session.save(o.save);
    throw;
  }
  if (!o.save.empty()) session.save(o.save);
  return r;
}

std::string comparison(const std::vector<TrainingResult>& results, int64_t batch) {
  std::vector<std::vector<std::string>> rows = {{"devices", "steps", "accuracy", "last loss",
                                                 "loss vs first (20 steps)", "step ms (median)", "images/s",
                                                 "bytes a step"}};
  for (const TrainingResult& r : results) {
    double difference = 0;
    for (size_t i = 0; i < std::min<size_t>({20, r.loss.size(), results[0].loss.size()}); ++i)
      difference = std::max(difference, std::abs(r.loss[i] - results[0].loss[i]) / std::abs(results[0].loss[i]));
    std::string links;
    for (const Transfer& t : r.transfers)
      links += (links.empty() ? "" : ", ") + t.from + ">" + t.to + " " + bytes(static_cast<double>(t.bytes_per_step));
    const double ms = r.median_ms();
    rows.push_back({r.devices, std::to_string(r.loss.size()),
                    r.accuracy.empty() ? "-" : fixed(100 * r.accuracy.back(), 2) + " %",
                    r.loss.empty() ? "-" : fixed(r.loss.back(), 4), &r == &results[0] ? "-" : scientific(difference),
                    fixed(ms, 2), ms > 0 ? fixed(1e3 * static_cast<double>(batch) / ms, 0) : "-", links});
  }
  return table(rows);
}

}  // namespace cutset::cli
