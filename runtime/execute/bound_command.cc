// SPDX-License-Identifier: Apache-2.0
#include "runtime/execute/bound_command.h"

#include "runtime/execute/landing.h"

namespace cutset {

namespace {

// Enqueues a command of each kind. A null pointer means success.
struct Enqueue {
  const OpenDevice& device;
  cutset_queue queue;
  const Run& of;
  const cutset_backend& api = device.api();

  Status operator()(const bound::RunKernel& c) const {
    const cutset_run run = {.size = sizeof run, .step = of.step};
    return device.status(c.kernel->enqueue(queue, c.plan, c.in, c.out, c.scratch, &run));
  }
  Status operator()(const bound::CopyBuffer& c) const {
    return device.status(api.copy(queue, &c.from, &c.to));
  }
  Status operator()(const bound::ReadInput& c) const {
    if (c.landing && *c.landing) return device.status(api.copy(queue, &(*c.landing)->slice(c.part), &c.to));
    if (!c.staging)
      return device.status(api.write(queue, &c.to, static_cast<const char*>(*c.input) + c.rows.offset));
    // The copy of the last step is done, because a step ends with `finish`.
    copy_rows_from(c.rows, *c.input, c.staging);
    return device.status(api.write(queue, &c.to, c.staging));
  }
  Status operator()(const bound::WriteOutput& c) const {
    if (!c.staging)
      return device.status(api.read(queue, &c.from, static_cast<char*>(*c.output) + c.rows.offset));
    CUTSET_TRY(fetch(c.from, c.staging));
    copy_rows_to(c.rows, c.staging, *c.output);
    return {};
  }
  Status operator()(const bound::Send& c) const {
    CUTSET_TRY(fetch(c.from, c.link->staging(c.slot)));
    c.link->post(c.slot, of_run(c.header));
    return {};
  }
  Status operator()(const bound::Receive& c) const {
    // The error of `write` already names the device, so on_device() must not see the error.
    Status written;
    const auto write = [&] {
      written = device.status(api.write(queue, &c.to, c.link->staging(c.slot)));
      return Status();
    };
    CUTSET_TRY(on_device(c.link->take(c.slot, of_run(c.header), deadline(), std::ref(write))));
    return written;
  }
  Status operator()(const bound::StartAllReduce& c) const {
    CUTSET_TRY(fetch(c.from, c.group->staging(c.partial)));
    c.group->start(c.partial, of_run(c.header));
    return {};
  }
  Status operator()(const bound::AwaitAllReduce& c) const {
    CUTSET_TRY(on_device(c.group->wait(of_run(c.header), deadline())));
    return device.status(api.write(queue, &c.to, c.group->sum()));
  }
  Status operator()(const bound::SignalEvent& c) const {
    return device.status(api.signal(queue, c.event, of.step));
  }
  Status operator()(const bound::AwaitEvent& c) const {
    return device.status(api.wait(queue, c.event, of.step));
  }

 private:
  // Copies a slice to host memory, and waits until it is there.
  Status fetch(const cutset_slice& from, void* to) const {
    CUTSET_TRY(device.status(api.read(queue, &from, to)));
    return device.status(api.finish(queue));
  }
  MessageHeader of_run(MessageHeader header) const {
    header.step = of.step;
    header.epoch = of.epoch;
    return header;
  }
  Clock::Time deadline() const {
    return of.peer_timeout == Clock::kNever ? Clock::kNever : of.clock->after(of.peer_timeout);
  }
  // Adds the name of the device to the error of a wait.
  Status on_device(Status status) const {
    if (status.ok()) return status;
    Failure e = status.error();
    e.what = device.description().name() + ": " + e.what;
    return e;
  }
};

}  // namespace

Status run_command(const OpenDevice& device, cutset_queue queue, const BoundCommand& command,
                   const Run& run) {
  return named_failure(std::visit(Enqueue{device, queue, run}, command.command), command);
}

Status named_failure(Status status, const BoundCommand& command) {
  if (status.ok()) return status;
  Failure e = status.error();
  if (command.source && !command.source->op().empty())
    e.what = "'" + command.source->op() + "'" +
             (command.source->layer().empty() ? "" : " of " + command.source->layer()) + ": " + e.what;
  if (command.source) e.source = command.source->source();
  return e;
}

}  // namespace cutset
