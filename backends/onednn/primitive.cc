// SPDX-License-Identifier: Apache-2.0
#include "backends/onednn/primitive.h"

#include "ir/core/half.h"

// The interface of libgomp, GCC's OpenMP runtime, which oneDNN uses. It is called directly, because clang
// compiles an `omp parallel` into calls of another OpenMP runtime.
extern "C" {
void omp_set_num_threads(int);
int omp_get_max_threads();
int omp_get_thread_num();
int omp_get_num_threads();
void GOMP_parallel(void (*)(void*), void*, unsigned, unsigned);
}

// ThreadSanitizer does not see libgomp's barriers. In builds with ThreadSanitizer, these calls report the
// order that the barriers establish.
#if defined(__SANITIZE_THREAD__)
#define CUTSET_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define CUTSET_TSAN 1
#endif
#endif
#ifdef CUTSET_TSAN
extern "C" void __tsan_acquire(void*);
extern "C" void __tsan_release(void*);
static void acquire_from_team(void* p) { __tsan_acquire(p); }
static void release_to_team(void* p) { __tsan_release(p); }
#else
static void acquire_from_team(void*) {}
static void release_to_team(void*) {}
#endif

namespace cutset::onednn {

const dnnl::engine& engine() {
  static const dnnl::engine cpu = [] {
    // oneDNN caches the generated code of this many primitives. Its default is 1024 primitives of about 50
    // KiB each. A session with many batch sizes would fill such a cache.
    dnnl::set_primitive_cache_capacity(256);
    return dnnl::engine(dnnl::engine::kind::cpu, 0);
  }();
  return cpu;
}

dnnl_stream_t stream() {
  static thread_local dnnl::stream of_thread(engine());
  return of_thread.get();
}

UseThreads::UseThreads(const cutset_device_info& info) : before_(omp_get_max_threads()), now_(info.threads) {
  if (now_ != before_) omp_set_num_threads(now_);
}
UseThreads::~UseThreads() {
  if (now_ != before_) omp_set_num_threads(before_);
}

void run_team(cutset_queue queue, void (*member)(void*, int64_t, int64_t), void* data) {
  struct Call {
    void (*member)(void*, int64_t, int64_t);
    void* data;
  } call{member, data};
  release_to_team(&call);
  GOMP_parallel(
      [](void* c) {
        acquire_from_team(c);
        auto& call = *static_cast<Call*>(c);
        call.member(call.data, omp_get_thread_num(), omp_get_num_threads());
        release_to_team(c);
      },
      &call, static_cast<unsigned>(abi::host(queue)->device->info.threads), 0);
  acquire_from_team(&call);
}

static dnnl::memory::dims dims_of(std::span<const int64_t> shape) {
  return shape.empty() ? dnnl::memory::dims{1} : dnnl::memory::dims(shape.begin(), shape.end());
}

dnnl::memory::desc plain(std::span<const int64_t> shape) {
  const auto dims = dims_of(shape);
  dnnl::memory::dims strides(dims.size(), 1);
  for (size_t i = dims.size(); i-- > 1;) strides[i - 1] = strides[i] * dims[i];
  return {dims, dnnl::memory::data_type::f32, strides};
}

dnnl::memory::desc any(std::span<const int64_t> shape) {
  return {dims_of(shape), dnnl::memory::data_type::f32, dnnl::memory::format_tag::any};
}

Chain::Memory Chain::take(const dnnl::memory::desc& layout) {
  constexpr uint64_t kAlign = abi::kHostAlignment;
  const Place place{Place::Kind::kScratch, used_};
  used_ += (layout.get_size() + kAlign - 1) / kAlign * kAlign;
  return {layout, place};
}

void Chain::append(dnnl::primitive primitive, const std::map<int, Memory>& arguments) {
  Step step{std::move(primitive), {}, {}, {}, {}};
  for (const auto& [name, memory] : arguments) {
    step.memories.emplace_back(memory.layout, engine(), nullptr);
    step.places.push_back(memory.place);
    step.addresses.push_back(nullptr);
    step.arguments.push_back({name, step.memories.back().get()});
  }
  steps_.push_back(std::move(step));
}

void Chain::add_reorder(const Memory& from, const Memory& to) {
  dnnl::reorder::primitive_desc pd(engine(), from.layout, engine(), to.layout, user_scratchpad());
  append(dnnl::reorder(pd),
         {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}, {DNNL_ARG_SCRATCHPAD, take(pd.scratchpad_desc())}});
}

void Chain::add_primitive(dnnl::primitive primitive, const dnnl::memory::desc& scratchpad,
                          const std::vector<Argument>& arguments) {
  std::map<int, Memory> bound;
  std::vector<std::pair<Memory, Memory>> after;
  for (const Argument& a : arguments) {
    const Memory outside{a.of_tensor, a.place};
    if (a.of_primitive == a.of_tensor) {
      bound.emplace(a.name, outside);
      continue;
    }
    const Memory inside = take(a.of_primitive);
    if (a.place.kind == Place::Kind::kOut)
      after.emplace_back(inside, outside);
    else
      add_reorder(outside, inside);
    bound.emplace(a.name, inside);
  }
  bound.emplace(DNNL_ARG_SCRATCHPAD, take(scratchpad));
  append(std::move(primitive), bound);
  for (auto& [from, to] : after) add_reorder(from, to);
}

void Chain::run(cutset_queue queue, const abi::Operands& at, size_t first, size_t last) {
  auto address_of = [&](const Place& place) -> void* {
    switch (place.kind) {
      case Place::Kind::kIn:
        return abi::address(at.in[place.index]);
      case Place::Kind::kOut:
        return abi::address(at.out[place.index]);
      case Place::Kind::kScratch:
        break;
    }
    auto* scratch = static_cast<char*>(abi::address(*at.scratch));
    return scratch ? scratch + place.index : nullptr;  // a chain without scratch memory has only empty blocks
  };
  auto check = [](dnnl_status_t status, const char* what) {
    if (status != dnnl_success)
      throw abi::Exception(
          status == dnnl_out_of_memory ? CUTSET_OUT_OF_MEMORY : CUTSET_FAILED,
          std::string("oneDNN cannot ") + what + ": status " + std::to_string(static_cast<int>(status)));
  };
  UseThreads threads(abi::host(queue)->device->info);
  dnnl_stream_t on = stream();
  for (size_t step = first; step < last; ++step) {
    Step& s = steps_[step];
    for (size_t i = 0; i < s.memories.size(); ++i)
      if (void* address = address_of(s.places[i]); address != s.addresses[i]) {
        check(dnnl_memory_set_data_handle(s.memories[i].get(), address), "bind a tensor");
        s.addresses[i] = address;
      }
    check(dnnl_primitive_execute(s.primitive.get(), on, static_cast<int>(s.arguments.size()),
                                 s.arguments.data()),
          "run a primitive");
  }
}

HalfConversion::HalfConversion(cutset_device, const std::vector<abi::FloatProblem::Half>& halves,
                               bool results) {
  for (const abi::FloatProblem::Half& h : halves)
    if (h.result == results) halves_.push_back(h);
}
void HalfConversion::enqueue(cutset_queue queue, const cutset_slice* from, const cutset_slice* to,
                             const cutset_run*) {
  for (size_t i = 0; i < halves_.size(); ++i) {
    void *x = abi::address(from[i]), *y = abi::address(to[i]);
    const auto& [result, index, type, elements, offset] = halves_[i];
    parallel_for(queue, elements, [&, result = result, type = type](int64_t first, int64_t last) {
      if (result)
        to_halves(static_cast<const float*>(x) + first, static_cast<uint16_t*>(y) + first, last - first,
                  type);
      else
        from_halves(static_cast<const uint16_t*>(x) + first, static_cast<float*>(y) + first, last - first,
                    type);
    });
  }
}

}  // namespace cutset::onednn
