// SPDX-License-Identifier: Apache-2.0
// How commands get into streams, and how streams are ordered. The caller holds the lock of the driver double.
#pragma once
#include "tests/cuda/driver/captures.h"

namespace cutset::cuda::doubles {

// Returns the stream behind a handle; null stands for the null stream of the current context. Throws Failure
// if the handle is not a stream.
Stream_t& stream_of(Stream stream);
// Like stream_of, but the stream must belong to the current context.
Stream_t& current_stream(Stream stream);

// Appends a command that also runs after `after`, or adds it to the capture of the stream. Throws Failure if
// the null stream cannot be used because of a capture.
void append(Stream_t& stream, Work work, std::vector<CommandPointer> after = {});
// Runs all commands of a stream, and those of other streams with which the null stream is ordered.
void finish(Stream_t& stream);
// Appends all nodes of a graph; they run in any order that their dependencies allow.
void append_graph(Stream_t& stream, GraphRun_t& run);

// Lanes of streams that were destroyed are used again.
Lane* take_lane();

}  // namespace cutset::cuda::doubles
