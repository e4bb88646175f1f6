// SPDX-License-Identifier: Apache-2.0
// A file to which a training run appends its records, and which a run that is resumed continues.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "frontends/cpp/training/log_claim.h"
#include "runtime/files/files.h"

namespace cutset {

// A place in a log: the number of bytes before it, and a CRC-32 of these bytes. A checkpoint holds the place
// after its last record.
struct LogPlace {
  uint64_t bytes = 0;  // 0: there is no log
  uint32_t sum = 0;
  std::string pending = {};  // records that belong after the place, and could not be written yet
  bool operator==(const LogPlace&) const = default;
};

// Locks the file while it lives, so that two runs do not write one log.
class LogFile {
 public:
  // How a log begins.
  struct Beginning {
    std::string bytes;  // the bytes that are written into a new file
    // Whether a file that begins with these bytes is such a log. If there are fewer bytes than the beginning:
    // whether they are a part of it, which a killed process may have written.
    std::function<bool(std::string_view)> fits;
  };
  // Opens the log `path`. A file that is missing or empty gets the beginning. Otherwise:
  // - If the file begins with the bytes of `place`, all bytes after them are removed: records of steps that
  //   are made again, and a record that was half written when a process was killed. The pending records of
  //   `place` are then written. They are also written into a new file.
  // - If it is a log that this run has begun, as `claim` says, it begins again.
  // - If `place` has no bytes, and the file is a log without records, it begins again.
  // - Otherwise it fails.
  static Result<LogFile> open(const std::string& path, const Beginning& beginning, const LogPlace& place,
                              LogClaim claim);

  // Appends a record. When the function returns, the record is in the file, though not on the disk. If it
  // fails, the record is pending.
  Status append(std::string_view record);
  // Writes the records that are pending.
  Status write_pending();
  // Removes the records after `place`, which place() has returned before. Records that cannot be removed now
  // are removed before the next record is written.
  void return_to(const LogPlace& place);
  // Removes the claim, because a checkpoint holds the place.
  void remove_claim() { claim_.remove(); }
  // Returns the end of the file, and the records that are pending.
  const LogPlace& place() const { return place_; }

 private:
  LogFile(std::string path, Descriptor file, LogClaim claim)
      : path_(std::move(path)), file_(std::move(file)), claim_(std::move(claim)) {}
  // Cuts the file after `place`.
  Status cut(const LogPlace& place);

  std::string path_;
  Descriptor file_;
  LogClaim claim_;
  LogPlace place_;
  bool torn_ = false;  // whether the file may have bytes after the place
};

}  // namespace cutset
