// SPDX-License-Identifier: Apache-2.0
// Messages of Protocol Buffers as trees, without their schema, so that a mutation of a field leaves the
// message well-formed.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ir/core/philox.h"

namespace cutset::fuzz {

// A field of a message. Bytes that can be read as a message have fields of their own.
struct WireField {
  uint32_t number = 0;
  uint32_t kind = 0;              // 0: a number, 1: 8 bytes, 2: bytes or a message, 5: 4 bytes
  uint64_t value = 0;             // kind 0: the number
  std::string bytes;              // kinds 1, 2 and 5, except messages: the bytes
  std::vector<WireField> fields;  // a message: its fields
  bool is_message = false;
};

// Reads the fields of a message. Returns false if the bytes are not a message.
bool read_fields(std::string_view bytes, std::vector<WireField>& fields, int depth = 0);
// The bytes of a message with these fields.
std::string bytes_of(const std::vector<WireField>& fields);
// Changes a field of the message or of a message in it: its number, text or place. `other` is a message from
// which a field may be copied.
void mutate(std::vector<WireField>& fields, const std::vector<WireField>& other, PhiloxSequence& random);

}  // namespace cutset::fuzz
