// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/mutate_module.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <sstream>
#include <utility>
#include <vector>

namespace cutset::fuzz {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.'; }

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  for (size_t at = 0; at < text.size();) {
    size_t end = at + 1;
    if (is_word(text[at]))
      while (end < text.size() && is_word(text[end])) ++end;
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}
std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::stringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line + "\n");
  return lines;
}
std::string joined(const std::vector<std::string>& list) {
  std::string text;
  for (const std::string& s : list) text += s;
  return text;
}

constexpr const char* kExtra[] = {"\"cpu:0\"",
                                  "\"sim:0\"",
                                  "\"reference:0\"",
                                  "-1",
                                  "0",
                                  "1",
                                  "2",
                                  "9223372036854775807",
                                  "tensor<0xf32>",
                                  "tensor<?xf32>",
                                  "tensor<*xf32>",
                                  "tensor<f32>",
                                  "tensor<4xi1>",
                                  "tensor<4xf32>",
                                  "tensor<4xf64>",
                                  "tensor<4xbf16>",
                                  "tensor<9223372036854775807xf32>",
                                  "tensor<1x1x1x1x1x1x1x1x1xf32>",
                                  "i1",
                                  "index",
                                  "none",
                                  "@w",
                                  "@nope",
                                  "@train",
                                  "id 0",
                                  "id -1",
                                  "id 3",
                                  "home []",
                                  "home [\"x\"]",
                                  "home [\"reference:0\", \"sim:0\"]",
                                  "replica 5",
                                  "replica -1",
                                  "replica 1",
                                  "because \"\"",
                                  "on \"\"",
                                  "on \"sim:0\"",
                                  "because \"user\"",
                                  "%0",
                                  "%1",
                                  "%arg0",
                                  "array<i64: -1>",
                                  "array<i64>",
                                  "array<i64: 0, 0>",
                                  "f64",
                                  "bf16",
                                  "{",
                                  "}",
                                  "true",
                                  "dense<1.0> : tensor<f32>",
                                  "dense<[]> : tensor<0xf32>",
                                  "cutset.read @w : tensor<8xf32>",
                                  "cutset.commit",
                                  "func.func private @f(tensor<4xf32>) -> tensor<4xf32>",
                                  "func.func @train()",
                                  "return",
                                  "module",
                                  "channel 0",
                                  "channel -1",
                                  "collective 0",
                                  "shards [0, 1]",
                                  "shards []",
                                  "shards [1, 0]",
                                  "rows from 3",
                                  "along 1",
                                  "along -1"};
constexpr const char* kAttributes[] = {
    "cutset.shares = array<f64: 5.0, 2.0>",
    "cutset.shares = array<f64>",
    "cutset.shares = array<f64: 0x7FF8000000000000>",
    "cutset.replicas = 0 : i64",
    "cutset.replicas = 2 : i64",
    "cutset.replicas = -5 : i64",
    "cutset.replicas = 99999999999 : i64",
    "cutset.replicas = \"2\"",
    "cutset.minimize = {op = \"sgd\", groups = [{}]}",
    "cutset.minimize = {op = \"sgd\", variables = [\"w\"], learning_rate = 0.1, momentum = 0.9}",
    "cutset.minimize = 1",
    "cutset.minimize = {}",
    "cutset.minimize = {op = \"sgd\"}",
    "cutset.minimize = {op = \"relu\"}",
    "cutset.minimize = {op = \"sgd\", learning_rate = 0.1, momentum = 2}",
    "cutset.strategy = \"\"",
    "cutset.shard_class = 1 : i64",
    "cutset.shard_classes = array<i64: 0, 1>",
    "cutset.sum_along_tree = true",
    "cutset.shards = array<i64: -1>",
    "cutset.origin = #cutset.origin<value 1, shards 0 to 1, rows 7>",
    "cutset.origin = #cutset.origin<value -1, shards 2 to 1, partial 9>",
    "cutset.origin = [#cutset.origin<value 2147483647, shards 0 to 1>]",
    "cutset.origin = 3",
    "cutset.program = \"x\"",
    "cutset.input = 3",
    "cutset.start = -1 : i64",
    "cutset.rows = 0 : i64",
    "cutset.batch_dimension = -1 : i64",
    "cutset.batch_dimension = 1 : i64",
    "cutset.batch_dimension = 63 : i64",
    "cutset.several_rows"};
constexpr const char* kNumbers[] = {"0",
                                    "1",
                                    "2",
                                    "3",
                                    "4",
                                    "5",
                                    "7",
                                    "8",
                                    "9",
                                    "-1",
                                    "1000000",
                                    "4611686018427387904",
                                    "9223372036854775807"};

template <size_t N>
const char* one_of(const char* const (&list)[N], PhiloxSequence& random) {
  return list[random.below(N)];
}

// Replaces one size or number everywhere in the module, so that the module may still pass the verifier.
std::string with_another_number(const std::string& text, PhiloxSequence& random) {
  std::vector<std::string> words = words_of(text), sizes;
  for (const std::string& w : words)
    for (size_t at = 0; at < w.size();) {
      size_t end = at;
      while (end < w.size() && std::isdigit(static_cast<unsigned char>(w[end]))) ++end;
      if (end > at && (end < w.size() ? w[end] == 'x' : at == 0)) sizes.push_back(w.substr(at, end - at));
      at = std::max(end, at + 1);
    }
  if (sizes.empty()) return text;
  const std::string from = sizes[random.below(sizes.size())], to = one_of(kNumbers, random);
  for (std::string& w : words)
    for (size_t at = w.find(from); at != std::string::npos; at = w.find(from, at + to.size())) {
      const bool digit_before = at > 0 && std::isdigit(static_cast<unsigned char>(w[at - 1]));
      const size_t end = at + from.size();
      if (!digit_before && (end == w.size() || w[end] == 'x'))
        w.replace(at, from.size(), to);
      else
        at += from.size();
      if (at >= w.size()) break;
    }
  return joined(words);
}

// Adds or removes an operand of an op and its type, so that the parser accepts the op and its rules are
// called.
std::string with_another_operand(const std::string& text, PhiloxSequence& random) {
  std::vector<std::string> lines = lines_of(text);
  std::string& line = lines[random.below(lines.size())];
  const size_t op = line.find("cutset."), types = line.rfind(" : ");
  if (op == std::string::npos || types == std::string::npos || types < op) return text;
  auto end_of = [&](size_t at) { return std::min(line.find_first_of(", \n", at), line.size()); };
  if (random.below(2)) {
    const size_t operand = line.find(", %", op), type = line.find(", ", types);
    if (operand == std::string::npos || type == std::string::npos || operand > types) return text;
    line.erase(type, end_of(type + 2) - type);
    line.erase(operand, end_of(operand + 2) - operand);
  } else {
    const size_t operand = line.find('%', op), type = types + 3;
    if (operand == std::string::npos || operand > types) return text;
    line.insert(type, line.substr(type, end_of(type) - type) + ", ");
    line.insert(operand, line.substr(operand, end_of(operand) - operand) + ", ");
  }
  return joined(lines);
}

// Puts a module with these attributes around the words.
void add_module(std::vector<std::string>& words, const std::string& attributes) {
  words.insert(words.begin(), "module attributes {" + attributes + "} {\n");
  words.push_back("}\n");
}

}  // namespace

std::string mutate_module(std::string text, PhiloxSequence& random) {
  for (uint64_t n = 1 + random.below(4); n > 0 && !text.empty(); --n) {
    const uint64_t kind = random.below(10);
    if (kind == 9) {
      text = with_another_operand(text, random);
      continue;
    }
    if (kind == 0) {
      text = with_another_number(text, random);
      continue;
    }
    if (kind <= 2) {  // change whole lines
      std::vector<std::string> lines = lines_of(text);
      const size_t a = random.below(lines.size()), b = random.below(lines.size());
      if (random.below(3) == 0)
        lines.erase(lines.begin() + static_cast<int64_t>(a));
      else if (random.below(2))
        lines.insert(lines.begin() + static_cast<int64_t>(b), std::string(lines[a]));
      else
        std::swap(lines[a], lines[b]);
      text = joined(lines);
      continue;
    }
    std::vector<std::string> words = words_of(text);
    const size_t a = random.below(words.size());
    const auto here = words.begin() + static_cast<int64_t>(a);
    if (kind == 3)
      words[a] = one_of(kExtra, random);
    else if (kind == 4)
      words.erase(here);
    else if (kind == 5)
      words.insert(here, " " + std::string(one_of(kExtra, random)) + " ");
    else if (kind == 6)
      words[a] = std::string(words[random.below(words.size())]);
    else if (kind == 7 && text.find("module attributes {") == std::string::npos)
      add_module(words, one_of(kAttributes, random));
    else
      for (size_t i = a; i < words.size(); ++i)
        if (std::isdigit(static_cast<unsigned char>(words[i][0]))) {
          words[i] = one_of(kNumbers, random);
          break;
        }
    text = joined(words);
  }
  return text;
}

}  // namespace cutset::fuzz
