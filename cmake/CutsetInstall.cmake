# SPDX-License-Identifier: Apache-2.0
# Defines what `cmake --install` installs: the libraries, with the backends in the same folder, the headers,
# the commands, and the package files that find_package(cutset) reads. Internal headers that the public
# headers include are in include/cutset-core.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/cutset)
set_target_properties(cutset cutset_onnx cutset_testing cutset_runtime cutset_verify cutset_compiler
  ${CUTSET_BACKENDS} PROPERTIES INSTALL_RPATH "$ORIGIN")
# The RUNPATH of the commands already has "$ORIGIN/../lib", which fits the build tree. The element that is
# appended here is for an installation whose library folder has another name.
set_property(TARGET cutset-cli cutset-conformance cutset-opt APPEND PROPERTY INSTALL_RPATH
  "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
# The component `runtime` is for machines that only run saved programs and test devices. It contains neither
# LLVM nor the compiler, and `package` puts it into an archive. The component `development` has everything
# else.
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME development)
if(CMAKE_CXX_FLAGS_RELEASE MATCHES "-O0")
  install(CODE
    "message(FATAL_ERROR \"the preset quickstart does not optimise; install build/release: cmake --workflow --preset release\")")
endif()
install(TARGETS cutset cutset_runtime cutset_verify EXPORT cutset LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  COMPONENT runtime)
install(TARGETS cutset_testing cutset_onnx EXPORT cutset LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS cutset_compiler EXPORT cutset-compiler LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS ${CUTSET_BACKENDS} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime)
install(TARGETS cutset-cli cutset-conformance RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime)
install(TARGETS cutset-opt RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
# this oneDNN comes from a wheel and not from a system package, so it is installed with the backend
if(TARGET DNNL::dnnl)
  install(DIRECTORY ${CUTSET_DEPS}/onednn/lib/ DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime
    FILES_MATCHING PATTERN "libdnnl.so*" PATTERN "cmake" EXCLUDE)
endif()
# The decoders of images are libraries of the system. Another system may lack them, so the archive contains
# them. An installation of all components leaves them out, because the loader may search its library folder
# before the folder of the system.
foreach(library ${JPEG_LIBRARIES} ${PNG_LIBRARIES})
  file(REAL_PATH ${library} library)
  if(library MATCHES "/(lib(jpeg|png)[0-9]*[.]so[.][0-9]+)[^/]*$")
    install(FILES ${library} DESTINATION ${CMAKE_INSTALL_LIBDIR} RENAME ${CMAKE_MATCH_1} COMPONENT runtime
      EXCLUDE_FROM_ALL)
  endif()
endforeach()
foreach(decoder libjpeg62-turbo libpng16-16)  # the licences of these libraries
  install(FILES /usr/share/doc/${decoder}/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME
    ${decoder}.copyright COMPONENT runtime EXCLUDE_FROM_ALL OPTIONAL)
endforeach()
install(DIRECTORY frontends/cpp/include/ frontends/onnx/include/ ${CUTSET_GENERATED}/include/ DESTINATION
  ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
# A backend is built against the headers of runtime/abi and the attribute structs of the ops. An op library is
# built against ir/core, the dialect and the generator, and its generated functions call
# frontends/cpp/graph/append.h.
install(DIRECTORY ir/core ir/dialect ir/generate DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/cutset-core/ir
  FILES_MATCHING PATTERN "*.h" PATTERN "*.td" PATTERN "*.py")
install(DIRECTORY ${CUTSET_GENERATED}/ir/dialect DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/cutset-core/ir
  FILES_MATCHING PATTERN "*.inc")
install(FILES cmake/CutsetOpFolders.cmake cmake/CutsetOpLibrary.cmake DESTINATION ${package})
foreach(header graph/config/strategy.h passes/inspect/dot_level.h passes/inspect/drawings.h
        passes/inspect/explanation.h runtime/files/host_tensor.h frontends/cpp/graph/append.h
        runtime/abi/cutset_device.h runtime/abi/error.h runtime/abi/host_device.h runtime/abi/kernel.h
        runtime/abi/reference_kernel.h)
  get_filename_component(folder ${header} DIRECTORY)
  install(FILES ${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/cutset-core/${folder})
endforeach()
install(DIRECTORY ${CUTSET_GENERATED}/ir/ops ${CUTSET_GENERATED}/ir/structural DESTINATION
  ${CMAKE_INSTALL_INCLUDEDIR}/cutset-core/ir
  FILES_MATCHING PATTERN "*_attrs.h")
# The documentation for authors of backends: a page, a backend that is built against the installation, and the
# sources of a backend that implements every function of the ABI.
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime)
install(FILES docs/howto/add-backend.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES docs/howto/add-op-library.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY tests/end_to_end/out_of_tree/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples/toy)
install(DIRECTORY tests/end_to_end/op_library/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples/op_library)
install(DIRECTORY backends/simulated/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples/simulated PATTERN
  "*_test.cc" EXCLUDE)
install(EXPORT cutset NAMESPACE cutset:: FILE cutset-targets.cmake DESTINATION ${package})
# The compiler has a separate file, because its targets need the packages of LLVM and MLIR. Only op libraries
# need them.
install(EXPORT cutset-compiler NAMESPACE cutset:: FILE cutset-compiler-targets.cmake DESTINATION ${package})
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/cutset-config.cmake @ONLY CONTENT
"include(CMakeFindDependencyMacro)
find_dependency(Threads)
include(\${CMAKE_CURRENT_LIST_DIR}/cutset-targets.cmake)
include(\${CMAKE_CURRENT_LIST_DIR}/CutsetOpLibrary.cmake)
")
write_basic_package_version_file(${CMAKE_BINARY_DIR}/cutset-config-version.cmake COMPATIBILITY
  SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/cutset-config.cmake ${CMAKE_BINARY_DIR}/cutset-config-version.cmake
  DESTINATION ${package})

# The programs that measure a machine without the compiler (bench/gpu_report.sh). They are compiled for
# devices that need not be present on this machine.
set(programs "")
foreach(model lenet mlp)
  foreach(kind cpu cuda)
    set(program ${CMAKE_BINARY_DIR}/programs/${model}-${kind}.cutset)
    add_custom_command(OUTPUT ${program} DEPENDS cutset-cli cutset_compiler ${CUTSET_BACKENDS}
      COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/programs
      COMMAND ${CMAKE_COMMAND} -E env --unset=CUTSET_DEVICE_FILE --unset=CUTSET_BACKEND_PATH
              --unset=CUTSET_CUDA_DRIVER --unset=CUTSET_DUMP $<TARGET_FILE:cutset-cli> compile ${model}
              --devices ${kind}:0 --batch 64 -o ${program} VERBATIM)
    list(APPEND programs ${program})
  endforeach()
endforeach()
add_custom_target(cutset_programs ALL DEPENDS ${programs})
install(FILES ${programs} DESTINATION ${CMAKE_INSTALL_DATADIR}/cutset/programs COMPONENT runtime)
install(PROGRAMS bench/gpu_report.sh DESTINATION ${CMAKE_INSTALL_DATADIR}/cutset COMPONENT runtime)

# `ninja package` writes the component `runtime` to build/PRESET/cutset-VERSION-runtime.tar.gz.
set(CPACK_GENERATOR TGZ)
set(CPACK_PACKAGE_NAME cutset)
set(CPACK_PACKAGE_FILE_NAME cutset-${PROJECT_VERSION})
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL runtime)
set(CPACK_STRIP_FILES ON)
include(CPack)
