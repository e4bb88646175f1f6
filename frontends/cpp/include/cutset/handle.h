// SPDX-License-Identifier: Apache-2.0
// The pointer inside a movable value of the API, such as Graph and Session. The pointer is empty after the
// value was moved from, and every use of the value then throws a cutset::Error instead of crashing.
#pragma once
#include <cutset/error.h>

#include <memory>
#include <string>
#include <utility>

namespace cutset {

// A pointer to an Object. A value that can be copied shares its object with its copies.
template <class Object>
class Handle {
 public:
  // Makes a handle. `of` is the name of the class of the value, which the error names. It must outlive the
  // handle.
  Handle(const char* of, std::shared_ptr<Object> pointer) : of_(of), pointer_(std::move(pointer)) {}

  // Returns the pointer. Throws if the value was moved from; so do the operators.
  const std::shared_ptr<Object>& get() const {
    if (!pointer_)
      throw Error(ErrorCode::kInvalidArgument, std::string("this cutset::") + of_ + " was moved from", "",
                  std::string("use the ") + of_ + " that it was moved to");
    return pointer_;
  }
  // Return the object that the pointer points to.
  Object* operator->() const { return get().get(); }
  Object& operator*() const { return *get(); }

 private:
  const char* of_;
  std::shared_ptr<Object> pointer_;
};

}  // namespace cutset
