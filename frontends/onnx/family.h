// SPDX-License-Identifier: Apache-2.0
// Tables whose rows come from several files, such as the converters of ONNX ops.
#pragma once
#include <vector>

namespace cutset::onnx {

// Registers a function that adds the rows of one file to the table, when the library is loaded:
//   static const ConverterFamily kLoopsConverters(add_loops);
template <class Table>
class Family {
 public:
  using Add = void (*)(Table& table);
  explicit Family(Add add) { all().push_back(add); }

  // Returns the table with the rows of all files. The table is complete once the library is loaded.
  static Table table() {
    Table table;
    for (const Add add : all()) add(table);
    return table;
  }

 private:
  // A function-local object exists before the first file registers itself.
  static std::vector<Add>& all() {
    static std::vector<Add> functions;
    return functions;
  }
};

}  // namespace cutset::onnx
