// SPDX-License-Identifier: Apache-2.0
// The rules for calls while streams are captured (CUDA Driver API, "Stream Management"; CUDA C++ Programming
// Guide, "Creating a Graph Using Stream Capture"). The caller holds the lock of the driver double.
//
// A call that is not allowed invalidates the captures that it concerns, and throws Failure.
#pragma once
#include "tests/cuda/driver/driver_call.h"

namespace cutset::cuda::doubles {

inline constexpr Status kIllegalState = 401;
inline constexpr Status kCaptureMerge = 902;
inline constexpr Status kCaptureUnmatched = 903;
inline constexpr Status kCapturedEvent = 907;
inline constexpr Status kCaptureWrongThread = 908;

// Refuses the call with `status` if the stream is captured.
void refuse_captured(Stream_t& stream, Status status = kCaptureUnsupported);
// Refuses a call that may wait for the device, such as an allocation, if a capture of the calling thread or a
// global capture forbids it.
void refuse_unsafe_call();
// Refuses a command on the null stream if it would wait for a captured stream.
void refuse_implicit_wait(const Stream_t& null_stream);

// Adds a node to the capture of a stream. The node becomes the stream's frontier.
void add_node(Stream_t& stream, Work work);
// Lets a stream wait for an event that was recorded in a capture, or lets a captured stream wait for any
// event.
void wait_in_capture(Stream_t& stream, const DriverEvent_t& event);
// Whether the event was recorded in a capture that has not ended.
bool is_captured(const DriverEvent_t& event);

void begin_capture(Stream_t& stream, int mode);
// Ends the capture and returns its nodes.
std::vector<Node> end_capture(Stream_t& stream);
// Removes a stream that is destroyed from its capture, which becomes invalid.
void leave_capture(Stream_t& stream);

}  // namespace cutset::cuda::doubles
