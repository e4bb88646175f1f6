// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/wire.h"

#include <array>
#include <cstddef>

namespace cutset::fuzz {
namespace {

bool read_number(std::string_view& bytes, uint64_t& number) {
  number = 0;
  for (uint32_t shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    number |= static_cast<uint64_t>(byte & 127) << shift;
    if (byte < 128) return true;
  }
  return false;
}

void append_number(std::string& bytes, uint64_t number) {
  for (; number > 127; number >>= 7) bytes += static_cast<char>((number & 127) | 128);
  bytes += static_cast<char>(number);
}

uint64_t edge(PhiloxSequence& random) {
  static constexpr std::array<int64_t, 20> kEdges = {0,         1,         -1,        2,         3,
                                                     -2,        7,         127,       128,       255,
                                                     65536,     INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN,
                                                     1LL << 20, 1LL << 24, 1LL << 32, 1LL << 40, 1LL << 48};
  return static_cast<uint64_t>(kEdges[random.below(kEdges.size())]);
}

// All fields of a message, of messages in it and so on.
void collect(std::vector<WireField>& fields, std::vector<WireField*>& all) {
  for (WireField& f : fields) {
    all.push_back(&f);
    collect(f.fields, all);
  }
}

void mutate_bytes(std::string& bytes, PhiloxSequence& random) {
  if (bytes.empty() || random.below(6) == 0) {
    bytes = random.below(2) ? "" : std::string(1 + random.below(12), static_cast<char>(random.below(256)));
    return;
  }
  const size_t at = random.below(bytes.size());
  switch (random.below(4)) {
    case 0:
      bytes[at] = static_cast<char>(random.below(256));
      break;
    case 1:
      bytes.resize(at);
      break;
    case 2:
      bytes.insert(at, bytes);
      break;
    default:  // an element of 8 bytes, as of a list of sizes
      for (uint64_t i = 0, v = edge(random); i < 8 && at / 8 * 8 + i < bytes.size(); ++i, v >>= 8)
        bytes[at / 8 * 8 + i] = static_cast<char>(v & 255);
  }
}

}  // namespace

bool read_fields(std::string_view bytes, std::vector<WireField>& fields, int depth) {
  while (!bytes.empty()) {
    uint64_t key = 0, size = 0;
    if (!read_number(bytes, key) || key >> 3 == 0 || key >> 32 != 0) return false;
    WireField f{.number = static_cast<uint32_t>(key >> 3), .kind = static_cast<uint32_t>(key & 7)};
    if (f.kind == 0) {
      if (!read_number(bytes, f.value)) return false;
    } else {
      if (f.kind == 2 && !read_number(bytes, size)) return false;
      if (f.kind == 1 || f.kind == 5) size = f.kind == 1 ? 8 : 4;
      if ((f.kind != 1 && f.kind != 2 && f.kind != 5) || size > bytes.size()) return false;
      f.bytes = bytes.substr(0, size);
      bytes.remove_prefix(size);
      f.is_message = f.kind == 2 && size > 1 && depth < 12 && read_fields(f.bytes, f.fields, depth + 1);
      if (!f.is_message) f.fields.clear();
    }
    fields.push_back(std::move(f));
  }
  return true;
}

std::string bytes_of(const std::vector<WireField>& fields) {
  std::string bytes;
  for (const WireField& f : fields) {
    append_number(bytes, uint64_t{f.number} << 3 | f.kind);
    if (f.kind == 0) {
      append_number(bytes, f.value);
      continue;
    }
    const std::string inner = f.is_message ? bytes_of(f.fields) : f.bytes;
    if (f.kind == 2) append_number(bytes, inner.size());
    bytes += inner;
  }
  return bytes;
}

void mutate(std::vector<WireField>& fields, const std::vector<WireField>& other, PhiloxSequence& random) {
  std::vector<WireField*> all;
  collect(fields, all);
  if (all.empty()) return;
  WireField& f = *all[random.below(all.size())];
  switch (random.below(7)) {
    case 0:  // a copy of a field of the other message
      if (std::vector<WireField> copy = other; !copy.empty()) {
        std::vector<WireField*> from;
        collect(copy, from);
        const WireField taken = *from[random.below(from.size())];
        if (f.is_message)
          f.fields.push_back(taken);
        else
          fields.push_back(taken);
      }
      break;
    case 1:  // another field of the message
      f = WireField(*all[random.below(all.size())]);
      break;
    case 2:
      if (f.is_message && !f.fields.empty())
        f.fields.erase(f.fields.begin() + static_cast<std::ptrdiff_t>(random.below(f.fields.size())));
      break;
    case 3:
      if (f.is_message && !f.fields.empty())
        f.fields.push_back(WireField(f.fields[random.below(f.fields.size())]));
      break;
    default:
      if (f.kind == 0)
        f.value = random.below(3) ? edge(random) : f.value + random.below(5) - 2;
      else if (!f.is_message)
        mutate_bytes(f.bytes, random);
      else if (random.below(20) == 0)
        f.number = static_cast<uint32_t>(1 + random.below(20));
  }
}

}  // namespace cutset::fuzz
