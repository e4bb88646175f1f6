// SPDX-License-Identifier: Apache-2.0
#include "runtime/files/files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>

#include "runtime/files/usable_memory.h"

namespace cutset {
namespace {

Failure system_error(const std::string& what, const std::string& path) {
  return unavailable(what + " '" + path + "': " + std::strerror(errno),
                     "check the path, its permissions and the space left");
}

Status write_all(int fd, const std::vector<std::string_view>& pieces, const std::string& path) {
  for (std::string_view piece : pieces)
    while (!piece.empty()) {
      const ssize_t n = write(fd, piece.data(), piece.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return system_error("cannot write", path);
      piece.remove_prefix(static_cast<size_t>(n));
    }
  return {};
}

// Returns the number of bytes that the name of a file in the folder may have.
size_t longest_name(const std::string& folder) {
  const long most = pathconf(folder.c_str(), _PC_NAME_MAX);
  return most > 0 ? static_cast<size_t>(most) : 255;  // the limit of most file systems
}

// Returns the file that `path` names after all symbolic links are followed. The file need not exist yet.
Result<std::string> follow_links(const std::string& path) {
  std::filesystem::path at = path;
  constexpr int kMostLinks = 40;  // Linux has the same limit
  for (int i = 0; i < kMostLinks; ++i) {
    std::error_code e;
    if (!std::filesystem::is_symlink(at, e)) return at.string();
    const auto to = std::filesystem::read_symlink(at, e);
    if (e) return unavailable("cannot follow the link '" + at.string() + "': " + e.message());
    at = at.parent_path() / to;  // an absolute `to` replaces the folder
  }
  return unavailable("'" + path + "' leads through more than 40 symbolic links",
                     "check that they do not form a cycle");
}

struct Parts {
  std::string folder, name;
};
Parts split(const std::string& file) {
  const std::filesystem::path p = file;
  return {p.has_parent_path() ? p.parent_path().string() : ".", p.filename().string()};
}

// The path of temporary file number `i` of a file is FILE.tmp- and 16 hexadecimal digits. A name near the
// length limit of file systems is cut. The writer holds a lock on the file. The operating system releases the
// lock when the process ends. A writer takes the first free number, so files of processes that have ended are
// found without listing the folder.
constexpr std::string_view kTemporary = ".tmp-";
constexpr size_t kDigits = 16;
std::string temporary_path(const Parts& of, int i) {
  char digits[kDigits + 1];
  std::snprintf(digits, sizeof digits, "%016x", static_cast<unsigned>(i));
  const size_t longest = longest_name(of.folder), ending = kTemporary.size() + kDigits;
  return of.folder + "/" + of.name.substr(0, longest - std::min(longest, ending)) + std::string(kTemporary) +
         digits;
}

bool is_same_file(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

// Removes the temporary file `path` if its writer has ended: if no process has locked it.
void remove_orphan(const std::string& path) {
  struct stat locked, named;
  const Descriptor file(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC));
  if (!file.open() || flock(file.get(), LOCK_EX | LOCK_NB) != 0) return;
  // Before the lock was taken, the writer may have moved the file, and another writer may have created a file
  // with this name.
  if (fstat(file.get(), &locked) == 0 && lstat(path.c_str(), &named) == 0 && is_same_file(locked, named))
    unlink(path.c_str());
}

// Removes the temporary files of processes that ended during a write. Looks at the first 8 numbers, because
// more processes rarely write one file at once, and continues while it finds files.
void remove_orphans(const Parts& of) {
  constexpr int kFirst = 8;
  bool found = false;
  for (int i = 0; i < kFirst || found; ++i) {
    const std::string path = temporary_path(of, i);
    struct stat named;
    found = lstat(path.c_str(), &named) == 0;
    if (found) remove_orphan(path);
  }
}

// Returns the name of the file to which a temporary file with this name belongs, or an empty text if it is
// not the name of a temporary file.
std::string_view name_of_target(std::string_view temporary) {
  if (temporary.size() < kTemporary.size() + kDigits) return {};
  const std::string_view digits = temporary.substr(temporary.size() - kDigits);
  temporary.remove_suffix(kDigits);
  const bool is_one =
      temporary.ends_with(kTemporary) && digits.find_first_not_of("0123456789abcdef") == digits.npos;
  return is_one ? temporary.substr(0, temporary.size() - kTemporary.size()) : std::string_view();
}

// A temporary file in the folder of the file that it will replace. The destructor removes it unless replace()
// moved it.
class Temporary {
 public:
  // Creates the file with the permissions `mode`, or, without them, with the permissions of a new file (0666
  // and the umask).
  static Result<std::unique_ptr<Temporary>> make(const Parts& of, std::optional<mode_t> mode,
                                                 const std::string& path) {
    remove_orphans(of);
    constexpr int kMostTries = 1000;
    for (int i = 0; i < kMostTries; ++i) {
      std::unique_ptr<Temporary> t(new Temporary);
      t->name_ = temporary_path(of, i);
      t->file_ =
          Descriptor(open(t->name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode ? 0600 : 0666));
      if (!t->file_.open()) {
        t->name_.clear();
        if (errno == EEXIST) continue;
        return system_error("cannot write", path);
      }
      // The lock may fail on a file system without locks. Orphans are then not removed, because that needs
      // the lock.
      while (flock(t->file_.get(), LOCK_EX) != 0 && errno == EINTR) {
      }
      struct stat s;
      if (fstat(t->file_.get(), &s) != 0) return system_error("cannot write", path);
      if (s.st_nlink == 0) {  // another process removed it as an orphan before it was locked
        t->name_.clear();     // and a third process may have taken its name
        continue;
      }
      if (mode && fchmod(t->file_.get(), *mode) != 0)
        return system_error("cannot set the permissions of", path);
      return t;
    }
    return unavailable("cannot write '" + path + "': no temporary name beside it is free");
  }
  ~Temporary() {
    if (!name_.empty()) unlink(name_.c_str());
  }
  int fd() const { return file_.get(); }
  Status replace(const std::string& target, const std::string& path) {
    if (rename(name_.c_str(), target.c_str()) != 0) return system_error("cannot replace", path);
    name_.clear();
    return {};
  }

 private:
  Temporary() = default;
  std::string name_;
  Descriptor file_;
};

// Flushes the folder, so that the renaming survives a crash of the machine.
Status flush_folder(const std::string& folder, const std::string& path) {
  const Descriptor parent(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!parent.open() && errno == EACCES) return {};  // a folder may be writable but not readable
  if (!parent.open() ||
      (fsync(parent.get()) != 0 && errno != EINVAL))  // EINVAL: the file system cannot flush folders
    return system_error(
        "the file was replaced, but a crash of the machine may undo it, because its folder cannot be "
        "flushed:",
        path);
  return {};
}

struct Target {
  std::string file;            // the path after symbolic links are followed
  bool stream = false;         // whether it is a device or a pipe, which is written to and not replaced
  std::optional<mode_t> mode;  // the permissions of the existing file, if there is one
};

Result<Target> find_target(const std::string& path) {
  if (path.empty()) return invalid_argument("the name of the file to write is empty", "give it a name");
  Target target;
  CUTSET_ASSIGN(target.file, follow_links(path));
  struct stat existing;
  if (stat(target.file.c_str(), &existing) == 0) {
    if (S_ISDIR(existing.st_mode)) {
      errno = EISDIR;
      return system_error("cannot write", path);
    }
    target.stream = !S_ISREG(existing.st_mode);
    target.mode = existing.st_mode & 07777;
  }
  const Parts parts = split(target.file);
  if (parts.name.empty()) return invalid_argument("'" + path + "' names a folder, not a file");
  // The name of the temporary file is cut, so only the renaming at the end would fail.
  if (const size_t longest = longest_name(parts.folder); parts.name.size() > longest)
    return unavailable("cannot write '" + path + "': its name has " + std::to_string(parts.name.size()) +
                           " bytes, and the file system allows " + std::to_string(longest),
                       "give it a shorter name");
  return target;
}

// Opens a device or a pipe without waiting for a reader.
Result<Descriptor> open_stream(const std::string& path) {
  Descriptor file(open(path.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!file.open() && errno == ENXIO)
    return unavailable("cannot write '" + path + "': no process reads from it");
  if (!file.open()) return system_error("cannot write", path);
  const int flags = fcntl(file.get(), F_GETFL);
  if (flags < 0 || fcntl(file.get(), F_SETFL, flags & ~O_NONBLOCK) != 0)
    return system_error("cannot write", path);
  return file;
}

}  // namespace

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this == &other) return *this;
  if (fd_ >= 0) close(fd_);
  fd_ = other.release();
  return *this;
}
Descriptor::~Descriptor() {
  if (fd_ >= 0) close(fd_);
}
int Descriptor::release() {
  const int fd = fd_;
  fd_ = -1;
  return fd;
}

Status write_files(const std::vector<FileContents>& files) {
  std::vector<Target> targets;
  std::vector<std::unique_ptr<Temporary>> temporaries;  // null for a stream
  for (const FileContents& file : files) {
    CUTSET_ASSIGN(const Target target, find_target(file.path));
    temporaries.emplace_back();
    targets.push_back(target);
    if (target.stream) {
      CUTSET_ASSIGN(const Descriptor stream, open_stream(file.path));
      CUTSET_TRY(write_all(stream.get(), file.pieces, file.path));
      continue;
    }
    CUTSET_ASSIGN(temporaries.back(), Temporary::make(split(target.file), target.mode, file.path));
    CUTSET_TRY(write_all(temporaries.back()->fd(), file.pieces, file.path));
    if (fsync(temporaries.back()->fd()) != 0) return system_error("cannot flush", file.path);
  }
  for (size_t i = 0; i < files.size(); ++i)
    if (temporaries[i]) CUTSET_TRY(temporaries[i]->replace(targets[i].file, files[i].path));
  for (size_t i = 0; i < files.size(); ++i)
    if (temporaries[i]) CUTSET_TRY(flush_folder(split(targets[i].file).folder, files[i].path));
  return {};
}

Status write_file(const std::string& path, const std::vector<std::string_view>& pieces) {
  return write_files({{path, pieces}});
}
Status write_file(const std::string& path, std::string_view contents) {
  return write_file(path, std::vector{contents});
}

Status check_writable(const std::string& path) {
  CUTSET_ASSIGN(const Target target, find_target(path));
  if (target.stream) {
    CUTSET_TRY(open_stream(path));
    return {};
  }
  CUTSET_TRY(Temporary::make(split(target.file), target.mode, path));
  return {};
}

void remove_orphans_in(const std::string& folder, std::string_view prefix, std::string_view suffix) {
  std::error_code failed;
  std::vector<std::string> orphans;
  for (std::filesystem::directory_iterator at(folder, failed), end; !failed && at != end;
       at.increment(failed)) {
    const std::string name = at->path().filename().string();
    const std::string_view of = name_of_target(name);
    if (!of.empty() && of.starts_with(prefix) && of.ends_with(suffix)) orphans.push_back(at->path().string());
  }
  for (const std::string& path : orphans) remove_orphan(path);
}

Result<InputFile> InputFile::open(const std::string& path) {
  InputFile f;
  f.path_ = path;
  // O_NONBLOCK: opening a pipe must not wait for a writer.
  f.file_ = Descriptor(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!f.file_.open())
    return unavailable("cannot read '" + path + "': " + std::strerror(errno),
                       "check the path and its permissions");
  struct stat s;
  if (fstat(f.file_.get(), &s) != 0 || !S_ISREG(s.st_mode))
    return unavailable("'" + path + "' is not a regular file");
  f.size_ = static_cast<uint64_t>(s.st_size);
  return f;
}

Result<size_t> InputFile::some(void* to, size_t n) {
  for (;;) {
    const ssize_t got = ::read(file_.get(), to, n);
    if (got >= 0) return static_cast<size_t>(got);
    if (errno != EINTR) return system_error("cannot read", path_);
  }
}

Status InputFile::read(void* to, size_t n) {
  for (size_t done = 0; done < n;) {
    CUTSET_ASSIGN(const size_t got, some(static_cast<char*>(to) + done, n - done));
    if (got == 0)
      return unavailable("'" + path_ + "' ended after " + std::to_string(done) + " of " + std::to_string(n) +
                         " bytes that were to be read");
    done += got;
  }
  return {};
}

Result<std::string> read_file(const std::string& path, uint64_t limit) {
  CUTSET_ASSIGN(InputFile file, InputFile::open(path));
  if (file.size() > limit)
    return invalid_data("'" + path + "' has " + std::to_string(file.size()) +
                        " bytes, more than the limit of " + std::to_string(limit));
  std::string contents;
  try {
    if (file.size() > usable_memory_bytes())
      throw std::bad_alloc();  // with overcommitment, resize() may succeed without enough memory
    contents.resize(file.size());
  } catch (const std::exception&) {
    return unavailable("'" + path + "' has " + std::to_string(file.size()) +
                       " bytes, and there is not enough memory for them");
  }
  CUTSET_TRY(file.read(contents.data(), contents.size()));
  return contents;
}

}  // namespace cutset
