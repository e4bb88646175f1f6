// SPDX-License-Identifier: Apache-2.0
#include "frontends/cpp/checks/failure.h"

namespace cutset {

void raise(const Failure& failure) { throw Error(failure); }
void raise(const Failure& failure, std::source_location source) { throw Error(failure, source); }

void check(const Status& status) {
  if (!status.ok()) raise(status.error());
}
void check(const Status& status, std::source_location source) {
  if (!status.ok()) raise(status.error(), source);
}

std::string text_of(const Error& error) {
  const std::string text = error.what(), line = error.source() + ": ";
  return !error.source().empty() && text.starts_with(line) ? text.substr(line.size()) : text;
}

std::string message_of(const Error& error) {
  const std::string text = text_of(error), hint = " (" + error.hint() + ")";
  return !error.hint().empty() && text.ends_with(hint) ? text.substr(0, text.size() - hint.size()) : text;
}

void raise_without_line(const Error& error, const std::string& before) {
  throw Error(error.code(), before + text_of(error), "", "");
}

}  // namespace cutset
