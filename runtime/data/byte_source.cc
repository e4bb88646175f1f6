// SPDX-License-Identifier: Apache-2.0
#include "runtime/data/byte_source.h"

#include <algorithm>
#include <cstring>

namespace cutset {

Result<std::unique_ptr<ByteSource>> ByteSource::open(const std::string& path) {
  CUTSET_ASSIGN(InputFile file, InputFile::open(path));
  std::unique_ptr<ByteSource> s(new ByteSource(std::move(file)));
  s->buffer_.resize(1 << 16);
  s->refill();
  s->gzip_ = s->stream_.avail_in >= 2 && s->buffer_[0] == 0x1f && s->buffer_[1] == 0x8b;
  constexpr int kGzipOnly = 16 + MAX_WBITS;
  if (s->gzip_ && inflateInit2(&s->stream_, kGzipOnly) != Z_OK)
    return execution_failed("cannot read '" + path + "': zlib's inflateInit2 failed");
  s->complete_ = !s->gzip_;
  return s;
}

ByteSource::~ByteSource() {
  if (gzip_) inflateEnd(&stream_);
}

uint64_t ByteSource::most() const {
  constexpr uint64_t kMostDeflated =
      1032;  // the largest compression ratio of deflate (zlib's technical details)
  if (!gzip_) return file_.size();
  return file_.size() > UINT64_MAX / kMostDeflated ? UINT64_MAX : file_.size() * kMostDeflated;
}

bool ByteSource::refill() {
  stream_.next_in = buffer_.data();
  const auto got = file_.some(buffer_.data(), buffer_.size());
  stream_.avail_in = got ? static_cast<uInt>(*got) : 0;
  damaged_ = damaged_ || !got;
  return stream_.avail_in > 0;
}

size_t ByteSource::some(void* to, size_t n) {
  if (damaged_) return 0;
  if (!gzip_) {
    if (stream_.avail_in == 0 && !refill()) return 0;
    const size_t take = std::min<size_t>(n, stream_.avail_in);
    std::memcpy(to, stream_.next_in, take);
    stream_.next_in += take;
    stream_.avail_in -= static_cast<uInt>(take);
    return take;
  }
  stream_.next_out = static_cast<Bytef*>(to);
  stream_.avail_out = static_cast<uInt>(std::min<size_t>(n, 1 << 30));
  const size_t room = stream_.avail_out;
  while (stream_.avail_out == room) {
    if (stream_.avail_in == 0 && !refill()) return 0;
    if (complete_) {  // another member of the gzip file follows
      if (inflateReset(&stream_) != Z_OK) {
        damaged_ = true;
        return 0;
      }
      complete_ = false;
    }
    const int code = inflate(&stream_, Z_NO_FLUSH);
    if (code == Z_STREAM_END) {
      complete_ = true;
    } else if (code != Z_OK) {
      damaged_ = true;
      return 0;
    }
  }
  return room - stream_.avail_out;
}

bool ByteSource::read(void* to, size_t n) {
  for (size_t done = 0; done < n;) {
    const size_t got = some(static_cast<char*>(to) + done, n - done);
    if (got == 0) return false;
    done += got;
  }
  return true;
}

bool ByteSource::at_end() {
  unsigned char more;
  return some(&more, 1) == 0 && !damaged_ && complete_;
}

}  // namespace cutset
