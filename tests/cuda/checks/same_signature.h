// SPDX-License-Identifier: Apache-2.0
// Compares the type of a function pointer of Cutset with the type of NVIDIA's function at compile time.
#pragma once
#include <type_traits>

namespace cutset::cuda {

// Two types are passed alike if both are pointers, or both are numbers or enumerations of the same size, or
// they have the same size as classes.
template <class A, class B>
constexpr bool kAlike =
    sizeof(A) == sizeof(B) && std::is_pointer_v<A> == std::is_pointer_v<B> &&
    std::is_class_v<A> == std::is_class_v<B> && std::is_floating_point_v<A> == std::is_floating_point_v<B>;

// If both are pointers, their pointees must also be passed alike, unless one of them is void or incomplete.
template <class T>
concept Sized = requires { sizeof(T); } && !std::is_void_v<T> && !std::is_function_v<T>;
template <class A, class B>
constexpr bool same_argument() {
  if constexpr (std::is_pointer_v<A> && std::is_pointer_v<B>) {
    using P = std::remove_pointer_t<A>;
    using Q = std::remove_pointer_t<B>;
    if constexpr (Sized<P> && Sized<Q>) return kAlike<P, Q> && std::is_const_v<P> == std::is_const_v<Q>;
  }
  return kAlike<A, B>;
}

template <class A, class B>
struct Same : std::false_type {};
template <class R, class... A, class S, class... B>
  requires(sizeof...(A) == sizeof...(B))
struct Same<R (*)(A...), S (*)(B...)> : std::bool_constant<kAlike<R, S> && (same_argument<A, B>() && ...)> {};

}  // namespace cutset::cuda
