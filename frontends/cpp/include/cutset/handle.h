// What a movable value of the API points to. A value that was moved from points to nothing, and using it is a
// cutset::Error.
#pragma once
#include <cutset/error.h>

#include <string>
#include <utility>

namespace cutset {

// `Pointer` is std::shared_ptr or std::unique_ptr.
template <class Pointer>
class Handle {
 public:
  // `of` is the class of the value, for the error.
  Handle(const char* of, Pointer pointer) : of_(of), pointer_(std::move(pointer)) {}

  const Pointer& get() const {
    if (!pointer_)
      throw Error(ErrorCode::kInvalidArgument, std::string("this cutset::") + of_ + " was moved from", "",
                  std::string("use the ") + of_ + " that it was moved to");
    return pointer_;
  }
  auto* operator->() const { return get().get(); }
  auto& operator*() const { return *get(); }

 private:
  const char* of_;
  Pointer pointer_;
};

}  // namespace cutset
