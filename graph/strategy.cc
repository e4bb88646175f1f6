#include "graph/strategy.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>

namespace cutset {
namespace {

constexpr const char* kKnown =
    "have: one_device, model, data(N), data(N, shares=A:B), mirrored, and products such as "
    "data(2) * model";

struct Term {
  std::string name;
  std::vector<std::string> arguments;
};

std::string trimmed(const std::string& s) {
  const size_t first = s.find_first_not_of(" \t"), last = s.find_last_not_of(" \t");
  return first == std::string::npos ? "" : s.substr(first, last - first + 1);
}
std::vector<std::string> pieces(const std::string& text, char separator) {
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

Result<Term> parse_term(const std::string& text) {
  const size_t open = text.find('(');
  Term term{trimmed(text.substr(0, open)), {}};
  if (open == std::string::npos) return term;
  if (text.back() != ')' || text.find('(', open + 1) != std::string::npos)
    return invalid_argument("strategy '" + text + "': the bracket is not closed", kKnown);
  term.arguments = pieces(text.substr(open + 1, text.size() - open - 2), ',');
  return term;
}

Status data(const Term& term, size_t devices, Strategy& strategy) {
  auto bad = [&](const std::string& why) { return invalid_argument("strategy 'data': " + why, "data(2, shares=5:2)"); };
  if (term.arguments.empty()) return bad("how many replicas?");
  const std::string& count = term.arguments[0];
  if (count.empty() || count.size() > 4 || count.find_first_not_of("0123456789") != std::string::npos ||
      std::stoi(count) < 1)
    return bad("'" + count + "' is not a number of replicas");
  strategy.replicas = std::stoi(count);
  for (size_t i = 1; i < term.arguments.size(); ++i) {
    const std::string& a = term.arguments[i];
    if (a.rfind("shares=", 0) != 0) return bad("'" + a + "' is no argument of it");
    double total = 0;
    for (const std::string& share : pieces(a.substr(7), ':')) {
      char* end = nullptr;
      const double v = std::strtod(share.c_str(), &end);
      if (share.empty() || *end || !std::isfinite(v) || v < 0 || v > 1e9) return bad("'" + share + "' is not a share");
      strategy.shares.push_back(v), total += v;
    }
    if (strategy.shares.size() != static_cast<size_t>(strategy.replicas) || total <= 0)
      return bad("it needs " + count + " shares, not all of them 0");
  }
  if (devices % static_cast<size_t>(strategy.replicas))
    return bad(std::to_string(devices) + " devices do not make " + count + " groups of equal size");
  return {};
}

}  // namespace

std::string Strategy::text() const {
  std::string text;
  if (replicas > 1) {
    text = "data(" + std::to_string(replicas);
    for (size_t i = 0; i < shares.size(); ++i) {
      char number[32];
      std::snprintf(number, sizeof number, "%.6g", shares[i]);
      text += (i ? ":" : ", shares=") + std::string(number);
    }
    text += ")";
  }
  if (model) text += std::string(text.empty() ? "" : " * ") + "model";
  return text.empty() ? "one_device" : text;
}

Result<Strategy> parse_strategy(const std::string& text, size_t devices) {
  Strategy strategy;
  bool one_device = false, replicated = false;
  for (const std::string& piece :
       text.empty() ? std::vector<std::string>{devices > 1 ? "model" : "one_device"} : pieces(text, '*')) {
    CUTSET_ASSIGN(Term term, parse_term(piece));
    if (term.name == "mirrored" && term.arguments.empty())  // of tf.distribute: a replica a device
      term = {"data", {std::to_string(devices)}};
    if (term.name == "data") {
      if (replicated) return invalid_argument("strategy '" + text + "' names data twice", kKnown);
      replicated = true;
      CUTSET_TRY(data(term, devices, strategy));
    } else if ((term.name == "model" || term.name == "one_device") && term.arguments.empty()) {
      (term.name == "model" ? strategy.model : one_device) = true;
    } else {
      for (const char* later : {"pipeline", "shard", "average", "async", "downpour", "central", "multi_worker_mirrored",
                                "parameter_server", "central_storage"})
        if (term.name == later) return unsupported("strategy '" + term.name + "' does not exist yet", kKnown);
      return invalid_argument("unknown strategy '" + piece + "'", kKnown);
    }
  }
  if (one_device && (strategy.model || replicated))
    return invalid_argument("strategy '" + text + "': one_device goes with no other", kKnown);
  const size_t of_replica = devices / static_cast<size_t>(strategy.replicas);
  if (!strategy.model && of_replica > 1)
    return invalid_argument("strategy '" + text + "' leaves " + std::to_string(devices) + " devices to " +
                                std::to_string(strategy.replicas) + (replicated ? " replicas" : " device"),
                            replicated ? "split each replica over its devices with * model, or name fewer devices"
                                       : "use the strategy model or data(N)");
  return strategy;
}

std::vector<int64_t> apportion(int64_t total, const std::vector<double>& shares) {
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  std::vector<int64_t> whole;
  std::vector<double> rest;
  int64_t left = total;
  for (double share : shares) {
    const double exact = static_cast<double>(total) * share / sum;
    whole.push_back(static_cast<int64_t>(exact)), rest.push_back(exact - std::floor(exact));
    left -= whole.back();
  }
  for (; left > 0; --left) {
    const auto most = std::max_element(rest.begin(), rest.end());
    ++whole[static_cast<size_t>(most - rest.begin())], *most -= 1;
  }
  return whole;
}

}  // namespace cutset
