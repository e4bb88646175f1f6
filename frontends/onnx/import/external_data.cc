#include "frontends/onnx/import/external_data.h"

#include <cutset/error.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>

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
    refuse(ErrorCode::kInvalidData, what, "has an offset or a length in its external data that is not a number");
  return number;
}

}  // namespace

ExternalData::ExternalData(const std::string& model_path) {
  const size_t slash = model_path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : model_path.substr(0, slash + 1);
  folder_ = Descriptor(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!folder_.open())
    throw Error(ErrorCode::kUnavailable, "cannot open the folder '" + folder + "': " + std::strerror(errno), "", "");
}

// The kernel resolves the path without leaving the folder and without following symbolic links, so no other process can exchange a
// folder between a check and its use. A file with a second hard link may be any file of the machine.
ExternalData::Part ExternalData::open(const ::onnx::TensorProto& proto, const std::string& what) const {
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
  open_how how = {};
  how.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  part.file = Descriptor(static_cast<int>(::syscall(SYS_openat2, folder_.get(), location.c_str(), &how, sizeof how)));
  if (!part.file.open()) {
    if (errno == EXDEV || errno == ELOOP)
      refuse(ErrorCode::kInvalidData, what,
             "has its elements in " + file + ", which is not below the folder of the model");
    refuse(ErrorCode::kUnavailable, what, "has its elements in " + file + ": " + std::strerror(errno));
  }
  struct stat status = {};
  if (::fstat(part.file.get(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_nlink != 1)
    refuse(ErrorCode::kInvalidData, what,
           "has its elements in " + file + ", which is not a regular file with one hard link");
  const auto size = static_cast<uint64_t>(status.st_size);
  if (part.offset > size || length.value_or(0) > size - part.offset)
    refuse(ErrorCode::kInvalidData, what, "has an offset and a length that end beyond the end of " + file);
  part.bytes = length.value_or(size - part.offset);
  // Otherwise a small file could ask for any amount of memory. Equal tensors may share a part.
  uint64_t& opened = opened_[{status.st_dev, status.st_ino}];
  if (opened + part.bytes > 2 * size)
    refuse(ErrorCode::kInvalidData, what, "and the tensors before it have more than twice the bytes of " + file);
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
