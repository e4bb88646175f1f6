#include "frontends/cli/unknown_argument.h"

#include <algorithm>
#include <utility>

#include "ir/core/names.h"

namespace cutset::cli {
namespace {

// The first letters of the words of a name: "lr" of "learning-rate".
std::string initials(const std::string& name) {
  std::string letters;
  for (size_t i = 0; i < name.size(); ++i)
    if (i == 0 || name[i - 1] == '-') letters += name[i];
  return letters;
}

// How unlike a name of an option is to `given`. A number above kMost means that it is another word.
constexpr size_t kMost = 4;
size_t unlikeness(const std::string& given, const std::string& name) {
  if (given.size() > 1 && initials(name) == given) return 0;
  const size_t letters = changes_between(given, name), allowed = std::max<size_t>(1, given.size() / 3);
  if (letters <= allowed) return letters;
  return given.size() > 1 && name.starts_with(given) ? kMost : kMost + 1;
}

}  // namespace

std::string unknown_argument(const CLI::App& command, const std::vector<std::string>& arguments) {
  constexpr size_t kNamed = 3, kLongest = 64;  // a longer name is like no option
  for (const std::string& argument : arguments) {
    if (argument == "--") return "";  // values follow
    const std::string option = argument.substr(0, argument.find('='));
    if (!option.starts_with("--") || command.get_option_no_throw(option)) continue;
    std::vector<std::pair<size_t, std::string>> like;
    const std::string given = option.substr(2);
    if (given.size() <= kLongest)
      for (const CLI::Option* known : command.get_options())
        for (const std::string& name : known->get_lnames())
          if (const size_t far = unlikeness(given, name); far <= kMost) like.emplace_back(far, "--" + name);
    std::ranges::sort(like);
    std::string names;
    for (size_t i = 0; i < std::min(like.size(), kNamed); ++i) names += (i ? ", " : "") + like[i].second;
    return "there is no option '" + option + "'" + (names.empty() ? "" : "; options with a name like it: " + names);
  }
  return "";
}

}  // namespace cutset::cli
