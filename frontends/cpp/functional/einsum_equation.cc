// SPDX-License-Identifier: Apache-2.0
#include "frontends/cpp/functional/einsum_equation.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>

namespace cutset {
namespace {

constexpr int kEllipsis = 0;  // stands for the dots until the ranks are applied

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Returns the letters of one operand or of the result, with at most one ellipsis.
Result<EinsumLabels> parse_labels(std::string_view text) {
  EinsumLabels labels;
  for (size_t i = 0; i < text.size(); ++i) {
    if (is_letter(text[i])) {
      labels.push_back(text[i]);
    } else if (text.substr(i).starts_with("...")) {
      if (std::count(labels.begin(), labels.end(), kEllipsis))
        return invalid_argument("has two ellipses in one term");
      labels.push_back(kEllipsis);
      i += 2;
    } else {
      return invalid_argument("has a character that is not a letter, a comma, an arrow or an ellipsis");
    }
  }
  return labels;
}

// Replaces the ellipsis by `dimensions` labels.
EinsumLabels expanded(const EinsumLabels& labels, int dimensions) {
  EinsumLabels all;
  for (const int label : labels) {
    if (label != kEllipsis) all.push_back(label);
    for (int d = dimensions; label == kEllipsis && d > 0; --d) all.push_back(-d);
  }
  return all;
}

bool has_ellipsis(const EinsumLabels& labels) {
  return std::count(labels.begin(), labels.end(), kEllipsis) > 0;
}

// Returns the labels of an operand of this rank, and the number of dimensions of its ellipsis.
Result<std::pair<EinsumLabels, int>> of_rank(const EinsumLabels& labels, int rank, size_t operand) {
  const int dimensions = rank - static_cast<int>(labels.size()) + (has_ellipsis(labels) ? 1 : 0);
  if (dimensions < 0 || (dimensions > 0 && !has_ellipsis(labels)))
    return invalid_argument("does not name the " + std::to_string(rank) + " dimensions of operand " +
                            std::to_string(operand));
  return std::pair(expanded(labels, dimensions), dimensions);
}

Status check_result(const EinsumLabels& result, const std::map<int, int>& counts, int dimensions, bool dots) {
  if (has_ellipsis(result) && !dots) return invalid_argument("has an ellipsis only in its result");
  if (dimensions > 0 && !has_ellipsis(result)) return invalid_argument("has no ellipsis in its result");
  for (const int label : result) {
    const std::string name(1, static_cast<char>(label));
    if (label == kEllipsis) continue;
    if (!counts.contains(label)) return invalid_argument("has the letter '" + name + "' only in its result");
    if (std::count(result.begin(), result.end(), label) > 1)
      return invalid_argument("has the letter '" + name + "' twice in its result");
  }
  return {};
}

}  // namespace

Result<EinsumEquation> parse_einsum(std::string_view equation, std::span<const int> ranks) {
  std::string text(equation);
  std::erase(text, ' ');
  const size_t arrow = text.find("->");
  std::string_view terms = std::string_view(text).substr(0, arrow);
  EinsumEquation e;
  std::map<int, int> counts;  // how often each letter occurs
  int dimensions = 0;         // the number of dimensions of the longest ellipsis
  bool dots = false;
  for (size_t operand = 0;; ++operand) {
    const size_t comma = terms.find(',');
    if (operand >= ranks.size())
      return invalid_argument("has more operands than the " + std::to_string(ranks.size()) + " given");
    CUTSET_ASSIGN(const EinsumLabels labels, parse_labels(terms.substr(0, comma)));
    dots = dots || has_ellipsis(labels);
    CUTSET_ASSIGN(const auto named, of_rank(labels, ranks[operand], operand));
    e.operands.push_back(named.first);
    dimensions = std::max(dimensions, named.second);
    for (const int label : labels)
      if (label != kEllipsis) ++counts[label];
    if (comma == std::string_view::npos) break;
    terms.remove_prefix(comma + 1);
  }
  if (e.operands.size() < ranks.size())
    return invalid_argument("has " + std::to_string(e.operands.size()) + " operands, not " +
                            std::to_string(ranks.size()));
  EinsumLabels result = {kEllipsis};
  if (arrow != std::string::npos) {
    CUTSET_ASSIGN(result, parse_labels(std::string_view(text).substr(arrow + 2)));
    CUTSET_TRY(check_result(result, counts, dimensions, dots));
  } else {
    for (const auto& [label, count] : counts)  // in the order of the letters
      if (count == 1) result.push_back(label);
  }
  e.result = expanded(result, dimensions);
  return e;
}

}  // namespace cutset
