// SPDX-License-Identifier: Apache-2.0
#include "runtime/data/order.h"

#include <cctype>
#include <charconv>

#include "runtime/files/files.h"

namespace cutset {

Result<std::vector<int64_t>> read_order(const std::string& path) {
  CUTSET_ASSIGN(const std::string text, read_file(path, uint64_t{1} << 30));
  auto blank = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  std::vector<int64_t> order;
  const char *p = text.data(), *end = p + text.size();
  while (p < end) {
    if (blank(*p)) {
      ++p;
      continue;
    }
    int64_t sample = 0;
    const auto parsed = std::from_chars(p, end, sample);
    if (parsed.ec != std::errc() || (parsed.ptr < end && !blank(*parsed.ptr)))
      return invalid_data("'" + path + "': the text at byte " + std::to_string(p - text.data()) +
                          " is not a sample number");
    order.push_back(sample);
    p = parsed.ptr;
  }
  if (order.empty()) return invalid_data("'" + path + "' holds no sample number");
  return order;
}

}  // namespace cutset
