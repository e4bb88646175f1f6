// SPDX-License-Identifier: Apache-2.0
#include "frontends/cpp/training/log_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "runtime/files/checksum.h"

namespace cutset {
namespace {

constexpr uint64_t kLargest = uint64_t{1} << 32;  // bytes of a log that is continued

Failure failed_to(const std::string& what, const std::string& path) {
  return unavailable("cannot " + what + " '" + path + "': " + std::strerror(errno),
                     "check the path and the disk");
}

// Opens a file for a log that no other run writes.
Result<Descriptor> open_alone(const std::string& path) {
  Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0666));
  struct stat status;
  if (!file.open() || fstat(file.get(), &status) != 0) return failed_to("open the log", path);
  if (!S_ISREG(status.st_mode)) return invalid_argument("the log '" + path + "' is not a regular file");
  if (flock(file.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    return unavailable("the log '" + path + "' is in use by another run", "give each run a log of its own");
  return file;  // a file system without locks excludes nobody
}

}  // namespace

Result<LogFile> LogFile::open(const std::string& path, const Beginning& beginning, const LogPlace& place,
                              LogClaim claim) {
  CUTSET_ASSIGN(Descriptor file, open_alone(path));
  LogFile log(path, std::move(file), std::move(claim));
  CUTSET_ASSIGN(const std::string bytes, read_file(path, kLargest));
  const std::string_view before = std::string_view(bytes).substr(0, place.bytes);
  if (place.bytes > 0 && before.size() == place.bytes && checksum(before) == place.sum &&
      beginning.fits(before)) {
    log.claim_.remove();
    CUTSET_TRY(log.cut(place));
    CUTSET_TRY(log.write_pending());
    return log;
  }
  const bool has_records = bytes.size() > beginning.bytes.size();
  const bool may_begin =
      bytes.empty() || (beginning.fits(bytes) && ((place.bytes == 0 && !has_records) || log.claim_.ours()));
  if (!may_begin && place.bytes > 0)
    return invalid_argument("the log '" + path + "' is not the one of the run that wrote the checkpoint",
                            "give the log of that run, or another file for a new log");
  if (!may_begin)
    return invalid_argument("the log '" + path + "' belongs to another run, or is another file",
                            "continue that run, remove the file, or give another one");
  CUTSET_TRY(log.claim_.write());
  CUTSET_TRY(log.cut({}));
  CUTSET_TRY(log.append(beginning.bytes + place.pending));
  return log;
}

Status LogFile::cut(const LogPlace& place) {
  if (ftruncate(file_.get(), static_cast<off_t>(place.bytes)) != 0) return failed_to("cut the log", path_);
  place_ = place;
  torn_ = false;
  return {};
}

void LogFile::return_to(const LogPlace& place) {
  torn_ = true;
  if (!cut(place).ok()) place_ = place;
}

Status LogFile::append(std::string_view record) {
  place_.pending += record;
  return write_pending();
}

Status LogFile::write_pending() {
  if (torn_) CUTSET_TRY(cut(LogPlace(place_)));
  if (lseek(file_.get(), static_cast<off_t>(place_.bytes), SEEK_SET) < 0)
    return failed_to("write the log", path_);
  for (std::string_view left = place_.pending; !left.empty();) {
    const ssize_t n = write(file_.get(), left.data(), left.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      const Failure failure = failed_to("write the log", path_);
      return_to(LogPlace(place_));  // no half of a record stays
      return failure;
    }
    left.remove_prefix(static_cast<size_t>(n));
  }
  place_ = {place_.bytes + place_.pending.size(), checksum(place_.pending, place_.sum), ""};
  return {};
}

}  // namespace cutset
