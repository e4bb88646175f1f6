# SPDX-License-Identifier: Apache-2.0
# Finds the libraries. third_party/manifest.txt lists each library with its purpose and its licence.
find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)
find_package(JPEG REQUIRED)
find_package(PNG REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(GTest REQUIRED)
find_package(Python3 REQUIRED COMPONENTS Interpreter)
find_path(RANDOM123_INCLUDE Random123/philox.h REQUIRED)
# The version file of Debian's package accepts 22.1, but not 22.
find_package(MLIR 22.1 REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/mlir)
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)
find_program(LLVM_TBLGEN_JSON llvm-tblgen-22 REQUIRED)
