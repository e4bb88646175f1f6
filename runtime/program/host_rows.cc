// SPDX-License-Identifier: Apache-2.0
#include "runtime/program/host_rows.h"

#include <cstring>

#include "ir/core/rows.h"

namespace cutset {

HostRows host_rows(const TensorType& port, const TensorType& part, const FirstRow& first) {
  if (port.rank() == 0) return {.bytes = static_cast<uint64_t>(part.bytes())};
  const auto d = static_cast<size_t>(first.dimension);
  const Blocks b = blocks_of(port.shape, first.dimension);
  const int64_t row = b.inner * size_of(port.dtype);
  const auto bytes = [&](int64_t rows) { return static_cast<uint64_t>(rows * row); };
  return {bytes(first.start), static_cast<uint64_t>(b.count), bytes(part.shape[d]), bytes(port.shape[d])};
}

HostRows host_rows(const Function& f, const ReadInput& c) {
  return host_rows(f.inputs[c.input].type, f.buffers[c.to].type, c.first);
}
HostRows host_rows(const Function& f, const WriteOutput& c) {
  return host_rows(f.outputs[c.output].type, f.buffers[c.from].type, c.first);
}

uint64_t staging_bytes(const Function& f, const Instruction& i) {
  const auto of = [](const HostRows& rows) { return rows.is_contiguous() ? 0 : rows.blocks * rows.bytes; };
  if (const auto* c = i.as<ReadInput>()) return of(host_rows(f, *c));
  if (const auto* c = i.as<WriteOutput>()) return of(host_rows(f, *c));
  return 0;
}

void copy_rows_from(const HostRows& layout, const void* tensor, void* rows) {
  if (layout.bytes == 0) return;  // an empty tensor may have no address
  const auto* from = static_cast<const char*>(tensor) + layout.offset;
  for (uint64_t b = 0; b < layout.blocks; ++b)
    std::memcpy(static_cast<char*>(rows) + b * layout.bytes, from + b * layout.stride, layout.bytes);
}

void copy_rows_to(const HostRows& layout, const void* rows, void* tensor) {
  if (layout.bytes == 0) return;
  auto* to = static_cast<char*>(tensor) + layout.offset;
  for (uint64_t b = 0; b < layout.blocks; ++b)
    std::memcpy(to + b * layout.stride, static_cast<const char*>(rows) + b * layout.bytes, layout.bytes);
}

}  // namespace cutset
