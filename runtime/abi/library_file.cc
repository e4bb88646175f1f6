// SPDX-License-Identifier: Apache-2.0
#include "runtime/abi/library_file.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <vector>

namespace cutset::abi {
namespace {

bool read_at(int fd, void* to, size_t bytes, uint64_t offset) {
  return pread(fd, to, bytes, static_cast<off_t>(offset)) == static_cast<ssize_t>(bytes);
}

// Returns the fault of an open file with this many bytes.
std::string fault_of(int fd, uint64_t bytes) {
  constexpr char kShort[] = "the file is shorter than its header says; it was copied in part";
  Elf64_Ehdr header;
  if (!read_at(fd, &header, sizeof header, 0) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_phentsize != sizeof(Elf64_Phdr))
    return "";
  std::vector<Elf64_Phdr> segments(header.e_phnum);
  if (!read_at(fd, segments.data(), segments.size() * sizeof(Elf64_Phdr), header.e_phoff)) return kShort;
  for (const Elf64_Phdr& s : segments)
    if (s.p_type == PT_LOAD && (s.p_offset > bytes || s.p_filesz > bytes - s.p_offset)) return kShort;
  return "";
}

}  // namespace

std::string library_fault(const std::string& file) {
  if (file.find('/') == std::string::npos) return "";
  const int fd = ::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (fd < 0) return "";
  struct stat is;
  std::string fault;
  if (fstat(fd, &is) == 0) {
    if (S_ISREG(is.st_mode))
      fault = fault_of(fd, static_cast<uint64_t>(is.st_size));
    else if (!S_ISDIR(is.st_mode))
      fault = "the file is neither regular nor a folder";
  }
  ::close(fd);
  return fault.empty() ? "" : file + ": " + fault;
}

}  // namespace cutset::abi
