// SPDX-License-Identifier: Apache-2.0
#include "graph/config/fitted_strategy.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "graph/partition/shard_names.h"
#include "graph/schedule/generators.h"
#include "ir/core/names.h"

namespace cutset {
namespace {

constexpr int64_t kMostMicroBatches = 4096, kMostChunks = 64, kMostStages = 4096;

constexpr const char* kKnown =
    "the strategies are one_device, model, data(N), data(N, shares=A:B), data(N, shard=optimizer), data(N, "
    "shard=gradients), data(N, shard=parameters), mirrored, pipeline(P, micro_batches=M), pipeline(P, "
    "micro_batches=M, "
    "schedule=S, chunks=C, recompute=true), tensor(N), and products such as data(2) * pipeline(2, "
    "micro_batches=4) * "
    "tensor(2)";

// Names of other frameworks and of papers for strategies that have another name here.
constexpr std::pair<const char*, const char*> kAlsoCalled[] = {
    {"ddp", "data(N)"},
    {"dp", "data(N)"},
    {"data_parallel", "data(N)"},
    {"distributed_data_parallel", "data(N)"},
    {"zero1", "data(N, shard=optimizer)"},
    {"zero2", "data(N, shard=gradients)"},
    {"zero3", "data(N, shard=parameters)"},
    {"fsdp", "data(N, shard=parameters)"},
    {"tp", "tensor(N)"},
    {"tensor_parallel", "tensor(N)"},
    {"pp", "pipeline(P, micro_batches=M)"},
    {"gpipe", "pipeline(P, micro_batches=M, schedule=gpipe)"},
    {"1f1b", "pipeline(P, micro_batches=M, schedule=1f1b)"},
    {"mp", "model"},
    {"model_parallel", "model"},
    {"single", "one_device"},
    {"grad_accumulation", "pipeline(1, micro_batches=M)"},
    {"gradient_accumulation", "pipeline(1, micro_batches=M)"},
};

// A factor of the product, split into words: "data(2, shares=5:2)" has the name "data" and the arguments "2"
// and "shares=5:2".
struct Words {
  std::string name;
  std::vector<std::string> arguments;
};

std::string trimmed(const std::string& s) {
  const size_t first = s.find_first_not_of(" \t"), last = s.find_last_not_of(" \t");
  return first == std::string::npos ? "" : s.substr(first, last - first + 1);
}
std::vector<std::string> separated(const std::string& text, char separator) {
  std::vector<std::string> list(1);
  for (char c : text) {
    if (c == separator)
      list.emplace_back();
    else
      list.back() += c;
  }
  for (std::string& s : list) s = trimmed(s);
  return list;
}

Result<Words> read_words(const std::string& text) {
  const size_t open = text.find('(');
  Words words{trimmed(text.substr(0, open)), {}};
  if (open == std::string::npos) return words;
  if (text.back() != ')' || text.find('(', open + 1) != std::string::npos)
    return invalid_argument("strategy '" + text + "': the brackets do not match", kKnown);
  words.arguments = separated(text.substr(open + 1, text.size() - open - 2), ',');
  return words;
}

// Returns the number that `text` writes with at most four digits, or 0 if `text` is not such a number.
int64_t read_count(const std::string& text) {
  const bool number =
      !text.empty() && text.size() <= 4 && text.find_first_not_of("0123456789") == std::string::npos;
  return number ? std::stoi(text) : 0;
}

Result<StrategyTerm> parse_data(const std::vector<std::string>& arguments, size_t devices) {
  auto bad = [&](const std::string& why) {
    return invalid_argument("strategy 'data': " + why, "data(2, shares=5:2)");
  };
  if (arguments.empty()) return bad("the number of replicas is missing");
  const std::string& count = arguments[0];
  Data data{.replicas = read_count(count)};
  if (data.replicas < 1) return bad("'" + count + "' is not a number of replicas");
  for (size_t i = 1; i < arguments.size(); ++i) {
    const std::string& a = arguments[i];
    if (a.starts_with("shard=")) {
      const auto* level = std::find(std::begin(kShardNames) + 1, std::end(kShardNames), a.substr(6));
      if (level == std::end(kShardNames))
        return bad("'" + a + "' is not shard=optimizer, shard=gradients or shard=parameters");
      if (data.shard != Data::Shard::kNothing) return bad("'shard' is written twice");
      data.shard = static_cast<Data::Shard>(level - std::begin(kShardNames));
      continue;
    }
    if (!a.starts_with("shares="))
      return bad("'" + a + "' is not one of its arguments, which are shares= and shard=");
    double total = 0;
    for (const std::string& share : separated(a.substr(7), ':')) {
      double value = 0;
      const auto parsed = std::from_chars(share.data(), share.data() + share.size(), value);
      if (parsed.ec != std::errc() || parsed.ptr != share.data() + share.size() ||
          !(value >= 0 && value <= 1e9))
        return bad("'" + share + "' is not a share");
      data.shares.push_back(value);
      total += value;
    }
    if (data.shares.size() != static_cast<size_t>(data.replicas) || total <= 0)
      return bad("it needs " + count + " shares, not all of them 0");
  }
  if (devices % static_cast<size_t>(data.replicas))
    return invalid_argument("strategy 'data': " + std::to_string(devices) +
                                (devices == 1 ? " device does" : " devices do") + " not make " + count +
                                " groups of equal size, one per replica",
                            "name " + count + " devices, or a multiple of this number");
  return StrategyTerm(std::move(data));
}

// Returns the names of all schedules, or of the schedules that take several stages per device.
std::string names_of_schedules(bool with_chunks) {
  std::string names;
  for (const ScheduleGenerator& g : schedule_generators())
    if (!with_chunks || g.most_chunks > 1) names += (names.empty() ? "" : ", ") + g.name;
  return names;
}

// Reads which of the `stages` stages recompute: all, none, or the stages in a list such as "0:2".
Result<std::vector<int64_t>> read_stages(const std::string& text, int64_t stages) {
  std::vector<int64_t> list;
  if (text == "false") return list;
  if (text == "true") {
    for (int64_t s = 0; s < stages; ++s) list.push_back(s);
    return list;
  }
  for (const std::string& number : separated(text, ':')) {
    const int64_t stage = number == "0" ? 0 : read_count(number);
    if ((stage == 0 && number != "0") || stage >= stages)
      return invalid_argument("strategy 'pipeline': 'recompute=" + text +
                                  "' is not true, false, or a list of stages from 0 to " +
                                  std::to_string(stages - 1),
                              "pipeline(2, micro_batches=8, recompute=0)");
    list.push_back(stage);
  }
  std::sort(list.begin(), list.end());
  if (const auto twice = std::adjacent_find(list.begin(), list.end()); twice != list.end())
    return invalid_argument(
        "strategy 'pipeline': 'recompute=" + text + "' names stage " + std::to_string(*twice) + " twice",
        "pipeline(2, micro_batches=8, recompute=0)");
  return list;
}

Result<StrategyTerm> parse_pipeline(const std::vector<std::string>& arguments, size_t) {
  auto bad = [&](const std::string& why) {
    return invalid_argument(
        "strategy 'pipeline': " + why,
        "pipeline(2, micro_batches=8, schedule=1f1b); chunks and recompute are its other arguments");
  };
  if (arguments.empty()) return bad("the number of devices is missing");
  Pipeline pipeline{.devices = read_count(arguments[0]), .micro_batches = 0};
  if (pipeline.devices < 1) return bad("'" + arguments[0] + "' is not a number of devices");
  std::set<std::string> seen;
  std::string recompute = "false";
  for (size_t i = 1; i < arguments.size(); ++i) {
    const size_t equals = std::min(arguments[i].find('='), arguments[i].size());
    const std::string name = arguments[i].substr(0, equals),
                      value = arguments[i].substr(std::min(equals + 1, arguments[i].size()));
    if ((name != "micro_batches" && name != "schedule" && name != "chunks" && name != "recompute") ||
        !seen.insert(name).second)
      return bad("'" + arguments[i] + "' is not one of its arguments, or is written twice");
    if (name == "schedule") {
      if (!find_schedule_generator(value))
        return bad("there is no schedule '" + value + "'; the schedules are " + names_of_schedules(false));
      pipeline.schedule = value;
    } else if (name == "chunks") {
      pipeline.chunks = read_count(value);
      if (pipeline.chunks < 1 || pipeline.chunks > kMostChunks)
        return bad("'" + value + "' is not a number of chunks; at most " + std::to_string(kMostChunks));
    } else if (name == "recompute") {
      recompute = value;
    } else {
      pipeline.micro_batches = read_count(value);
      if (pipeline.micro_batches < 1 || pipeline.micro_batches > kMostMicroBatches)
        return bad("'" + value + "' is not a number of micro-batches; at most " +
                   std::to_string(kMostMicroBatches));
    }
  }
  if (pipeline.micro_batches == 0) return bad("the number of micro-batches is missing");
  const ScheduleGenerator& schedule = *find_schedule_generator(pipeline.schedule);
  if (pipeline.chunks == 0) pipeline.chunks = schedule.least_chunks;
  if (pipeline.chunks > schedule.most_chunks)
    return bad("the schedule '" + schedule.name +
               "' has one stage per device; several chunks need one of the schedules " +
               names_of_schedules(true));
  if (pipeline.chunks < schedule.least_chunks)
    return bad("the schedule '" + schedule.name + "' has at least " + std::to_string(schedule.least_chunks) +
               " chunks per device; use schedule=1f1b for one");
  if (pipeline.devices * pipeline.chunks > kMostStages)
    return bad("it has " + std::to_string(pipeline.devices * pipeline.chunks) + " stages; at most " +
               std::to_string(kMostStages));
  CUTSET_ASSIGN(pipeline.recompute, read_stages(recompute, pipeline.devices * pipeline.chunks));
  if (pipeline.devices == 1) {
    pipeline.schedule = Pipeline().schedule;
    pipeline.chunks = 1;
    pipeline.recompute.clear();
  }
  return StrategyTerm(pipeline);
}

Result<StrategyTerm> parse_tensor(const std::vector<std::string>& arguments, size_t) {
  const int64_t devices = arguments.size() == 1 ? read_count(arguments[0]) : 0;
  if (devices >= 1) return StrategyTerm(TensorParallel{devices});
  return invalid_argument(
      "strategy 'tensor' takes one argument, the number of devices over which operands are divided",
      "tensor(2)");
}

// The name of a term and the function that makes the term: `parse` for a term with arguments, `plain` for a
// term without arguments.
struct Syntax {
  const char* name;
  Result<StrategyTerm> (*parse)(const std::vector<std::string>& arguments,
                                size_t devices);  // null: no arguments
  StrategyTerm (*plain)(size_t devices);          // null: arguments are required
};
constexpr Syntax kTerms[] = {
    {"data", parse_data, nullptr},
    {"pipeline", parse_pipeline, nullptr},
    {"tensor", parse_tensor, nullptr},
    {"model", nullptr, [](size_t) { return StrategyTerm(Model{}); }},
    {"one_device", nullptr, [](size_t) { return StrategyTerm(OneDevice{}); }},
    // Like tf.distribute.MirroredStrategy: one replica per device.
    {"mirrored", nullptr,
     [](size_t devices) {
       return StrategyTerm(Data{.replicas = std::max<int64_t>(1, static_cast<int64_t>(devices))});
     }},
};
constexpr const char* kLater[] = {
    "shard",          "average", "async", "downpour", "central", "multi_worker_mirrored", "parameter_server",
    "central_storage"};

// Returns the strategy that the user probably meant by an unknown name, as the beginning of a hint. Empty if
// no such strategy is known.
std::string meant(const std::string& name) {
  std::string small = name;
  for (char& c : small) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c == '-' ? '_' : c;
  for (const Syntax& syntax : kTerms)
    if (small == syntax.name && !syntax.parse) return "'" + small + "' takes no arguments; ";
  for (const auto& [other, here] : kAlsoCalled)
    if (small == other) return std::string("that is ") + here + " here; ";
  std::vector<std::string> names;
  for (const Syntax& syntax : kTerms) names.emplace_back(syntax.name);
  const std::string nearest = nearest_name(name, names);
  return nearest.empty() ? "" : "did you mean '" + nearest + "'? ";
}

Result<StrategyTerm> parse_term(const std::string& text, size_t devices) {
  CUTSET_ASSIGN(const Words words, read_words(text));
  for (const Syntax& syntax : kTerms) {
    if (words.name != syntax.name) continue;
    if (syntax.parse) return syntax.parse(words.arguments, devices);
    if (words.arguments.empty()) return syntax.plain(devices);
  }
  for (const char* later : kLater)
    if (words.name == later)
      return invalid_argument("strategy '" + words.name + "' does not exist yet", kKnown);
  return invalid_argument("unknown strategy '" + text + "'", meant(words.name) + kKnown);
}

}  // namespace

std::string FittedStrategy::text() const {
  Strategy product;
  for (const StrategyTerm& term : terms)
    product = product * std::visit([](const auto& t) { return Strategy(t); }, term);
  return product.text();
}

void FittedStrategy::set_shares(const std::vector<double>& shares) {
  for (StrategyTerm& term : terms)
    if (Data* data = std::get_if<Data>(&term)) data->shares = shares;
}

Result<FittedStrategy> fit_strategy(const Strategy& written, size_t devices) {
  const std::string& text = written.text();
  const std::string product = text.empty() ? devices > 1 ? "model" : "one_device" : text;
  FittedStrategy strategy;
  strategy.terms.clear();
  for (const std::string& factor : separated(product, '*')) {
    CUTSET_ASSIGN(StrategyTerm term, parse_term(factor, devices));
    for (const StrategyTerm& other : strategy.terms)
      if (other.index() == term.index())
        return invalid_argument(
            "strategy '" + text + "' names " + trimmed(factor.substr(0, factor.find('('))) + " twice",
            kKnown);
    strategy.terms.push_back(std::move(term));
  }
  if (strategy.find<OneDevice>() && strategy.terms.size() > 1)
    return invalid_argument("strategy '" + text + "': one_device cannot be combined with another strategy",
                            kKnown);
  if (strategy.find<Pipeline>() && strategy.find<Model>())
    return invalid_argument("strategy '" + text + "': both pipeline and model divide the graph over devices",
                            kKnown);
  const auto copies = static_cast<size_t>(strategy.copies());
  const Pipeline* pipeline = strategy.find<Pipeline>();
  const bool has_tensor = strategy.find<TensorParallel>(), replicated = strategy.find<Data>();
  const size_t needed = pipeline ? copies * static_cast<size_t>(pipeline->devices) : copies;
  if (has_tensor && strategy.find<Model>() ? devices % copies != 0
                                           : (has_tensor || pipeline) && needed != devices)
    return invalid_argument(
        "strategy '" + text + "' uses " + (strategy.find<Model>() ? "a multiple of " : "") +
            std::to_string(needed) + (needed == 1 ? " device" : " devices") + ", and there are " +
            std::to_string(devices) + " devices",
        "the numbers of replicas, of devices of a pipeline and of devices of a tensor axis are "
        "multiplied");
  if (!strategy.splits_graph() && devices / copies > 1) {
    return invalid_argument(
        "strategy '" + text + "' uses one device" + (replicated ? " per replica" : "") + ", but there are " +
            std::to_string(devices) + " devices" +
            (replicated ? " for " + std::to_string(strategy.replicas()) + " replicas" : ""),
        replicated ? "split each replica over its devices with * model, or name fewer devices"
                   : "use the strategy model or data(N)");
  }
  std::erase_if(strategy.terms,
                [](const StrategyTerm& t) {  // data(1), tensor(1) and one micro-batch split nothing
                  const Pipeline* pipeline = std::get_if<Pipeline>(&t);
                  const TensorParallel* tensor = std::get_if<TensorParallel>(&t);
                  return (std::holds_alternative<Data>(t) && std::get<Data>(t).replicas == 1) ||
                         (tensor && tensor->devices == 1) ||
                         (pipeline && pipeline->micro_batches == 1 && pipeline->devices == 1);
                });
  if (strategy.terms.empty()) strategy.terms = {OneDevice{}};
  std::sort(strategy.terms.begin(), strategy.terms.end(),
            [](const StrategyTerm& a, const StrategyTerm& b) { return a.index() < b.index(); });
  return strategy;
}

}  // namespace cutset
