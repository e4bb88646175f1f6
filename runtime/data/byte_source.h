// SPDX-License-Identifier: Apache-2.0
// Reads the bytes of a file, and decompresses them if the file is gzip. ByteSource reports truncated and
// damaged gzip data. zlib's gzread treats a truncated file as complete.
#pragma once
#include <zlib.h>

#include <memory>
#include <string>
#include <vector>

#include "ir/core/result.h"
#include "runtime/files/files.h"

namespace cutset {

// One thread at a time may use a ByteSource.
class ByteSource {
 public:
  // Opens the file. It is treated as gzip if it begins with gzip's magic number, whatever its name is.
  static Result<std::unique_ptr<ByteSource>> open(const std::string& path);
  ~ByteSource();
  ByteSource(const ByteSource&) = delete;

  // Returns an upper bound of the number of bytes that can be read: the size of a plain file, or the size of
  // a gzip file times the largest compression ratio of deflate.
  uint64_t most() const;
  // Reads exactly `n` bytes into `to`. Returns false if fewer bytes are left or if the gzip data is damaged.
  bool read(void* to, size_t n);
  // Returns true if no byte is left and, for gzip, the data ended with a correct checksum. Tries to read one
  // more byte, so do not read after it has returned false.
  bool at_end();

 private:
  explicit ByteSource(InputFile file) : file_(std::move(file)) {}
  // Reads at most `n` bytes and returns their number; 0 means that the data has ended or is damaged.
  size_t some(void* to, size_t n);
  // Reads the next bytes of the file into `buffer_`. Returns false at the end of the file and on an error.
  bool refill();

  InputFile file_;
  std::vector<unsigned char> buffer_;
  z_stream stream_{};
  bool gzip_ = false, damaged_ = false, complete_ = true;
};

}  // namespace cutset
