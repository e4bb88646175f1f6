# SPDX-License-Identifier: Apache-2.0
# Most of the time of a build goes into headers and template instantiations, which the files of a folder
# share. The compiler may therefore read the files of a folder as one file.
option(CUTSET_UNITY
  "compile the files of a folder together: a build takes half the time, and a change of one file compiles its folder"
  OFF)

# cutset_unity(TARGET) joins the sources of the target by folder, at most 16 at a time. The names in the
# unnamed namespaces of a folder must differ. The files of folders `kernels` and `generators` stay apart,
# because each defines the same names.
function(cutset_unity target)
  if(NOT CUTSET_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  foreach(source ${sources})
    if(source MATCHES "^\\$<" OR NOT source MATCHES "\\.cc$" OR source MATCHES "/(kernels|generators)/")
      continue()
    endif()
    get_filename_component(folder ${source} DIRECTORY)
    # Generated code is joined with the sources of the folder from which it is generated.
    string(REPLACE "${CUTSET_GENERATED}" "${CMAKE_SOURCE_DIR}" folder "${folder}")
    string(REPLACE "${CMAKE_SOURCE_DIR}/" "" folder "${folder}")
    string(MAKE_C_IDENTIFIER "${folder}" group)
    if(NOT DEFINED count_${group})
      set(count_${group} 0)
    endif()
    math(EXPR part "${count_${group}} / 16")
    math(EXPR count_${group} "${count_${group}} + 1")
    set_property(SOURCE ${source} PROPERTY UNITY_GROUP "${group}_${part}")
  endforeach()
endfunction()
