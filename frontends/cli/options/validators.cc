// SPDX-License-Identifier: Apache-2.0
#include "frontends/cli/options/validators.h"

#include <charconv>
#include <cmath>

#include "ir/core/names.h"

namespace cutset::cli {

CLI::Validator path_name() {
  return {
      [](std::string& text) { return text.empty() ? std::string("needs a name, not an empty text") : ""; },
      "PATH"};
}
CLI::Validator whole_number() {
  return {[](std::string& text) {
            uint64_t value = 0;
            const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
            const bool good = parsed.ec == std::errc() && parsed.ptr == text.data() + text.size();
            return good ? std::string()
                        : "'" + text + "' is not a whole number from 0 to 18446744073709551615";
          },
          "0.."};
}
CLI::Validator number_between(double least, double most) {
  return {[=](std::string& text) {
            // A number that is too small for a double is out of range, and not 0. Hexadecimal digits are no
            // number.
            double value = NAN;
            const char *begin = text.data() + (text.starts_with('+') ? 1 : 0),
                       *end = text.data() + text.size();
            const auto parsed = std::from_chars(begin, end, value);
            const bool number = parsed.ec == std::errc() && parsed.ptr == end && std::isfinite(value);
            if (number && value >= least && value <= most) return std::string();
            return "'" + text + "' is not a number from " + CLI::detail::to_string(least) + " to " +
                   CLI::detail::to_string(most);
          },
          ""};
}
CLI::Validator one_of(std::vector<std::string> names) {
  return {[names = std::move(names)](std::string& text) {
            const std::string small = CLI::detail::to_lower(text);
            if (std::ranges::find(names, small) == names.end())
              return "'" + text + "' is not one of " + list_and_nearest(text, names);
            text = small;
            return std::string();
          },
          ""};
}

}  // namespace cutset::cli
