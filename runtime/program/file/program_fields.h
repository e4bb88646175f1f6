// SPDX-License-Identifier: Apache-2.0
// Lists the fields of a Program in the order in which a program file stores them. Reading and writing share
// these lists: `a(x, y, ...)` of an archive either reads or writes the fields. A change of a list needs a new
// kProgramFileVersion.
#pragma once
#include "runtime/program/program.h"

namespace cutset {

template <class A, class T>
void fields(A& a, Id<T>& id) {
  a(id.value);
}
template <class A, class T>
void fields(A& a, Table<T>& t) {
  a(static_cast<std::vector<T>&>(t));
}
template <class A>
void fields(A& a, IntList& l) {
  a(static_cast<std::vector<int64_t>&>(l));
}
template <class A>
void fields(A& a, FloatList& l) {
  a(static_cast<std::vector<double>&>(l));
}
template <class A>
void fields(A& a, TensorType& t) {
  a(t.dtype, t.shape);
}
template <class A>
void fields(A& a, Piece& p) {
  a(p.layout, p.factor, p.index, p.count, p.unit);
}
template <class A>
void fields(A& a, ValueOrigin& m) {
  a(m.number, m.first, m.last, m.factor, m.layout, m.piece);
}
template <class A>
void fields(A& a, Buffer& b) {
  a(b.device, b.storage, b.offset, b.variable, b.constant, b.type, b.view_of, b.origin);
}
template <class A>
void fields(A& a, Frame& f) {
  a(f.buffers);
}
template <class A>
void fields(A& a, RunKernel& c) {
  a(c.kernel, c.attributes, c.operands, c.results);
}
template <class A>
void fields(A& a, CopyBuffer& c) {
  a(c.from, c.to);
}
template <class A>
void fields(A& a, FirstRow& r) {
  a(r.dimension, r.start);
}
template <class A>
void fields(A& a, ReadInput& c) {
  a(c.input, c.first, c.to);
}
template <class A>
void fields(A& a, WriteOutput& c) {
  a(c.output, c.first, c.from);
}
template <class A>
void fields(A& a, Send& c) {
  a(c.channel, c.from);
}
template <class A>
void fields(A& a, Receive& c) {
  a(c.channel, c.to);
}
template <class A>
void fields(A& a, StartAllReduce& c) {
  a(c.collective, c.partial, c.from, c.pieces);
}
template <class A>
void fields(A& a, AwaitAllReduce& c) {
  a(c.collective, c.to, c.pieces);
}
template <class A>
void fields(A& a, SignalEvent& c) {
  a(c.event);
}
template <class A>
void fields(A& a, AwaitEvent& c) {
  a(c.event);
}
template <class A>
void fields(A& a, CallRole& c) {
  a(c.role, c.arguments, c.shard, c.end);
}
template <class A>
void fields(A& a, InstructionNames& n) {
  a(n.op, n.layer, n.source, n.role, n.stage);
}
template <class A>
void fields(A& a, Instruction& i) {
  a(i.command, i.names);
}
template <class A>
void fields(A& a, Role& r) {
  a(r.name, r.device, r.shard, r.buffers, r.parameters, r.body);
}
template <class A>
void fields(A& a, Sequence& s) {
  a(s.compute, s.apply);
}
template <class A>
void fields(A& a, DevicePlan& d) {
  a(d.device, d.queues[0], d.queues[1], d.queues[2], d.events, d.arena_bytes, d.lower_bound_bytes);
}
template <class A>
void fields(A& a, Channel& c) {
  a(c.from, c.to, c.type, c.tensor);
}
template <class A>
void fields(A& a, Collective::Partial& p) {
  a(p.device, p.first, p.last);
}
template <class A>
void fields(A& a, Collective& c) {
  a(c.type, c.partials, c.tensor);
}
template <class A>
void fields(A& a, Port& p) {
  a(p.name, p.type, p.feed, p.initial, p.batch);
}
template <class A>
void fields(A& a, FiniteCheck::Tensor& t) {
  a(t.buffer, t.name);
}
template <class A>
void fields(A& a, FiniteCheck& c) {
  a(c.device, c.flag, c.tensors);
}
template <class A>
void fields(A& a, Function& f) {
  a(f.name, f.inputs, f.outputs, f.buffers, f.frames, f.roles, f.devices, f.channels, f.collectives, f.shards,
    f.checks, f.samples);
}
template <class A>
void fields(A& a, Variable& v) {
  a(v.name, v.type, v.homes, v.axis, v.pieces, v.piece_unit, v.state_of, v.first, v.starts_as_owner,
    v.drawn.op, v.drawn.attributes);
}
template <class A>
void fields(A& a, Constant& c) {
  a(c.type, c.bytes, c.device);
}
template <class A>
void fields(A& a, Program& p) {
  a(p.fingerprint, p.devices, p.variables, p.constants, p.functions);
}

}  // namespace cutset
