# SPDX-License-Identifier: Apache-2.0
# Generates code from the .td files of op folders, for this source tree and for op libraries that are built
# against an installation. It reads these variables:
#   CUTSET_TD_INCLUDES    the folders in which .td files include others
#   CUTSET_GENERATOR      ir/generate/generate.py
#   MLIR_TABLEGEN_EXE, LLVM_TBLGEN_JSON   mlir-tblgen and llvm-tblgen

# cutset_tablegen(ROOT TD GENERATED OUTPUT FLAG...) makes GENERATED/OUTPUT from ROOT/TD, and appends it to
# `generated_targets`.
function(cutset_tablegen root td generated output)
  set(path ${generated}/${output})
  get_filename_component(folder ${path} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  list(GET CUTSET_TD_INCLUDES 0 core)
  list(TRANSFORM CUTSET_TD_INCLUDES PREPEND -I OUTPUT_VARIABLE includes)
  add_custom_command(OUTPUT ${path}
    COMMAND ${MLIR_TABLEGEN_EXE} ${ARGN} ${includes} ${root}/${td} --write-if-changed -o ${path}
    DEPENDS ${root}/${td} ${core}/ir/dialect/base.td ${core}/ir/dialect/interfaces.td
    COMMENT "tablegen ${output}")
  set(generated_targets ${generated_targets} ${path} PARENT_SCOPE)
endfunction()

# cutset_op_folder(ROOT TD GENERATED) generates the code of the op folder in which ROOT/TD lies, and appends
# to these variables:
# - generated_targets: the targets that must be made before anything is compiled
# - op_arguments, op_jsons: the arguments of generate.py for the folder, and the files that they name
# - op_sources: the folder's plain C++
# - op_tables: the tables of its ops
# - op_rewrites: the sources of the compiler's part
function(cutset_op_folder root td generated)
  get_filename_component(folder ${td} DIRECTORY)
  get_filename_component(name ${td} NAME_WE)
  cutset_tablegen(${root} ${td} ${generated} ${folder}/${name}.h.inc -gen-op-decls)
  cutset_tablegen(${root} ${td} ${generated} ${folder}/${name}.cpp.inc -gen-op-defs)
  list(GET CUTSET_TD_INCLUDES 0 core)
  list(TRANSFORM CUTSET_TD_INCLUDES PREPEND -I OUTPUT_VARIABLE includes)
  get_filename_component(generator_folder ${CUTSET_GENERATOR} DIRECTORY)
  set(json ${generated}/${folder}/${name}.json)
  set(glue ${generated}/${folder}/${name})
  add_custom_command(OUTPUT ${json}
    COMMAND ${LLVM_TBLGEN_JSON} -dump-json ${includes} ${root}/${td} -o ${json}
    DEPENDS ${root}/${td} ${core}/ir/dialect/base.td ${core}/ir/dialect/interfaces.td
    COMMENT "read ${folder}")
  add_custom_command(OUTPUT ${glue}.stamp
    BYPRODUCTS ${glue}_attrs.h ${glue}_rules.h ${glue}_info.cc ${glue}_mlir.h ${glue}_mlir.cc
    COMMAND Python3::Interpreter ${CUTSET_GENERATOR} folder ${json} ${folder} ${generated}
    COMMAND ${CMAKE_COMMAND} -E touch ${glue}.stamp
    DEPENDS ${json} ${CUTSET_GENERATOR} ${generator_folder}/declarations.py ${generator_folder}/optimizers.py
    COMMENT "generate ${folder}")
  file(GLOB sources CONFIGURE_DEPENDS ${root}/${folder}/*.cc)
  set(rewrites ${sources})
  list(FILTER rewrites INCLUDE REGEX "_rewrite\\.cc$")
  list(FILTER sources EXCLUDE REGEX "_rewrite\\.cc$")
  if(NOT rewrites)  # the op has no rewrites, so a generated file compiles its MLIR classes
    set(rewrites ${glue}_mlir.cc)
  endif()
  set(generated_targets ${generated_targets} ${glue}.stamp PARENT_SCOPE)
  set(op_jsons ${op_jsons} ${json} PARENT_SCOPE)
  set(op_arguments ${op_arguments} ${json}:${folder} PARENT_SCOPE)
  set(op_sources ${op_sources} ${sources} PARENT_SCOPE)
  set(op_tables ${op_tables} ${glue}_info.cc PARENT_SCOPE)
  set(op_rewrites ${op_rewrites} ${rewrites} PARENT_SCOPE)
endfunction()
