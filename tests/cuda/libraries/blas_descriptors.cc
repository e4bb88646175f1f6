// SPDX-License-Identifier: Apache-2.0
// The functions of the double of cuBLASLt that make, set and release handles and descriptors.
#include <algorithm>
#include <cstring>
#include <type_traits>

#include "tests/cuda/libraries/blas_state.h"

namespace cutset::cuda {

using namespace doubles;

namespace {

// Makes an object that `objects` contains until it is released.
template <class Object>
void make(std::set<Object*>& objects, Object** to, Object object) {
  require(to, BlasStatus::kInvalidValue);
  *to = new Object(object);
  objects.insert(*to);
}
template <class Object>
void release(std::set<Object*>& objects, Object* object, BlasStatus otherwise = BlasStatus::kInvalidValue) {
  require(objects.erase(object) == 1, otherwise);
  delete object;
}
// Stores the value of an attribute in `to`, which must have the same size.
template <class Value>
void store(Value& to, const void* value, size_t bytes) {
  require(value && bytes == sizeof to, BlasStatus::kInvalidValue);
  std::memcpy(&to, value, sizeof to);
}

}  // namespace

CUTSET_BLAS_EXPORT BlasStatus cublasLtCreate(BlasHandle* handle) {
  return blas_call("cublasLtCreate", [&] {
    require(driver().current_device() >= 0, BlasStatus::kNotInitialized);
    make(state().handles, handle, BlasHandle_t{});
  });
}
CUTSET_BLAS_EXPORT BlasStatus cublasLtDestroy(BlasHandle handle) {
  return blas_call("cublasLtDestroy", [&] { release(state().handles, handle, BlasStatus::kNotInitialized); });
}

CUTSET_BLAS_EXPORT BlasStatus cublasLtMatmulDescCreate(BlasProduct* product, int compute_type,
                                                       int scale_type) {
  return blas_call("cublasLtMatmulDescCreate",
                   [&] { make(state().products, product, BlasProduct_t{compute_type, scale_type}); });
}
CUTSET_BLAS_EXPORT BlasStatus cublasLtMatmulDescDestroy(BlasProduct product) {
  return blas_call("cublasLtMatmulDescDestroy", [&] { release(state().products, product); });
}
CUTSET_BLAS_EXPORT BlasStatus cublasLtMatmulDescSetAttribute(BlasProduct product,
                                                             BlasProductAttribute attribute,
                                                             const void* value, size_t bytes) {
  return blas_call("cublasLtMatmulDescSetAttribute", [&] {
    require(state().products.contains(product), BlasStatus::kInvalidValue);
    const auto store_one_of = [&](auto& to,
                                  std::initializer_list<std::remove_reference_t<decltype(to)>> legal) {
      auto new_value = to;
      store(new_value, value, bytes);
      require(std::find(legal.begin(), legal.end(), new_value) != legal.end(), BlasStatus::kInvalidValue);
      to = new_value;
    };
    switch (attribute) {
      case BlasProductAttribute::kTransposeA:
        return store_one_of(product->transpose_a, {kBlasAsStored, kBlasTransposed});
      case BlasProductAttribute::kTransposeB:
        return store_one_of(product->transpose_b, {kBlasAsStored, kBlasTransposed});
      case BlasProductAttribute::kEpilogue:
        return store_one_of(product->epilogue, {BlasEpilogue::kNone, BlasEpilogue::kBias});
      case BlasProductAttribute::kBias:
        return store(product->bias, value, bytes);
    }
    throw Failure{BlasStatus::kInvalidValue};
  });
}

CUTSET_BLAS_EXPORT BlasStatus cublasLtMatrixLayoutCreate(BlasLayout* layout, int type, uint64_t rows,
                                                         uint64_t columns, int64_t leading) {
  return blas_call("cublasLtMatrixLayoutCreate",
                   [&] { make(state().layouts, layout, BlasLayout_t{type, rows, columns, leading}); });
}
CUTSET_BLAS_EXPORT BlasStatus cublasLtMatrixLayoutDestroy(BlasLayout layout) {
  return blas_call("cublasLtMatrixLayoutDestroy", [&] { release(state().layouts, layout); });
}
CUTSET_BLAS_EXPORT BlasStatus cublasLtMatrixLayoutSetAttribute(BlasLayout layout,
                                                               BlasLayoutAttribute attribute,
                                                               const void* value, size_t bytes) {
  return blas_call("cublasLtMatrixLayoutSetAttribute", [&] {
    require(state().layouts.contains(layout), BlasStatus::kInvalidValue);
    switch (attribute) {
      case BlasLayoutAttribute::kOrder:
        return store(layout->order, value, bytes);
      case BlasLayoutAttribute::kBatchCount:
        return store(layout->batch, value, bytes);
      case BlasLayoutAttribute::kBatchStride:
        return store(layout->batch_stride, value, bytes);
    }
    throw Failure{BlasStatus::kInvalidValue};
  });
}

CUTSET_BLAS_EXPORT BlasStatus cublasLtMatmulPreferenceCreate(BlasPreference* preference) {
  return blas_call("cublasLtMatmulPreferenceCreate",
                   [&] { make(state().preferences, preference, BlasPreference_t{}); });
}
CUTSET_BLAS_EXPORT BlasStatus cublasLtMatmulPreferenceDestroy(BlasPreference preference) {
  return blas_call("cublasLtMatmulPreferenceDestroy", [&] { release(state().preferences, preference); });
}
CUTSET_BLAS_EXPORT BlasStatus cublasLtMatmulPreferenceSetAttribute(BlasPreference preference,
                                                                   BlasPreferenceAttribute attribute,
                                                                   const void* value, size_t bytes) {
  return blas_call("cublasLtMatmulPreferenceSetAttribute", [&] {
    require(state().preferences.contains(preference), BlasStatus::kInvalidValue);
    switch (attribute) {
      case BlasPreferenceAttribute::kMostWorkspace:
        return store(preference->most_workspace, value, bytes);
      case BlasPreferenceAttribute::kAlignmentA:
        return store(preference->alignment[0], value, bytes);
      case BlasPreferenceAttribute::kAlignmentB:
        return store(preference->alignment[1], value, bytes);
      case BlasPreferenceAttribute::kAlignmentC:
        return store(preference->alignment[2], value, bytes);
      case BlasPreferenceAttribute::kAlignmentD:
        return store(preference->alignment[3], value, bytes);
    }
    throw Failure{BlasStatus::kInvalidValue};
  });
}

}  // namespace cutset::cuda
