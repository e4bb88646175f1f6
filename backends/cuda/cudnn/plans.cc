// SPDX-License-Identifier: Apache-2.0
// Implements the table of plans.h with cuDNN's graph API. This is the only file that includes NVIDIA's header
// cudnn_frontend.h, because that header takes most of a minute to compile.
#include "backends/cuda/cudnn/plans.h"

#include <cudnn_frontend.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <vector>

#include "backends/cuda/cudnn/sizes.h"

namespace cudnn_frontend {
void* cudnn_dlhandle = nullptr;  // the header reads cuDNN's functions from this library
}

namespace cutset::cuda {

namespace fe = cudnn_frontend;

struct PlanDevice {
  int32_t capability = 0;
  cudnnHandle_t handle = nullptr;                    // null for a description
  std::shared_ptr<fe::DeviceProperties> properties;  // null for a GPU
  std::mutex mutex;                                  // held by a call that uses the handle
};

struct Plan {
  PlanDevice* device = nullptr;
  fe::graph::Graph graph;
  std::string engine;
  uint64_t workspace = 0;
  bool bias = false;
};

namespace {

enum Uid : int64_t { kX = 1, kFilter, kY, kBias };

// The engines with one of these notes are not used: they round operands to fewer bits than f32 has, or they
// transform the images, so that infinities and NaN spread.
const std::vector<fe::NumericalNote_t> kRefused = {
    fe::NumericalNote_t::TENSOR_CORE,
    fe::NumericalNote_t::DOWN_CONVERT_INPUTS,
    fe::NumericalNote_t::FFT,
    fe::NumericalNote_t::REDUCED_PRECISION_REDUCTION,
    fe::NumericalNote_t::WINOGRAD,
    fe::NumericalNote_t::WINOGRAD_TILE_4x4,
    fe::NumericalNote_t::WINOGRAD_TILE_6x6,
    fe::NumericalNote_t::WINOGRAD_TILE_13x13,
};

// Keeps a message until the next failure on this thread.
const char* keep(std::string message) noexcept {
  static thread_local std::string last_message;
  last_message = std::move(message);
  return last_message.c_str();
}
// Runs f, which returns a message or an empty string, and turns every exception into a message.
template <class F>
const char* guard(F&& f) noexcept {
  try {
    try {
      std::string message = f();
      return message.empty() ? nullptr : keep(std::move(message));
    } catch (const std::exception& e) {
      return keep(e.what());
    } catch (...) {
      return keep("cuDNN has thrown an exception of an unknown type");
    }
  } catch (...) {
    return "out of memory";
  }
}

// Returns the reason that a message contains. The header's messages have one of these two forms. After the
// second form, more lines name the callers of the function that has failed.
//   FUNCTION failed with message: REASON, and code: CUDNN_STATUS_X
//   Warning: CUDNN_STATUS_X; Reason: REASON
std::string shorten(const std::string& message) {
  const auto after = [&](const char* mark) {
    const size_t at = message.find(mark);
    return at == std::string::npos ? at : at + std::strlen(mark);
  };
  std::string status, reason = message;
  if (const size_t at = message.find("CUDNN_STATUS_"); at != std::string::npos)
    status = message.substr(at, message.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_", at) - at);
  if (const size_t at = after("failed with message: "); at != std::string::npos)
    reason = message.substr(at, message.find(", and code:", at) - at);
  else if (const size_t first = after("Reason: "); first != std::string::npos)
    reason = message.substr(first, message.find('\n', first) - first);
  if (message.find("Deselecting execution plan") != std::string::npos)
    reason = "the engine rounds operands, transforms images or is not deterministic";
  constexpr size_t kMost = 200;
  if (reason.size() > kMost) reason = reason.substr(0, kMost) + "...";
  std::replace(reason.begin(), reason.end(), '\n', ' ');
  return status.empty() || reason == status ? reason : status + ", " + reason;
}

using Tensor = std::shared_ptr<fe::graph::Tensor_attributes>;

// Returns the strides of a contiguous tensor.
std::vector<int64_t> contiguous(const std::vector<int64_t>& shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t d = shape.size() - 1; d > 0; --d) strides[d - 1] = strides[d] * shape[d];
  return strides;
}
Tensor add_operand(fe::graph::Graph& graph, Uid uid, const std::vector<int64_t>& d) {
  return graph.tensor(fe::graph::Tensor_attributes().set_uid(uid).set_dim(d).set_stride(contiguous(d)));
}
void set_result(const Tensor& tensor, Uid uid, const std::vector<int64_t>& d) {
  tensor->set_output(true).set_uid(uid).set_dim(d).set_stride(contiguous(d));
}
// Returns the number of axes of an image for cuDNN, which has convolutions of two and three axes.
size_t rank_of(const Convolution& c) { return c.axes[0] == WindowAxis() ? 2 : 3; }
// Returns `leading`, followed by one number per axis.
std::vector<int64_t> shape_of(std::vector<int64_t> leading, const Convolution& c,
                              int64_t WindowAxis::* what) {
  for (size_t i = c.axes.size() - rank_of(c); i < c.axes.size(); ++i) leading.push_back(c.axes[i].*what);
  return leading;
}
template <class Attributes>
Attributes attributes_of(const Convolution& c) {
  Attributes a;
  a.set_pre_padding(shape_of({}, c, &WindowAxis::before))
      .set_post_padding(shape_of({}, c, &WindowAxis::after))
      .set_stride(shape_of({}, c, &WindowAxis::stride))
      .set_dilation(shape_of({}, c, &WindowAxis::dilation));
  return a;
}

void describe(fe::graph::Graph& graph, const Convolution& c) {
  const std::vector<int64_t> x = shape_of({c.n, c.c}, c, &WindowAxis::in),
                             filter = shape_of({c.o, c.cg}, c, &WindowAxis::kernel),
                             y = shape_of({c.n, c.o}, c, &WindowAxis::out);
  graph.set_io_data_type(fe::DataType_t::FLOAT)
      .set_intermediate_data_type(fe::DataType_t::FLOAT)
      .set_compute_data_type(fe::DataType_t::FLOAT);
  std::vector<int64_t> of_bias(x.size(), 1);
  of_bias[1] = c.o;
  if (c.direction == Direction::kForward) {
    const Tensor of_x = add_operand(graph, kX, x), of_filter = add_operand(graph, kFilter, filter);
    Tensor result = graph.conv_fprop(of_x, of_filter, attributes_of<fe::graph::Conv_fprop_attributes>(c));
    if (c.bias)
      result = graph.pointwise(result, add_operand(graph, kBias, of_bias),
                               fe::graph::Pointwise_attributes().set_mode(fe::PointwiseMode_t::ADD));
    set_result(result, kY, y);
  } else if (c.direction == Direction::kBackwardInput) {
    const Tensor of_y = add_operand(graph, kY, y), of_filter = add_operand(graph, kFilter, filter);
    set_result(graph.conv_dgrad(of_y, of_filter, attributes_of<fe::graph::Conv_dgrad_attributes>(c)), kX, x);
  } else {
    const Tensor of_y = add_operand(graph, kY, y), of_x = add_operand(graph, kX, x);
    set_result(graph.conv_wgrad(of_y, of_x, attributes_of<fe::graph::Conv_wgrad_attributes>(c)), kFilter,
               filter);
  }
}

// Whether any of the notes is in the list.
template <class Note>
bool has_any(const std::vector<Note>& notes, const std::vector<Note>& list) {
  return std::any_of(notes.begin(), notes.end(),
                     [&](Note n) { return std::find(list.begin(), list.end(), n) != list.end(); });
}

// Builds the first engine that can be built and whose workspace is not too large. Tries the engines in the
// order of the graph's list, but engines that are compiled at run time last. Returns the reason if there is
// none.
std::string build(Plan& plan, const Convolution& c, uint64_t most_workspace) {
  fe::graph::Graph& graph = plan.graph;
  std::vector<int64_t> order, compiled_later;
  std::map<std::string, int> refusals;
  std::vector<fe::NumericalNote_t> refused = kRefused;
  refused.push_back(fe::NumericalNote_t::NONDETERMINISTIC);
  graph.deselect_numeric_notes(refused);
  for (int64_t i = 0; i < graph.get_execution_plan_count(); ++i) {
    std::vector<fe::BehaviorNote_t> notes;
    if (graph.get_behavior_notes_for_plan_at_index(i, notes).is_bad()) notes.clear();
    (has_any(notes, {fe::BehaviorNote_t::RUNTIME_COMPILATION}) ? compiled_later : order).push_back(i);
  }
  order.insert(order.end(), compiled_later.begin(), compiled_later.end());
  for (const int64_t i : order) {
    if (const auto status = graph.build_plan_at_index(i); status.is_bad()) {
      ++refusals[shorten(status.err_msg)];
      continue;
    }
    int64_t workspace = 0;
    if (const auto status = graph.get_workspace_size_plan_at_index(i, workspace); status.is_bad()) {
      ++refusals[shorten(status.err_msg)];
      continue;
    }
    if (workspace < 0 || static_cast<uint64_t>(workspace) > most_workspace) {
      ++refusals["the engine needs more than " + std::to_string(most_workspace) + " bytes of workspace"];
      continue;
    }
    plan.workspace = static_cast<uint64_t>(workspace);
    if (graph.get_plan_name_at_index(i, plan.engine).is_bad()) plan.engine = "unnamed";
    return "";
  }
  std::string why = "cuDNN has built none of " + std::to_string(order.size()) + " engines";
  const char* separator = ": ";
  for (const auto& [reason, count] : refusals) {
    why += separator + std::to_string(count) + " because " + reason;
    separator = "; ";
  }
  return why;
}

std::string make(PlanDevice& device, const Convolution& c, uint64_t most_workspace, Plan& plan) {
  if (std::string why = check_sizes(c); !why.empty()) return why;
  plan.device = &device;
  plan.bias = c.bias;
  fe::graph::Graph& graph = plan.graph;
  // Without the compute capability, the header would use CUDA's runtime library to look for a GPU.
  graph.set_sm_version(device.capability);
  // The host keeps a plan as long as a CUDA graph contains it.
  graph.set_cuda_graph_retention(fe::CudaGraphRetention_t::NONE);
  if (device.properties) graph.set_device_properties(device.properties);
  describe(graph, c);
  if (const auto status = graph.validate(); status.is_bad()) return shorten(status.err_msg);
  if (const auto status = graph.build_operation_graph(device.handle); status.is_bad())
    return shorten(status.err_msg);
  if (const auto status = graph.create_execution_plans({fe::HeurMode_t::A, fe::HeurMode_t::FALLBACK});
      status.is_bad())
    return shorten(status.err_msg);
  return build(plan, c, most_workspace);
}

constexpr const char* kNull = "an argument is null";

const char* open_device(int32_t capability, PlanDevice** device) {
  return guard([&]() -> std::string {
    if (!device) return kNull;
    auto opened = std::make_unique<PlanDevice>();
    opened->capability = capability;
    if (const cudnnStatus_t status = fe::detail::create_handle(&opened->handle);
        status != CUDNN_STATUS_SUCCESS)
      return "cuDNN cannot use the GPU: " + shorten(fe::detail::get_error_string(status));
    *device = opened.release();
    return "";
  });
}
const char* open_description(int32_t capability, const char* properties, PlanDevice** device) {
  return guard([&]() -> std::string {
    if (!properties || !device) return kNull;
    auto described = std::make_unique<PlanDevice>();
    described->capability = capability;
    described->properties = std::make_shared<fe::DeviceProperties>();
    const std::string text = properties;
    if (const auto status = described->properties->deserialize({text.begin(), text.end()}); status.is_bad())
      return shorten(status.err_msg);
    *device = described.release();
    return "";
  });
}
void close_device(PlanDevice* device) {
  guard([&]() -> std::string {
    if (device && device->handle) {
      fe::detail::set_stream(device->handle,
                             nullptr);  // the stream of the last execution may not exist any more
      fe::detail::destroy_handle(device->handle);
    }
    delete device;
    return "";
  });
}

const char* make_plan(PlanDevice* device, const Convolution* convolution, uint64_t most_workspace,
                      Plan** plan) {
  return guard([&]() -> std::string {
    if (!device || !convolution || !plan) return kNull;
    auto new_plan = std::make_unique<Plan>();
    std::lock_guard lock(device->mutex);
    std::string why = make(*device, *convolution, most_workspace, *new_plan);
    if (why.empty()) *plan = new_plan.release();
    return why;
  });
}
void release_plan(Plan* plan) {
  guard([&]() -> std::string {
    delete plan;
    return "";
  });
}

const char* execute(Plan* plan, void* stream, const ConvolutionMemory* memory) {
  return guard([&]() -> std::string {
    if (!plan || !memory) return kNull;
    PlanDevice& device = *plan->device;
    if (!device.handle) return "a plan for the description of a GPU cannot be executed";
    const auto at = [](uint64_t address) { return reinterpret_cast<void*>(address); };
    std::unordered_map<int64_t, void*> tensors = {
        {kX, at(memory->x)}, {kFilter, at(memory->filter)}, {kY, at(memory->y)}};
    if (plan->bias) tensors[kBias] = at(memory->bias);
    std::lock_guard lock(device.mutex);
    if (const cudnnStatus_t status = fe::detail::set_stream(device.handle, static_cast<cudaStream_t>(stream));
        status != CUDNN_STATUS_SUCCESS)
      return "cuDNN cannot use the stream: " + shorten(fe::detail::get_error_string(status));
    const auto status = plan->graph.execute(device.handle, tensors, at(memory->workspace));
    return status.is_good() ? "" : shorten(status.err_msg);
  });
}

constexpr PlanApi kApi = {.size = sizeof(PlanApi),
                          .version = [] { return static_cast<uint64_t>(fe::detail::get_backend_version()); },
                          .open_device = open_device,
                          .open_description = open_description,
                          .close_device = close_device,
                          .make_plan = make_plan,
                          .release_plan = release_plan,
                          .workspace = [](const Plan* plan) { return plan->workspace; },
                          .engine = [](const Plan* plan) { return plan->engine.c_str(); },
                          .execute = execute};

}  // namespace
}  // namespace cutset::cuda

extern "C" __attribute__((visibility("default"))) const char* cutset_cudnn_open(
    const cutset::cuda::PlanApi** api) {
  using namespace cutset::cuda;
  static std::mutex mutex;
  return guard([&]() -> std::string {
    std::lock_guard lock(mutex);
    if (!fe::cudnn_dlhandle) {
      const char* file = std::getenv("CUTSET_CUDA_CUDNN");
      void* library = dlopen(file ? file : "libcudnn.so.9", RTLD_NOW | RTLD_LOCAL);
      if (!library)
        return std::string(dlerror()) +
               " (install cuDNN 9, for example the package nvidia-cudnn-cu13 of PyPI, and add "
               "its folder to LD_LIBRARY_PATH)";
      for (const char* function :
           {"cudnnGetVersion", "cudnnBackendCreateDescriptor", "cudnnGetLastErrorString"})
        if (!dlsym(library, function)) {
          dlclose(library);
          return std::string("the library has no function ") + function + " (install cuDNN 9)";
        }
      fe::cudnn_dlhandle = library;
    }
    *api = &kApi;
    return "";
  });
}
