// SPDX-License-Identifier: Apache-2.0
#include "ir/core/error.h"

#include <utility>

#include "ir/core/result.h"

namespace cutset {
namespace {

// Writes each NUL as \x00. A name from a file may have one, and what() would end there.
std::string without_nul(std::string text) {
  for (size_t at = text.find('\0'); at != std::string::npos; at = text.find('\0', at))
    text.replace(at, 1, "\\x00");
  return text;
}

}  // namespace

Error::Error(ErrorCode code, const std::string& what, std::string source, std::string hint)
    : std::runtime_error(without_nul((source.empty() ? "" : source + ": ") + what +
                                     (hint.empty() ? "" : " (" + hint + ")"))),
      code_(code),
      source_(without_nul(std::move(source))),
      hint_(without_nul(std::move(hint))) {}

Error::Error(const Failure& f) : Error(f.code, f.what, f.source, f.hint) {}

Error::Error(const Failure& f, std::source_location source)
    : Error(f.code, f.what, f.source.empty() ? line_of(source) : f.source, f.hint) {}

std::string Error::line_of(std::source_location source) {
  const std::string file = source.file_name();
  return file.substr(file.find_last_of('/') + 1) + ":" + std::to_string(source.line());
}

}  // namespace cutset
