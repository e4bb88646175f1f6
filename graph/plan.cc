#include "graph/plan.h"

#include <algorithm>
#include <charconv>
#include <set>

namespace cutset {
namespace {

constexpr const char* kDescribed = "docs/plan-format.md describes the format";

struct Token {
  std::string text;
  size_t column = 0;  // counts from 1
};

// Returns `text` for an error message: at most 60 bytes, without control characters that a terminal would interpret.
std::string shown(std::string_view text) {
  std::string s;
  for (const char c : text.substr(0, 60)) s += c >= 0x20 && c < 0x7f ? c : '?';
  return "'" + s + (text.size() > 60 ? "...'" : "'");
}

bool is_bare(char c) { return c > ' ' && c < 0x7f && c != '"' && c != '#' && c != '\\'; }
bool is_blank(char c) { return c == ' ' || c == '\t'; }

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<Plan> run() {
    if (text_.size() > kPlanBytes)
      return at(1, "the plan has " + std::to_string(text_.size()) + " bytes; a plan has at most " +
                       std::to_string(kPlanBytes));
    for (size_t begin = 0; begin < text_.size();) {
      const size_t end = std::min(text_.find('\n', begin), text_.size());
      ++line_;
      CUTSET_TRY(line(text_.substr(begin, end - begin)));
      begin = end + 1;
    }
    ++line_;
    if (!versioned_) return at(1, "the plan is empty; its first line must be 'cutset plan 1'");
    if (plan_.program.empty()) return at(1, "the plan ends before its line 'program NAME'");
    if (plan_.ops.empty() && plan_.homes.empty()) return at(1, "the plan ends without a line 'op' or 'variable'");
    return std::move(plan_);
  }

 private:
  Failure at(size_t column, std::string what) const {
    Failure f = invalid_data(std::move(what), kDescribed);
    f.where = "plan:" + std::to_string(line_) + ":" + std::to_string(column);
    return f;
  }

  Status line(std::string_view text) {
    if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
    if (text.size() > kPlanLineBytes)
      return at(1, "the line has " + std::to_string(text.size()) + " bytes; a line has at most " +
                       std::to_string(kPlanLineBytes));
    CUTSET_ASSIGN(const std::vector<Token> tokens, split(text));
    if (tokens.empty()) return {};
    const std::string& word = tokens[0].text;
    if (!versioned_) return header(tokens);
    if (plan_.program.empty()) {
      if (word != "program") return at(tokens[0].column, "a line 'program NAME' was expected, not " + shown(word));
      CUTSET_TRY(count(tokens, 2, 2, "program NAME"));
      plan_.program = tokens[1].text;
      return {};
    }
    if (plan_.ops.size() + plan_.homes.size() >= kPlanEntries)
      return at(1, "the plan has more than " + std::to_string(kPlanEntries) + " entries");
    if (word == "op") return op(tokens);
    if (word == "variable") return variable(tokens);
    return at(tokens[0].column, "a line starts with 'op' or 'variable', not with " + shown(word));
  }

  // Splits a line into words and quoted names. A comment ends the line.
  Result<std::vector<Token>> split(std::string_view text) const {
    std::vector<Token> tokens;
    size_t i = 0;
    while (true) {
      while (i < text.size() && is_blank(text[i])) ++i;
      if (i == text.size() || text[i] == '#') return tokens;
      Token token{"", i + 1};
      if (text[i] == '"') {
        CUTSET_ASSIGN(i, quoted(text, i, token.text));
      } else {
        const size_t first = i;
        while (i < text.size() && is_bare(text[i])) ++i;
        token.text = text.substr(first, i - first);
      }
      if (i < text.size() && !is_blank(text[i]) && text[i] != '#')
        return at(i + 1, "the character " + shown(text.substr(i, 1)) +
                             " cannot stand here; a name that contains it is written between quotation marks");
      tokens.push_back(std::move(token));
    }
  }

  // Appends a quoted name to `into` and returns the position after the closing quotation mark.
  Result<size_t> quoted(std::string_view text, size_t open, std::string& into) const {
    for (size_t i = open + 1; i < text.size(); ++i) {
      const char c = text[i];
      if (c == '"') return i + 1;
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return at(i + 1, "a name contains a control character");
      if (c != '\\') {
        into += c;
        continue;
      }
      if (i + 1 < text.size() && (text[i + 1] == '"' || text[i + 1] == '\\')) {
        into += text[++i];
        continue;
      }
      unsigned value = 0;
      const std::string_view digits = text.substr(i).size() > 3 ? text.substr(i + 2, 2) : "";
      if (digits.empty() || text[i + 1] != 'x' ||
          std::from_chars(digits.begin(), digits.end(), value, 16).ptr != digits.end())
        return at(i + 1,
                  "a backslash in a name is followed by a quotation mark, a backslash, or x and two hexadecimal "
                  "digits");
      into += static_cast<char>(value), i += 3;
    }
    return at(open + 1, "the quotation mark is not closed");
  }

  Status header(const std::vector<Token>& tokens) {
    if (tokens.size() < 3 || tokens[0].text != "cutset" || tokens[1].text != "plan")
      return at(tokens[0].column,
                "this is not a plan: its first line is " + shown(tokens[0].text) + "..., not 'cutset plan 1'");
    if (tokens.size() > 3) return at(tokens[3].column, "the first line of a plan is 'cutset plan 1' and nothing more");
    if (tokens[2].text != "1")
      return at(tokens[2].column, "the plan is of version " + shown(tokens[2].text) + "; this Cutset reads version 1");
    versioned_ = true;
    return {};
  }

  Status count(const std::vector<Token>& tokens, size_t least, size_t most, const char* form) const {
    if (tokens.size() >= least && tokens.size() <= most) return {};
    return at(tokens[std::min(most, tokens.size() - 1)].column, std::string("the line has ") +
                                                                    (tokens.size() < least ? "too few" : "too many") +
                                                                    " words; its form is '" + form + "'");
  }

  Result<int64_t> number(const Token& token, const char* what, int64_t least, int64_t most) const {
    int64_t value = 0;
    const char *begin = token.text.data(), *end = begin + token.text.size();
    const auto [after, error] = std::from_chars(begin, end, value);
    if (error != std::errc() || after != end || value < least || value > most)
      return at(token.column, shown(token.text) + " is not " + what + ", a number from " + std::to_string(least) +
                                  " to " + std::to_string(most));
    return value;
  }

  Result<std::string> device(const Token& token) const {
    if (token.text.empty()) return at(token.column, "the name of a device is empty");
    return token.text;
  }

  Status op(const std::vector<Token>& tokens) {
    CUTSET_TRY(count(tokens, 5, 5, "op ID NAME DEVICE REPLICA"));
    Plan::Op op;
    CUTSET_ASSIGN(op.id, number(tokens[1], "an id", 1, int64_t{1} << 53));
    op.op = tokens[2].text;
    CUTSET_ASSIGN(op.device, device(tokens[3]));
    CUTSET_ASSIGN(op.replica, number(tokens[4], "a replica", 0, kPlanReplicas - 1));
    op.line = line_;
    if (!ids_.insert({op.replica, op.id}).second)
      return at(tokens[1].column,
                "op " + std::to_string(op.id) + " of replica " + std::to_string(op.replica) + " has a line already");
    plan_.ops.push_back(std::move(op));
    return {};
  }

  Status variable(const std::vector<Token>& tokens) {
    CUTSET_TRY(count(tokens, 3, 2 + static_cast<size_t>(kPlanReplicas), "variable NAME DEVICE..."));
    Plan::Home home{tokens[1].text, {}, line_};
    for (size_t i = 2; i < tokens.size(); ++i) {
      CUTSET_ASSIGN(std::string name, device(tokens[i]));
      home.devices.push_back(std::move(name));
    }
    if (!variables_.insert(home.variable).second)
      return at(tokens[1].column, "the variable " + shown(home.variable) + " has a line already");
    plan_.homes.push_back(std::move(home));
    return {};
  }

  std::string_view text_;
  int line_ = 0;
  bool versioned_ = false;
  Plan plan_;
  std::set<std::pair<int64_t, int64_t>> ids_;
  std::set<std::string> variables_;
};

std::string written(const std::string& name) {
  if (!name.empty() && std::all_of(name.begin(), name.end(), is_bare)) return name;
  std::string s = "\"";
  for (const char c : name) {
    if (c == '"' || c == '\\') {
      s += '\\', s += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      constexpr const char* digits = "0123456789abcdef";
      s += "\\x", s += digits[static_cast<unsigned char>(c) >> 4], s += digits[c & 15];
    } else {
      s += c;
    }
  }
  return s + "\"";
}

}  // namespace

Result<Plan> parse_plan(std::string_view text) { return Parser(text).run(); }

std::string plan_text(const Plan& plan) {
  std::string text = "cutset plan 1\nprogram " + written(plan.program) + "\n# op ID NAME DEVICE REPLICA\n";
  for (const Plan::Op& o : plan.ops) {
    text +=
        "op " + std::to_string(o.id) + " " + written(o.op) + " " + written(o.device) + " " + std::to_string(o.replica);
    if (!o.note.empty()) {
      text += "  # ";
      for (const char c : o.note.substr(0, 200)) text += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
    }
    text += "\n";
  }
  if (!plan.homes.empty()) text += "# variable NAME DEVICE..., one device per replica\n";
  for (const Plan::Home& h : plan.homes) {
    text += "variable " + written(h.variable);
    for (const std::string& d : h.devices) text += " " + written(d);
    text += "\n";
  }
  return text;
}

}  // namespace cutset
