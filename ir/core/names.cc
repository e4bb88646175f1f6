// SPDX-License-Identifier: Apache-2.0
#include "ir/core/names.h"

#include <algorithm>

namespace cutset {
namespace {

constexpr size_t kMaxLength = 1024;

bool is_allowed(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("_.-/:").find(c) != std::string_view::npos;
}
bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

// Whether the text begins with a character that changes the direction or the lines of the text after it:
// U+061C, U+200E, U+200F, U+2028 to U+202E or U+2066 to U+2069. A message with such a character may look like
// another message (Boucher and Anderson, "Trojan Source", arXiv:2111.00169).
bool changes_order(std::string_view text) {
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  if (byte(0) == 0xd8) return byte(1) == 0x9c;
  if (byte(0) != 0xe2) return false;
  const unsigned last = byte(2);
  return byte(1) == 0x80 ? last == 0x8e || last == 0x8f || (last >= 0xa8 && last <= 0xae)
                         : byte(1) == 0x81 && last >= 0xa6 && last <= 0xa9;
}

// Returns the name as an error message shows it: at most 64 characters, with a question mark for each control
// character.
std::string shown(std::string_view name) {
  std::string text(name.substr(0, 64));
  std::replace_if(text.begin(), text.end(), is_control, '?');
  return text + (name.size() > 64 ? "..." : "");
}

}  // namespace

Status check_name(std::string_view name, std::string_view what) {
  auto wrong = [&](const std::string& why) {
    return invalid_argument("the name '" + shown(name) + "' of " + std::string(what) + " " + why,
                            "a name consists of letters, digits and the characters _ . - / :");
  };
  if (name.empty()) return invalid_argument("the name of " + std::string(what) + " is empty");
  if (name.size() > kMaxLength)
    return wrong("has " + std::to_string(name.size()) + " characters, more than " +
                 std::to_string(kMaxLength));
  if (const auto bad = std::find_if_not(name.begin(), name.end(), is_allowed); bad != name.end())
    return wrong("has a character that is not allowed at index " + std::to_string(bad - name.begin()));
  for (size_t at = 0; at <= name.size();) {
    const size_t end = std::min(name.find('/', at), name.size());
    const std::string_view component = name.substr(at, end - at);
    if (component.empty() || component == "." || component == "..")
      return wrong("has an empty component, or one that is '.' or '..'");
    at = end + 1;
  }
  return {};
}

bool is_printable(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (is_control(text[i])) return false;
    // Some terminals also obey U+0080 to U+009F, which UTF-8 encodes as C2 80 to C2 9F.
    if (text[i] == '\xc2' && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xa0)
      return false;
    if (changes_order(text.substr(i))) return false;
  }
  return true;
}

std::string quoted_list(std::span<const std::string> names, size_t most) {
  std::string text;
  for (const std::string& name : names.first(std::min(names.size(), most)))
    text += (text.empty() ? "'" : ", '") + name + "'";
  return names.size() <= most ? text : text + " and " + std::to_string(names.size() - most) + " more";
}

std::string plain_list(std::span<const std::string> names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

size_t changes_between(std::string_view a, std::string_view b) {
  const auto same = [](char x, char y) {
    const auto small = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    return small(x) == small(y);
  };
  std::vector<size_t> before, last(b.size() + 1),
      now(b.size() + 1);  // rows of the table, for the letters of `a`
  for (size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (same(a[i - 1], b[j - 1]) ? 0 : 1)});
      if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
        now[j] = std::min(now[j], before[j - 2] + 1);
    }
    before = last;
    last.swap(now);
  }
  return last[b.size()];
}

std::string nearest_name(std::string_view name, std::span<const std::string> known) {
  constexpr size_t kLongest = 200;  // the time grows with the product of the lengths
  constexpr size_t kShortestBeginning = 3;
  if (name.size() > kLongest) return {};
  std::string nearest, longer;
  size_t fewest = 1 + std::min<size_t>(3, name.size() / 3), beginnings = 0;
  for (const std::string& k : known) {
    if (k.size() > kLongest) continue;
    if (const size_t changes = changes_between(name, k); changes < fewest) {
      fewest = changes;
      nearest = k;
    }
    if (name.size() < kShortestBeginning || name.size() > k.size()) continue;
    if (changes_between(name, std::string_view(k).substr(0, name.size())) > 0) continue;
    longer = k;
    ++beginnings;
  }
  return nearest.empty() && beginnings == 1 ? longer : nearest;
}

std::string hint_of_names(std::string_view name, std::span<const std::string> known) {
  if (const std::string nearest = nearest_name(name, known); !nearest.empty())
    return "did you mean '" + nearest + "'?";
  return known.empty() ? "there are none" : "there are: " + quoted_list(known);
}

std::string and_nearest(std::string_view name, std::span<const std::string> known) {
  const std::string nearest = nearest_name(name, known);
  return nearest.empty() ? "" : "; did you mean '" + nearest + "'?";
}

std::string list_and_nearest(std::string_view name, std::span<const std::string> known) {
  return plain_list(known) + and_nearest(name, known);
}

}  // namespace cutset
