// SPDX-License-Identifier: Apache-2.0
// The records of event files, which TensorBoard shows.
//
// An event file is a sequence of TFRecords (tensorflow/core/lib/io/record_writer.h): the length of the data
// as 64 bits, the masked CRC-32C of the length, the data, and the masked CRC-32C of the data, all
// little-endian. The data is an `Event` in the wire format of protocol buffers, with these fields
// (tensorflow/core/util/event.proto and tensorflow/core/framework/summary.proto):
//
//   Event         1: double wall_time   2: int64 step   3: string file_version   5: Summary summary
//   Summary       1: Value value, repeated
//   Summary.Value 1: string tag         2: float simple_value
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cutset {

// Returns the record with which an event file begins. `wall_time` is in seconds since 1970.
std::string version_record(double wall_time);
// Returns the record of an event that gives each tag a value for a step.
std::string scalars_record(double wall_time, int64_t step,
                           const std::vector<std::pair<std::string, double>>& values);
// Whether `bytes` begin with a record that version_record() may have made at any time. If there are fewer
// bytes: whether they are the beginning of such a record.
bool begins_with_version(std::string_view bytes);

}  // namespace cutset
