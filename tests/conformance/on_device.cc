#include "tests/conformance/on_device.h"

#include <cmath>
#include <numeric>
#include <type_traits>

#include "frontends/cpp/failure.h"
#include "ir/core/philox.h"
#include "runtime/device/device.h"
#include "runtime/verify/reference.h"

namespace cutset::testing {

std::vector<std::string> kinds_here() {
  std::vector<std::string> kinds;
  for (const BackendReport& r : report_backends())
    if (r.missing.empty()) kinds.push_back(r.kind);
  return kinds;
}

std::unique_ptr<OpenDevice> open_device(const std::string& kind) {
  return check(OpenDevice::open(check(describe_devices({.devices = kind + ":0"}))[0]));
}

static void fill(HostTensor& t, const Fill& how, PhiloxSequence& random) {
  const int64_t n = t.type().elements();
  std::vector<int64_t> permutation(static_cast<size_t>(n));
  std::iota(permutation.begin(), permutation.end(), int64_t{0});
  for (int64_t i = n - 1; i > 0; --i) std::swap(permutation[size_t(i)], permutation[random.below(uint64_t(i) + 1)]);
  for (int64_t i = 0; i < n; ++i) {
    double v = 0;
    switch (how.kind) {
      case Fill::Kind::kNormal:
        v = random.normal();
        break;
      case Fill::Kind::kUniform:
        v = how.low + (how.high - how.low) * random.unit();
        break;
      case Fill::Kind::kIntegers:
        v = how.low + static_cast<double>(random.below(static_cast<uint64_t>(how.high - how.low)));
        break;
      case Fill::Kind::kDistinct:
        v = (static_cast<double>(permutation[size_t(i)]) - static_cast<double>(n) / 2 + 0.25) * 0.01;
        break;
    }
    check(dispatch_all(t.type().dtype, [&]<class T>(T) {
      // Converting a negative double to an unsigned type is undefined behaviour, so v is first converted to int64_t.
      t.as<T>()[i] = static_cast<T>(std::is_unsigned_v<T> && !std::is_same_v<T, bool>
                                        ? static_cast<double>(static_cast<T>(static_cast<int64_t>(v)))
                                        : v);
    }));
  }
}

std::vector<HostTensor> draw(const Case& c, uint64_t seed) {
  PhiloxSequence random(seed, 77);
  std::vector<HostTensor> in;
  for (const Operand& o : c.operands) fill(in.emplace_back(o.type), o.fill, random);
  return in;
}

Result<std::vector<HostTensor>> run_reference(const OpInfo& op, const Case& c, const std::vector<HostTensor>& in) {
  return run_reference_kernel(op, c.attributes, in);
}

Result<std::vector<HostTensor>> run_on(OpenDevice& device, const OpInfo& op, const Case& c,
                                       const std::vector<HostTensor>& in, std::string* kernel_name) {
  struct Problem {
    FlatAttrs attributes;
    std::unique_ptr<AbiProblem> abi;
  };
  auto problem = std::make_shared<Problem>();
  CUTSET_ASSIGN(problem->attributes, FlatAttrs::pack(op.schema, c.attributes));
  const FlatAttrs& attributes = problem->attributes;
  Types types;
  for (const HostTensor& t : in) types.push_back(t.type());
  CUTSET_ASSIGN(Types results, op.infer(attributes.data(), types));
  CUTSET_ASSIGN(KernelChoice choice, device.description().choose(op, attributes.data(), types, results));
  *kernel_name = choice.kernel->name;
  problem->abi = std::make_unique<AbiProblem>(op, attributes.data(), types, results);
  const cutset_backend& api = device.api();
  CUTSET_ASSIGN(cutset_queue queue, device.queue());
  // A slice does not begin at the start of its buffer, so that a kernel that ignores the offset is found.
  auto place = [&](uint64_t bytes) -> Result<cutset_slice> {
    CUTSET_ASSIGN(cutset_buffer b, device.own().allocate(device.alignment() + bytes));
    return cutset_slice{b, device.alignment(), bytes};
  };
  std::vector<cutset_slice> from, to;
  for (size_t i = 0; i < in.size(); ++i) {
    from.push_back({});
    if (op.reads_type_only(i)) continue;
    CUTSET_ASSIGN(from.back(), place(in[i].bytes().size()));
    CUTSET_TRY(device.status(api.write(queue, &from.back(), in[i].data())));
  }
  std::vector<HostTensor> out;
  for (const TensorType& t : results) {
    out.emplace_back(t);
    CUTSET_ASSIGN(cutset_slice slice, place(out.back().bytes().size()));
    to.push_back(slice);
  }
  CUTSET_ASSIGN(uint64_t bytes, device.description().scratch(choice.kernel, op, attributes.data(), types, results));
  CUTSET_ASSIGN(const Handles::Prepared made, device.own().prepare(choice.kernel, problem->abi->get(), problem));
  if (made.scratch_bytes > bytes)
    return execution_failed(*kernel_name + ": the plan needs " + std::to_string(made.scratch_bytes) +
                            " bytes of scratch memory, and the description says " + std::to_string(bytes));
  CUTSET_ASSIGN(const cutset_slice scratch, place(bytes));
  const cutset_run run = {.size = sizeof run, .step = 1};
  CUTSET_TRY(device.status(choice.kernel->enqueue(queue, made.plan, from.data(), to.data(), &scratch, &run)));
  for (size_t i = 0; i < out.size(); ++i) CUTSET_TRY(device.status(api.read(queue, &to[i], out[i].data())));
  CUTSET_TRY(device.status(api.finish(queue)));
  return out;
}

std::string compare(const std::vector<HostTensor>& got, const std::vector<HostTensor>& want, const Case& c) {
  for (size_t r = 0; r < want.size(); ++r) {
    if (got[r].type() != want[r].type())
      return "result " + std::to_string(r) + " is " + to_string(got[r].type()) + ", not " + to_string(want[r].type());
    double largest = 0;
    const int64_t n = want[r].type().elements();
    for (int64_t i = 0; i < n; ++i)
      if (std::isfinite(want[r].at(i))) largest = std::max(largest, std::abs(want[r].at(i)));
    const double bound = c.absolute + c.relative * largest;
    for (int64_t i = 0; i < n; ++i) {
      const double g = got[r].at(i), w = want[r].at(i);
      const bool same = (std::isnan(g) && std::isnan(w)) || g == w || std::abs(g - w) <= bound;
      if (!same)
        return "element " + std::to_string(i) + " of result " + std::to_string(r) + " is " + std::to_string(g) +
               ", not " + std::to_string(w) + " within " + std::to_string(bound);
    }
  }
  return "";
}

}  // namespace cutset::testing
