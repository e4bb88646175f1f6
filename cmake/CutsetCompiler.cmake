# SPDX-License-Identifier: Apache-2.0
# Compiler warnings, sanitizers and ccache, for gcc 12 and clang 22.
find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # ccache needs this setting for files with a precompiled header.
  set(CMAKE_C_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_C_COMPILER_LAUNCHER})
endif()
# -fopenmp-simd enables the pragmas that allow the sum of a loop to be reassociated. It does not link an
# OpenMP runtime.
add_compile_options(-fopenmp-simd -Wall -Wextra -Wno-missing-field-initializers -Wno-unused-parameter)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # gcc 12 gives these warnings for code paths that cannot be reached after inlining.
  add_compile_options(-Wno-maybe-uninitialized -Wno-stringop-overflow -Wno-array-bounds -Wno-dangling-pointer
    -Wno-restrict)
endif()
# A build with sanitizers consists of the libraries that read bytes from outside or run programs
# (tests/sanitized).
set(CUTSET_SANITIZE "" CACHE STRING
  "the sanitizers of the build: 'address,undefined' or 'thread'; empty: none")
if(CUTSET_SANITIZE)
  add_compile_options(-fsanitize=${CUTSET_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  # Programs without sanitizers also define inline functions of the headers. Without -Bsymbolic-functions,
  # these libraries would call the functions of the programs.
  add_link_options(-fsanitize=${CUTSET_SANITIZE} -shared-libsan -Wl,-Bsymbolic-functions)
  if(CUTSET_SANITIZE MATCHES "address")
    # The checks of pointers take a third of the time of a build. AddressSanitizer itself finds accesses to
    # null and past the end of an object. `cutset_check_alignment` turns on the check of alignment for the
    # libraries whose code reads elements from bytes.
    add_compile_options(-fno-sanitize=null,object-size,alignment)
  endif()
endif()
# The optimization level of code that loops over elements. Instrumented loops take long to compile with -O3.
set(CUTSET_LOOP_OPTIMIZATION -O3)
if(CUTSET_SANITIZE)
  set(CUTSET_LOOP_OPTIMIZATION -O1)
endif()
set(CUTSET_REFERENCE_OPTIMIZATION ${CUTSET_LOOP_OPTIMIZATION} CACHE STRING
  "the optimization of the reference kernels")
# The reference kernels define the results of the ops. The compiler must not contract their operations to
# fused multiply-adds, and it may reassociate sums only where a pragma allows it.
set(CUTSET_LOOP_FLAGS ${CUTSET_REFERENCE_OPTIMIZATION} -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  add_compile_options(-Wno-pass-failed)
  # ccache compares precompiled headers by their contents
  add_compile_options("SHELL:-Xclang -fno-pch-timestamp")
endif()
# Precompiles the headers of the standard library that most files include, and the headers after `target`.
# Reading these headers takes longer than compiling the code of a typical file.
function(cutset_precompile_headers target)
  target_precompile_headers(${target} PRIVATE <algorithm> <array> <atomic> <chrono> <cmath> <cstdint>
    <cstring> <fstream> <functional>
    <limits> <map> <memory> <mutex> <numeric> <optional> <ranges> <set> <span> <sstream> <stdexcept> <string>
    <string_view>
    <unordered_map> <unordered_set> <utility> <variant> <vector> ${ARGN})
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    # std::stable_sort of libstdc++ calls a deprecated function. clang gives a warning for this call only if
    # the header is precompiled.
    target_compile_options(${target} PRIVATE -Wno-deprecated-declarations)
  endif()
endfunction()

function(cutset_check_alignment target)
  if(CUTSET_SANITIZE MATCHES "undefined")
    target_compile_options(${target} PRIVATE -fsanitize=alignment)
  endif()
endfunction()
