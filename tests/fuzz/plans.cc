// SPDX-License-Identifier: Apache-2.0
// Fuzzes plans. A case changes bytes, words or lines of a correct plan and parses it. A plan that is accepted
// is written and parsed again, which must give the same plan, and is then used to place a graph. If it has a
// schedule, the graph is compiled.
#include <cutset/cutset.h>
#include <cutset/explain.h>

#include "frontends/models/models.h"
#include "graph/config/plan.h"
#include "ir/core/philox.h"
#include "tests/fuzz/driver.h"

namespace cutset {
namespace {

const CompileOptions kOptions[] = {
    {.devices = "reference:0,sim:0"},
    {.devices = "reference:0,sim:0", .strategy = "data(2)"},
    {.devices = "reference:0,sim:0", .strategy = "pipeline(2, micro_batches=3)"},
    {.devices = "reference:0,sim:0", .strategy = "pipeline(2, micro_batches=2, schedule=interleaved)"}};
std::vector<Graph> graphs;
std::vector<std::string> bases;

void make_bases(const std::string&) {
  for (const CompileOptions& options : kOptions) {
    graphs.push_back(models::find("mlp").build({4, 3, {0.05, 0.9}}));
    bases.push_back(plan(graphs.back(), options));
  }
}

std::vector<std::string> pieces(const std::string& text, const char* separators) {
  std::vector<std::string> list;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::max(std::min(text.find_first_of(separators, at), text.size()), at + 1);
    list.push_back(text.substr(at, end - at));
    at = end;
  }
  return list;
}
std::string joined(const std::vector<std::string>& list) {
  std::string text;
  for (const std::string& s : list) text += s;
  return text;
}

void change_bytes(std::string& text, PhiloxSequence& random) {
  for (uint64_t n = 1 + random.below(8); n > 0 && !text.empty(); --n) {
    const size_t at = random.below(text.size());
    const char c = static_cast<char>(random.below(256));
    switch (random.below(4)) {
      case 0:
        text[at] = c;
        break;
      case 1:
        text.insert(at, 1 + random.below(4), c);
        break;
      case 2:
        text.erase(at, 1 + random.below(9));
        break;
      default:
        text.resize(at);
    }
  }
}

void change_pieces(std::string& text, PhiloxSequence& random, const char* separators) {
  static const char* const words[] = {"op",
                                      "variable",
                                      "program",
                                      "cutset plan 1",
                                      "cutset plan 2",
                                      "schedule",
                                      "device",
                                      "forward",
                                      "backward",
                                      "backward_input",
                                      "backward_weight",
                                      "schedule 3",
                                      "schedule 1048576",
                                      "forward 0 0",
                                      "backward 1 2",
                                      "1000000000",
                                      "1048575",
                                      "2147483648",
                                      "0",
                                      "-1",
                                      "1",
                                      "3",
                                      "4095",
                                      "4096",
                                      "9007199254740992",
                                      "99999999999999999999",
                                      "\"",
                                      "\"\"",
                                      "\"a b\"",
                                      "\\x41",
                                      "#",
                                      "reference:0",
                                      "sim:0",
                                      "cpu:0",
                                      "nowhere:0",
                                      "relu",
                                      "fc1.weight",
                                      "\n",
                                      "\r\n",
                                      " ",
                                      "\t"};
  std::vector<std::string> list = pieces(text, separators);
  for (uint64_t n = 1 + random.below(4); n > 0 && !list.empty(); --n) {
    const size_t at = random.below(list.size()), other = random.below(list.size());
    const auto here = list.begin() + static_cast<int64_t>(at);
    switch (random.below(5)) {
      case 0:
        list[at] = words[random.below(std::size(words))];
        break;
      case 1:
        list.insert(here, words[random.below(std::size(words))]);
        break;
      case 2:
        list.erase(here);
        break;
      case 3:
        list.insert(here, std::string(list[other]));
        break;
      default:
        std::swap(list[at], list[other]);
    }
  }
  text = joined(list);
}

std::string run_case(uint64_t seed, const std::string&, bool verbose) {
  PhiloxSequence random(seed, 2);
  const size_t which = random.below(bases.size());
  std::string text = bases[which];
  // In a third of the cases with a schedule, only its lines are changed.
  const size_t schedule = text.find("\nschedule ");
  std::string before;
  if (schedule != std::string::npos && random.below(3) == 0) {
    before = text.substr(0, schedule);
    text.erase(0, schedule);
  }
  switch (random.below(4)) {
    case 0:
      change_bytes(text, random);
      break;
    case 1:
      change_pieces(text, random, "\n");
      break;
    default:
      change_pieces(text, random, " \n");
  }
  text.insert(0, before);
  if (verbose) std::fprintf(stderr, "%s", text.c_str());
  const auto parsed = parse_plan(text);
  if (!parsed) {
    if (verbose) std::fprintf(stderr, "refused: %s\n", parsed.error().text().c_str());
    if (parsed.error().source.rfind("plan:", 0) != 0)
      throw std::runtime_error("the error has no line and column");
    return "refused by the parser";
  }
  const std::string again = plan_text(*parsed);
  const auto twice = parse_plan(again);
  if (!twice || plan_text(*twice) != again)
    throw std::runtime_error("the text of the parsed plan is parsed as another plan");
  CompileOptions options = kOptions[which];
  options.plan = text;
  try {
    plan(graphs[which], options);
    if (!parsed->schedules.empty()) compile(graphs[which], options);
  } catch (const Error& e) {
    if (verbose) std::fprintf(stderr, "refused: %s\n", e.what());
    return "refused by the compiler";
  }
  return "placed";
}

}  // namespace
}  // namespace cutset

int main(int argc, char** argv) {
  using namespace cutset;
  return fuzz::drive(argc, argv, {"plans", {}, make_bases, run_case});
}
