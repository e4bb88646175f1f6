// What a run returns: tensors by name.
#pragma once
#include <cutset/error.h>

#include <map>
#include <source_location>
#include <string>
#include <utility>

#include "runtime/host_tensor.h"

namespace cutset {

// A name, with the line that wrote it: operator[] cannot take a default argument, so its argument's type
// captures the line.
struct OutputName {
  using Where = std::source_location;
  OutputName(const char* n, Where w = Where::current()) : name(n), where(w) {}
  OutputName(std::string n, Where w = Where::current()) : name(std::move(n)), where(w) {}
  std::string name;
  Where where;
};

class Outputs {
 public:
  using Map = std::map<std::string, HostTensor>;

  // A name that is not there is a cutset::Error that says which are. A temporary gives the tensor itself, so
  // `auto loss = session.run("train", batch)["loss"]` owns what it holds.
  const HostTensor& operator[](const OutputName& name) const& { return find(name); }
  HostTensor operator[](const OutputName& name) && { return std::move(const_cast<HostTensor&>(find(name))); }
  const HostTensor& at(const OutputName& name) const& { return find(name); }
  HostTensor at(const OutputName& name) && { return std::move(*this)[name]; }

  bool contains(const std::string& name) const { return tensors_.contains(name); }
  size_t size() const { return tensors_.size(); }
  bool empty() const { return tensors_.empty(); }
  // Pairs of a name and a tensor, sorted by name.
  Map::const_iterator begin() const { return tensors_.begin(); }
  Map::const_iterator end() const { return tensors_.end(); }
  void emplace(const std::string& name, HostTensor tensor) { tensors_.insert_or_assign(name, std::move(tensor)); }

 private:
  const HostTensor& find(const OutputName& name) const;
  Map tensors_;
};

}  // namespace cutset
