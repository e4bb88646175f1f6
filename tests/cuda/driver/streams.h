// SPDX-License-Identifier: Apache-2.0
// Appends commands to streams, and orders streams. The caller holds the lock of the driver double.
#pragma once
#include "tests/cuda/driver/captures.h"

namespace cutset::cuda::doubles {

// Returns the stream of a handle; null stands for the null stream of the current context. Throws Failure if
// the handle is not a stream.
Stream_t& stream_of(Stream stream);
// Does the same, but the stream must belong to the current context.
Stream_t& current_stream(Stream stream);

// Appends a command that also waits for the commands `after`, or adds it to the capture of the stream. Throws
// Failure if the null stream cannot be used because of a capture.
void append(Stream_t& stream, Work work, std::vector<CommandPointer> after = {});
// Runs all commands of a stream. If it is the null stream, also runs the commands of all streams that are
// ordered with it.
void finish(Stream_t& stream);
// Appends all nodes of a graph; they run in any order that their dependencies allow.
void append_graph(Stream_t& stream, GraphRun_t& run);

// Returns a lane for a new stream. Lanes of streams that were destroyed are used again.
Lane* take_lane();

}  // namespace cutset::cuda::doubles
