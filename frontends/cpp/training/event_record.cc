// SPDX-License-Identifier: Apache-2.0
#include "frontends/cpp/training/event_record.h"

#include <cstring>

#include "frontends/cpp/training/crc32c.h"

namespace cutset {
namespace {

constexpr char kVersion[] = "brain.Event:2";

// Appends the bytes of a number, the lowest first.
template <class T>
void put_fixed(std::string& to, T value) {
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);  // the hosts that Cutset runs on are little-endian
  for (size_t i = 0; i < sizeof value; ++i) to.push_back(static_cast<char>(bits >> (8 * i)));
}

// Appends a varint: groups of 7 bits, the lowest first. All groups but the last have the bit 0x80.
void put_varint(std::string& to, uint64_t value) {
  for (; value >= 0x80; value >>= 7) to.push_back(static_cast<char>(value | 0x80));
  to.push_back(static_cast<char>(value));
}

// The types of fields on the wire.
enum Wire : unsigned { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };
void put_key(std::string& to, unsigned field, Wire type) { put_varint(to, field << 3 | type); }
void put_bytes(std::string& to, unsigned field, std::string_view bytes) {
  put_key(to, field, kBytes);
  put_varint(to, bytes.size());
  to += bytes;
}

std::string event_at(double wall_time) {
  std::string event;
  put_key(event, 1, kFixed64);
  put_fixed(event, wall_time);
  return event;
}

// The mask keeps a CRC of data that contains CRCs from being weak.
uint32_t masked(uint32_t crc) { return (crc >> 15 | crc << 17) + 0xa282ead8u; }

std::string record_of(std::string_view data) {
  std::string record;
  put_fixed(record, static_cast<uint64_t>(data.size()));
  put_fixed(record, masked(crc32c(record)));
  record += data;
  put_fixed(record, masked(crc32c(data)));
  return record;
}

}  // namespace

std::string version_record(double wall_time) {
  std::string event = event_at(wall_time);
  put_bytes(event, 3, kVersion);
  return record_of(event);
}

std::string scalars_record(double wall_time, int64_t step,
                           const std::vector<std::pair<std::string, double>>& values) {
  std::string summary;
  for (const auto& [tag, number] : values) {
    std::string value;
    put_bytes(value, 1, tag);
    put_key(value, 2, kFixed32);
    put_fixed(value, static_cast<float>(number));
    put_bytes(summary, 1, value);
  }
  std::string event = event_at(wall_time);
  put_key(event, 2, kVarint);
  put_varint(event, static_cast<uint64_t>(step));
  put_bytes(event, 5, summary);
  return record_of(event);
}

bool begins_with_version(std::string_view bytes) {
  double wall_time = 0;
  constexpr size_t kTimeAt = 8 + 4 + 1;  // after the length, its CRC and the key of the field
  const bool has_time = bytes.size() >= kTimeAt + sizeof wall_time;
  if (has_time) std::memcpy(&wall_time, bytes.data() + kTimeAt, sizeof wall_time);
  const std::string record = version_record(wall_time);
  return record.starts_with(bytes.substr(0, has_time ? record.size() : kTimeAt));
}

}  // namespace cutset
