// SPDX-License-Identifier: Apache-2.0
#include "runtime/kernels/conformance.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <type_traits>

#include "ir/core/half.h"
#include "ir/core/philox.h"
#include "runtime/files/numbers.h"
#include "runtime/kernels/half_cases.h"
#include "runtime/kernels/run_reference.h"

namespace cutset {
namespace {

// Draws element `i`. Only kDistinct uses `permutation`, which holds 0 to n - 1 in random order.
double draw_element(const Fill& how, PhiloxSequence& random, const std::vector<int64_t>& permutation,
                    size_t i) {
  switch (how.kind) {
    case Fill::Kind::kNormal:
      return random.normal();
    case Fill::Kind::kUniform:
      return how.low + (how.high - how.low) * random.unit();
    case Fill::Kind::kIntegers:
      return how.low + static_cast<double>(random.below(static_cast<uint64_t>(how.high - how.low)));
    case Fill::Kind::kDistinct:
      return (static_cast<double>(permutation[i]) - static_cast<double>(permutation.size()) / 2 + 0.25) *
             0.01;
  }
  return 0;  // there is no other kind
}

void fill(HostTensor& t, const Fill& how, PhiloxSequence& random) {
  const int64_t n = t.type().elements();
  std::vector<int64_t> permutation;
  if (how.kind == Fill::Kind::kDistinct) {
    permutation.resize(static_cast<size_t>(n));
    std::iota(permutation.begin(), permutation.end(), int64_t{0});
    for (size_t i = permutation.size(); i > 1; --i)
      std::swap(permutation[i - 1], permutation[random.below(i)]);
  } else {
    // Draws as many numbers as a permutation takes, so that the numbers of the other operands do not depend
    // on the kind of this operand.
    for (int64_t i = 1; i < n; ++i) random.below(1);
  }
  for (int64_t i = 0; i < n; ++i) {
    const double v = draw_element(how, random, permutation, static_cast<size_t>(i));
    if (is_half(t.type().dtype)) {
      t.as<uint16_t>()[i] = to_half(v, t.type().dtype);
      continue;
    }
    // Every other type has a C++ type, so the dispatch does not fail.
    (void)dispatch_all(t.type().dtype, [&]<class T>(T) {
      // Converting a negative double to an unsigned type is undefined behaviour, so v is first converted to
      // int64_t.
      if constexpr (std::is_unsigned_v<T> && !std::is_same_v<T, bool>)
        t.as<T>()[i] = static_cast<T>(static_cast<int64_t>(v));
      else
        t.as<T>()[i] = static_cast<T>(v);
    });
  }
}

// The slices of one run, and the memory that the run owns until it ends.
struct Memory {
  OpenDevice& device;
  Handles owner{device};

  // Returns a slice that does not begin at the start of its buffer, so that a kernel that ignores the offset
  // is found.
  Result<cutset_slice> place(uint64_t bytes) {
    CUTSET_ASSIGN(cutset_buffer b, owner.allocate(device.alignment() + bytes));
    return cutset_slice{b, device.alignment(), bytes};
  }
};

}  // namespace

bool has_kernel(const cutset_backend& backend, const OpInfo& op) {
  return std::any_of(backend.kernels, backend.kernels + backend.kernel_count,
                     [&](const cutset_kernel* k) { return std::string_view(k->op) == op.name; });
}

std::vector<HostTensor> draw_operands(const Case& c, uint64_t seed) {
  PhiloxSequence random(seed, 77);
  std::vector<HostTensor> in;
  for (const Operand& o : c.operands) fill(in.emplace_back(o.type), o.fill, random);
  return in;
}

namespace {

// A case with its problem.
struct OwnedCase {
  Types in, out;
  std::shared_ptr<const OwnedProblem> problem;
};
Result<OwnedCase> own_case(const OpInfo& op, const Case& c, const std::vector<HostTensor>& in) {
  OwnedCase owned;
  owned.in = types_of(in);
  CUTSET_ASSIGN(const FlatAttrs attributes, FlatAttrs::pack(op.schema, c.attributes));
  CUTSET_ASSIGN(owned.out, op.infer(attributes.data(), owned.in));
  CUTSET_ASSIGN(owned.problem, own_problem(op, c.attributes, owned.in, owned.out));
  return owned;
}

// Runs a plan of `memory.owner` on new memory, including `scratch_bytes` bytes of scratch memory.
Result<std::vector<HostTensor>> run_plan(Memory& memory, cutset_queue queue, const OpInfo& op,
                                         const PreparedKernel& prepared, uint64_t scratch_bytes,
                                         const Types& results, const std::vector<HostTensor>& in) {
  OpenDevice& device = memory.device;
  std::vector<cutset_slice> from, to;
  for (size_t i = 0; i < in.size(); ++i) {
    from.push_back({});
    if (op.reads_type_only(i)) continue;
    CUTSET_ASSIGN(from.back(), memory.place(in[i].bytes().size()));
    CUTSET_TRY(device.write_now(queue, from.back(), in[i].data()));
  }
  std::vector<HostTensor> out;
  for (const TensorType& t : results) {
    out.emplace_back(t);
    CUTSET_ASSIGN(cutset_slice slice, memory.place(out.back().bytes().size()));
    to.push_back(slice);
  }
  if (prepared.scratch_bytes > scratch_bytes)
    return execution_failed(
        std::string(prepared.kernel->name) + ": the plan needs " + std::to_string(prepared.scratch_bytes) +
        " bytes of scratch memory, and the description says " + std::to_string(scratch_bytes));
  CUTSET_ASSIGN(const cutset_slice scratch, memory.place(scratch_bytes));
  const cutset_run run = {.size = sizeof run, .step = 1};
  const auto enqueue_and_read = [&]() -> Status {
    CUTSET_TRY(device.status(
        prepared.kernel->enqueue(queue, prepared.plan, from.data(), to.data(), &scratch, &run)));
    for (size_t i = 0; i < out.size(); ++i)
      CUTSET_TRY(device.status(device.api().read(queue, &to[i], out[i].data())));
    return {};
  };
  const Status enqueued = enqueue_and_read();
  const Status finished = device.status(device.api().finish(queue));  // always, before the memory is released
  CUTSET_TRY(enqueued);
  CUTSET_TRY(finished);
  return out;
}

}  // namespace

Result<std::vector<HostTensor>> run_op(OpenDevice& device, cutset_queue queue, const OpInfo& op,
                                       const Case& c, const std::vector<HostTensor>& in,
                                       std::string* kernel_name, std::vector<PassedOver>* passed_over) {
  CUTSET_ASSIGN(const OwnedCase owned, own_case(op, c, in));
  const void* attributes = owned.problem->attributes.data();
  CUTSET_ASSIGN(const KernelChoice choice, device.description().choose(op, attributes, owned.in, owned.out));
  *kernel_name = choice.kernel->name;
  CUTSET_ASSIGN(const uint64_t bytes,
                device.description().scratch(choice.kernel, op, attributes, owned.in, owned.out));
  Memory memory{device};
  std::vector<PassedOver> ignored;
  CUTSET_ASSIGN(const PreparedKernel prepared,
                prepare_problem(device, memory.owner, choice.kernel, owned.problem, any_kernel,
                                passed_over ? *passed_over : ignored));
  *kernel_name = prepared.kernel->name;
  return run_plan(memory, queue, op, prepared, bytes, owned.out, in);
}

Result<std::vector<HostTensor>> run_kernel(OpenDevice& device, cutset_queue queue, const OpInfo& op,
                                           const cutset_kernel* kernel, const Case& c,
                                           const std::vector<HostTensor>& in) {
  CUTSET_ASSIGN(const OwnedCase owned, own_case(op, c, in));
  CUTSET_TRY(device.description().supports(kernel, *owned.problem->abi.get()));
  CUTSET_ASSIGN(const uint64_t bytes, device.description().scratch(
                                          kernel, op, owned.problem->attributes.data(), owned.in, owned.out));
  Memory memory{device};
  CUTSET_ASSIGN(const Handles::Prepared prepared, memory.owner.prepare(kernel, owned.problem));
  return run_plan(memory, queue, op, {kernel, prepared.plan, prepared.scratch_bytes}, bytes, owned.out, in);
}

std::string compare_results(const std::vector<HostTensor>& got, const std::vector<HostTensor>& want,
                            const Case& c) {
  for (size_t r = 0; r < want.size(); ++r) {
    if (got[r].type() != want[r].type())
      return "result " + std::to_string(r) + " is " + to_string(got[r].type()) + ", not " +
             to_string(want[r].type());
    double largest = 0;
    const int64_t n = want[r].type().elements();
    const Numbers all_got(got[r]), all_want(want[r]);
    for (int64_t i = 0; i < n; ++i)
      if (std::isfinite(all_want[i])) largest = std::max(largest, std::abs(all_want[i]));
    const double bound = c.absolute + c.relative * largest;
    for (int64_t i = 0; i < n; ++i) {
      const double g = all_got[i], w = all_want[i];
      const bool same = (std::isnan(g) && std::isnan(w)) || g == w || std::abs(g - w) <= bound;
      if (!same)
        return "element " + std::to_string(i) + " of result " + std::to_string(r) + " is " +
               std::to_string(g) + ", not " + std::to_string(w) + " within " + std::to_string(bound);
    }
  }
  return "";
}

OpReport check_op(OpenDevice& device, cutset_queue queue, const OpInfo& op, int random,
                  const std::function<void(const std::string&)>& before) {
  OpReport report{.op = op.name};
  if (!has_kernel(device.api(), op)) {
    report.needs_kernel = op.needs_kernel();
    if (!report.needs_kernel) return report;
  }
  const OpCases cases = op.cases();
  std::vector<Case> all = cases.fixed;
  PhiloxSequence sequence(5);
  for (int i = 0; i < random; ++i) all.push_back(cases.random(sequence));
  for (Case& c : half_cases(op)) all.push_back(std::move(c));
  for (size_t i = 0; i < all.size(); ++i) {
    const Case& c = all[i];
    before(c.name);
    const auto fail = [&](const std::string& why) {
      if (report.failed++ == 0) report.first_failure = "case '" + c.name + "': " + why;
    };
    const std::vector<HostTensor> in = draw_operands(c, i);
    const auto want = run_reference_kernel(op, c.attributes, in);
    if (!want.ok()) {
      fail(want.error().text());
      continue;
    }
    std::string kernel, again_kernel;
    std::vector<PassedOver> passed_over;
    const auto got = run_op(device, queue, op, c, in, &kernel, &passed_over);
    for (auto& [why, wrong] : passed_over)
      if (std::find(report.passed_over.begin(), report.passed_over.end(), why) == report.passed_over.end())
        report.passed_over.push_back(std::move(why));
    if (!got.ok() && kernel.empty()) {
      if (report.refused++ == 0) report.first_refusal = "case '" + c.name + "': " + got.error().text();
      continue;
    }
    if ((" " + report.kernels + " ").find(" " + kernel + " ") == std::string::npos)
      report.kernels += (report.kernels.empty() ? "" : " ") + kernel;
    if (!got.ok()) {
      fail(got.error().text());
    } else if (const std::string difference = compare_results(*got, *want, c); !difference.empty()) {
      fail(difference);
    } else if (const auto again = run_op(device, queue, op, c, in, &again_kernel);
               !again.ok() || *again != *got) {
      fail(again.ok() ? "two runs give different bits" : again.error().text());
    } else {
      ++report.passed;
    }
  }
  return report;
}

}  // namespace cutset
