// The bytes of a file, inflated where it is gzip. zlib's own gzread takes a file that was cut short for one
// that has ended; this one does not.
#pragma once
#include <zlib.h>

#include <memory>
#include <string>
#include <vector>

#include "ir/core/result.h"
#include "runtime/files.h"

namespace cutset {

class ByteSource {
 public:
  static Result<std::unique_ptr<ByteSource>> open(const std::string& path);
  ~ByteSource();
  ByteSource(const ByteSource&) = delete;

  // The most bytes that the file may hold: its own where it is plain, and as many as deflate can have packed into it.
  uint64_t most() const;
  // Fills `to`; false at the end of the data before that, or where the gzip data is damaged.
  bool read(void* to, size_t n);
  // True if nothing is left, and, for gzip, the data ended with its checksum.
  bool at_end();

 private:
  explicit ByteSource(InputFile file) : file_(std::move(file)) {}
  size_t some(void* to, size_t n);  // 0: end, or damaged
  bool refill();

  InputFile file_;
  std::vector<unsigned char> buffer_;
  z_stream stream_{};
  bool gzip_ = false, damaged_ = false, complete_ = true;
};

}  // namespace cutset
