// SPDX-License-Identifier: Apache-2.0
// The pointer inside a movable value of the API, such as Graph and Session. The pointer is empty after the
// value was moved from, and every use of the value then throws a cutset::Error instead of crashing.
#pragma once
#include <cutset/error.h>

#include <string>
#include <utility>

namespace cutset {

// `Pointer` is a std::shared_ptr or a std::unique_ptr.
template <class Pointer>
class Handle {
 public:
  // Makes a handle. `of` is the name of the class of the value, which the error names. It must outlive the
  // handle.
  Handle(const char* of, Pointer pointer) : of_(of), pointer_(std::move(pointer)) {}

  // Returns the pointer. Throws if the value was moved from; so do the operators.
  const Pointer& get() const {
    if (!pointer_)
      throw Error(ErrorCode::kInvalidArgument, std::string("this cutset::") + of_ + " was moved from", "",
                  std::string("use the ") + of_ + " that it was moved to");
    return pointer_;
  }
  // Takes the pointer out, which is empty if the value was moved from before. Afterwards the value is moved
  // from.
  Pointer release() { return std::exchange(pointer_, nullptr); }
  // Return the object that the pointer points to.
  auto* operator->() const { return get().get(); }
  auto& operator*() const { return *get(); }

 private:
  const char* of_;
  Pointer pointer_;
};

}  // namespace cutset
