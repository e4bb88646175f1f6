// SPDX-License-Identifier: Apache-2.0
// The fourth check of a function, about memory:
// - Two instructions that access the same bytes are ordered if one of them writes.
// - A value is neither read before it is written, nor after other values were written to its memory.
// - A kernel overwrites an operand only if its op updates that operand.
//
// check/order.h defines the order. Memory is accessed as follows. Each instruction reads its operands and
// writes its results. An instruction with a bucket reads or writes the tensors of the bucket, and the bytes
// between the tensors belong only to this instruction. A tensor without elements has no bytes that could be
// accessed. The host reads the flags of finite checks when all
// queues have finished `compute`. A partial sum is copied to host memory by the instruction that starts the
// all_reduce, so no other device reads the memory of a device.
//
// A call of a role accesses what the instructions of its body access, in their order. No instruction of a
// body signals or waits, so the whole call has one place in the order.
//
// Method: the instructions of a device are visited in an order that the graph allows, each with its vector
// clock (Fidge 1988, Mattern 1989), and every byte of the arena keeps the unit of memory that was written
// there last. A write must be ordered after the last access of each queue to each unit that it overwrites.
// Earlier accesses of the queue are ordered before its last one.
#pragma once
#include "ir/core/result.h"
#include "runtime/program/check/order.h"

namespace cutset::checks {

// Fails with the first mistake that it finds, and names both instructions and buffers and the device. The
// function must have passed check_instructions, or come from the compiler, and `order` must be its order. It
// need not be expanded. It takes O(n log n + d s) time on d devices: n counts the instructions and their
// buffers, including the body of a role once per call, and s counts the instructions that signal, wait or
// transfer.
Status check_memory(const Function& function, const Order& order);

}  // namespace cutset::checks
