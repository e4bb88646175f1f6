// A file to which a training run appends its records, and which a run that is resumed continues.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "runtime/files/files.h"

namespace cutset {

// A place in a log: the bytes before it, and a CRC-32 of them. A checkpoint holds the place behind its last
// record.
struct LogPlace {
  uint64_t bytes = 0;  // 0: there is no log
  uint32_t sum = 0;
  std::string pending = {};  // records that belong behind the place, and could not be written yet
  bool operator==(const LogPlace&) const = default;
};

// Locks the file while it lives, so that two runs do not write one log.
class LogFile {
 public:
  // How a log begins.
  struct Beginning {
    std::string bytes;                           // what is written into a new file
    std::function<bool(std::string_view)> fits;  // whether a file that begins with these bytes is such a log
  };
  // Opens the log `path`. A file that is missing or empty gets the beginning. Otherwise:
  // - If `place` has bytes, the file must begin with these bytes. What follows them is cut off: records of steps
  //   that are made again, and a record that was half written when a process was killed. The pending records of
  //   `place` are then written, also into a new file.
  // - If not, the file must be a log without records, or, if `again` is true, a log. It begins again.
  // - Otherwise it fails.
  static Result<LogFile> open(const std::string& path, const Beginning& beginning, const LogPlace& place, bool again);

  // Appends a record. It is in the file, though not on the disk, when the function returns. If it fails, the
  // record is pending.
  Status append(std::string_view record);
  // Writes the records that are pending.
  Status write_pending();
  // Removes the records behind `place`, which place() has returned before. What cannot be removed now is
  // removed before the next record is written.
  void return_to(const LogPlace& place);
  // The end of the file, and the records that are pending.
  const LogPlace& place() const { return place_; }

 private:
  LogFile(std::string path, Descriptor file) : path_(std::move(path)), file_(std::move(file)) {}
  // Cuts the file behind `place`.
  Status cut(const LogPlace& place);

  std::string path_;
  Descriptor file_;
  LogPlace place_;
  bool torn_ = false;  // whether the file may have bytes behind the place
};

}  // namespace cutset
