// SPDX-License-Identifier: Apache-2.0
// The result of a run: tensors by name.
#pragma once
#include <cutset/error.h>
#include <cutset/host_tensor.h>

#include <map>
#include <source_location>
#include <string>
#include <utility>

namespace cutset {

// The name of an output, with the line of the program that asks for it. operator[] cannot have a default
// argument, so the type of its argument captures the line. Strings convert to OutputName.
struct OutputName {
  // The type of `source`.
  using Where = std::source_location;
  // Takes a name, and captures the line of the call.
  OutputName(const char* n, Where w = Where::current()) : name(n), source(w) {}
  OutputName(std::string n, Where w = Where::current()) : name(std::move(n)), source(w) {}
  std::string name;  // the name of the output
  Where source;      // the line that the error names
};

// The outputs of a function. They own their tensors, so they stay valid when the session runs again or is
// destroyed.
class Outputs {
 public:
  // The tensors by name.
  using Map = std::map<std::string, HostTensor>;

  // Returns the output `name`. Throws a cutset::Error that lists the outputs if there is no such output.
  // Called on a temporary, it returns the tensor by value, so `auto loss = session.train(batch)["loss"]` is
  // safe.
  const HostTensor& operator[](const OutputName& name) const& { return find(name); }
  HostTensor operator[](const OutputName& name) && { return std::move(const_cast<HostTensor&>(find(name))); }
  // Returns the same as operator[].
  const HostTensor& at(const OutputName& name) const& { return find(name); }
  HostTensor at(const OutputName& name) && { return std::move(*this)[name]; }

  // Whether there is an output `name`.
  bool contains(const std::string& name) const;
  // Returns the number of outputs.
  size_t size() const { return tensors_.size(); }
  // Whether there is no output.
  bool empty() const { return tensors_.empty(); }
  // Iterate over pairs of a name and a tensor, sorted by name.
  Map::const_iterator begin() const { return tensors_.begin(); }
  Map::const_iterator end() const { return tensors_.end(); }
  // Adds an output, or replaces the output with the same name.
  void emplace(const std::string& name, HostTensor tensor);

 private:
  const HostTensor& find(const OutputName& name) const;
  Map tensors_;
};

}  // namespace cutset
