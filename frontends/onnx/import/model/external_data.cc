// SPDX-License-Identifier: Apache-2.0
#include "frontends/onnx/import/model/external_data.h"

#include <cutset/error.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <climits>
#include <cstring>
#include <optional>

#include "frontends/cpp/checks/failure.h"
#include "frontends/onnx/messages.h"
#include "frontends/onnx/names.h"

namespace cutset::onnx {
namespace {

[[noreturn]] void refuse(ErrorCode code, const std::string& what, const std::string& why) {
  throw Error(code, what + " " + why, "", "");
}

uint64_t number_of(const std::string& text, const std::string& what) {
  uint64_t number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size())
    refuse(ErrorCode::kInvalidData, what,
           "has an offset or a length in its external data that is not a number");
  return number;
}

// Returns the path of an open file without links, or an empty text if the system does not tell it.
std::string path_of(const Descriptor& file) {
  std::string path(PATH_MAX, 0);
  const ssize_t size =
      ::readlink(("/proc/self/fd/" + std::to_string(file.get())).c_str(), path.data(), path.size());
  path.resize(size > 0 ? static_cast<size_t>(size) : 0);
  return path.starts_with('/') ? path : "";
}

// Returns the folder of a path, with a slash at its end.
std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/') + 1); }

Descriptor open_folder(const std::string& path) {
  return Descriptor(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
}

// Opens a file below a folder. The kernel resolves the path without leaving the folder and without following
// links, so no other process can exchange a folder between a check and its use.
Descriptor open_below(const Descriptor& folder, const std::string& path) {
  open_how how = {};
  how.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  return Descriptor(static_cast<int>(::syscall(SYS_openat2, folder.get(), path.c_str(), &how, sizeof how)));
}

bool is_same_file(const Descriptor& a, const Descriptor& b) {
  struct stat of_a = {}, of_b = {};
  return ::fstat(a.get(), &of_a) == 0 && ::fstat(b.get(), &of_b) == 0 && of_a.st_dev == of_b.st_dev &&
         of_a.st_ino == of_b.st_ino;
}

// Whether a path begins at the root, or has a part "..".
bool leaves_folder(const std::string& path) {
  return ("/" + path + "/").find("/../") != std::string::npos || path.starts_with('/');
}

constexpr const char* kWaysOut = "; copy the model with its files to one folder (cp -rL)";

}  // namespace

ExternalData::ExternalData(const std::string& model_path, bool hard_links)
    : path_(model_path),
      hard_links_(hard_links),
      folder_(open_folder(model_path.find('/') != std::string::npos ? folder_of(model_path) : ".")),
      model_(::open(model_path.c_str(), O_PATH | O_CLOEXEC)) {}

// Reads the open file `model_`, whose folder open_target() trusts, even if another process exchanges links
// meanwhile.
std::string ExternalData::read_model() {
  if (model_.open()) {
    Result<std::string> bytes = read_file("/proc/self/fd/" + std::to_string(model_.get()), kLargestMessage);
    if (bytes.ok()) return std::move(*bytes);
    model_ = Descriptor();
  }
  return check(read_file(path_, kLargestMessage));
}

Descriptor ExternalData::open_file(const std::string& location, const std::string& what) const {
  if (!folder_.open())
    refuse(ErrorCode::kUnavailable, what, "is in another file, and the folder of the model cannot be opened");
  Descriptor file = open_below(folder_, location);
  if (file.open()) return file;
  const int error = errno;
  const std::string has = "has its elements in '" + shown(location) + "'";
  if (error == EXDEV || (error == ELOOP && leaves_folder(location)))
    refuse(ErrorCode::kInvalidData, what,
           has + ", a path that leaves the folder of the model; the files of a model are below its folder");
  if (error == ELOOP) return open_target(location, what);
  refuse(ErrorCode::kUnavailable, what, has + ": " + std::strerror(error));
}

// Follows the links of a location to a file. Opens this file below the folder of the model, or, if the model
// is a link, below the folder of the file that the link leads to. Even if another process exchanges links
// meanwhile, the opened file is below one of these folders.
Descriptor ExternalData::open_target(const std::string& location, const std::string& what) const {
  const std::string has = "has its elements in '" + shown(location) + "'";
  const Descriptor target(::openat(folder_.get(), location.c_str(), O_PATH | O_CLOEXEC));
  if (!target.open())
    refuse(ErrorCode::kUnavailable, what,
           has + ", a symbolic link that leads to no file: " + std::strerror(errno));
  const std::string path = path_of(target), of_model = model_.open() ? path_of(model_) : "";
  const auto file_in = [&](const Descriptor& folder) {
    const std::string begin = path_of(folder) + "/";
    if (begin == "/" || !path.starts_with(begin)) return Descriptor();
    Descriptor file = open_below(folder, path.substr(begin.size()));
    return file.open() && is_same_file(file, target) ? std::move(file) : Descriptor();
  };
  if (Descriptor file = file_in(folder_); file.open()) return file;
  if (!of_model.empty())
    if (Descriptor file = file_in(open_folder(folder_of(of_model))); file.open()) return file;
  if (path.empty())
    refuse(ErrorCode::kUnavailable, what, has + ", a symbolic link, which needs /proc to be followed");
  refuse(ErrorCode::kInvalidData, what,
         has + ", a symbolic link to '" + shown(path, 256) +
             "', which is neither below the folder of the model nor below "
             "the folder of the file to which the model is a link" +
             kWaysOut);
}

ExternalData::Part ExternalData::open(const onnx_proto::TensorProto& proto, const std::string& what) const {
  std::string location;
  Part part;
  std::optional<uint64_t> length;
  for (const auto& entry : proto.external_data()) {
    if (entry.key() == "location") location = entry.value();
    if (entry.key() == "offset") part.offset = number_of(entry.value(), what);
    if (entry.key() == "length") length = number_of(entry.value(), what);
  }
  const std::string file = "'" + shown(location) + "'";
  if (location.empty() || location.find('\0') != std::string::npos)
    refuse(ErrorCode::kInvalidData, what, "has external data without a location");
  part.file = open_file(location, what);
  struct stat status = {};
  if (::fstat(part.file.get(), &status) != 0 || !S_ISREG(status.st_mode))
    refuse(ErrorCode::kInvalidData, what, "has its elements in " + file + ", which is not a regular file");
  if (status.st_nlink != 1 && !hard_links_)
    refuse(ErrorCode::kInvalidData, what,
           "has its elements in " + file + ", a file with " + std::to_string(status.st_nlink) +
               " hard links, which may be any file of this machine; set ImportOptions::hard_links, or "
               "--hard-links, if you trust the folder of the model, or copy the file (cp)");
  const auto size = static_cast<uint64_t>(status.st_size);
  if (part.offset > size || length.value_or(0) > size - part.offset)
    refuse(ErrorCode::kInvalidData, what, "has an offset and a length that end beyond the end of " + file);
  part.bytes = length.value_or(size - part.offset);
  // Without this limit, a small file could ask for any amount of memory. Equal tensors may share a part.
  uint64_t& opened = opened_[{status.st_dev, status.st_ino}];
  if (opened + part.bytes > 2 * size)
    refuse(ErrorCode::kInvalidData, what,
           "and the tensors before it have more than twice the bytes of " + file);
  opened += part.bytes;
  return part;
}

void ExternalData::read(const Part& part, std::span<unsigned char> to, const std::string& what) {
  for (size_t done = 0; done < to.size();) {
    const ssize_t n =
        ::pread(part.file.get(), to.data() + done, to.size() - done, static_cast<off_t>(part.offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) refuse(ErrorCode::kUnavailable, what, std::string("cannot be read: ") + std::strerror(errno));
    if (n == 0) refuse(ErrorCode::kUnavailable, what, "cannot be read: the file has become shorter");
    done += static_cast<size_t>(n);
  }
}

}  // namespace cutset::onnx
