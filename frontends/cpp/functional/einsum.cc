// SPDX-License-Identifier: Apache-2.0
#include <cutset/constants.h>
#include <cutset/einsum.h>
#include <cutset/shapes.h>

#include <algorithm>
#include <map>

#include "frontends/cpp/functional/arange.h"
#include "frontends/cpp/functional/compose_in_f32.h"
#include "frontends/cpp/functional/einsum_equation.h"

namespace cutset {
namespace {

using Where = std::source_location;

// A tensor whose dimensions have names.
struct Term {
  Tensor x;
  EinsumLabels labels;
};

bool has(const EinsumLabels& labels, int label) {
  return std::count(labels.begin(), labels.end(), label) > 0;
}

EinsumLabels joined(EinsumLabels a, const EinsumLabels& b, const EinsumLabels& c = {}) {
  a.insert(a.end(), b.begin(), b.end());
  a.insert(a.end(), c.begin(), c.end());
  return a;
}

// The sums of products of one call.
class Einsum {
 public:
  Einsum(const EinsumEquation& e, const std::vector<Tensor>& operands, Where source) : source_(source) {
    // The first dimension of the first operand is most often the batch, and the shapes in the program leave
    // its size open.
    if (!e.operands[0].empty()) batch_ = e.operands[0][0];
    for (size_t i = 0; i < operands.size(); ++i)
      for (size_t d = 0; d < e.operands[i].size(); ++d)
        add_size(operands[0], e.operands[i][d], operands[i].shape()[d]);
  }

  // Merges the dimensions of each repeated label: the elements off the diagonal become 0, and a sum removes
  // them.
  Term diagonal(Term t) const {
    for (size_t p = 0; p < t.labels.size(); ++p)
      for (size_t q = p + 1; q < t.labels.size();) {
        if (t.labels[q] != t.labels[p]) {
          ++q;
          continue;
        }
        const Tensor index = arange_of(t.x.graph(), t.x.shape()[q], DType::i64, source_);
        const auto along = [&](size_t d) {
          Shape shape(t.labels.size() - d, 1);
          shape[0] = 0;  // keeps the size
          return reshape(index, {.shape = shape}, source_);
        };
        const Tensor on = cutset::equal(along(p), along(q), source_),
                     zero = constant(t.x, Number(0, source_));
        t.x = ops::reduce_sum(where(on, t.x, zero, source_), {.axes = {static_cast<int64_t>(q)}}, source_);
        t.labels.erase(t.labels.begin() + static_cast<std::ptrdiff_t>(q));
      }
    return t;
  }

  // Sums over the dimensions that no later product and no result needs.
  Term sum_out(const Term& t, const EinsumLabels& needed) const {
    std::vector<int64_t> axes;
    EinsumLabels rest;
    for (size_t d = 0; d < t.labels.size(); ++d) {
      if (has(needed, t.labels[d]))
        rest.push_back(t.labels[d]);
      else
        axes.push_back(static_cast<int64_t>(d));
    }
    return axes.empty() ? t : Term{ops::reduce_sum(t.x, {.axes = axes}, source_), rest};
  }

  Tensor ordered(const Term& t, const EinsumLabels& order) const {
    std::vector<int64_t> permutation;
    for (const int label : order)
      permutation.push_back(std::find(t.labels.begin(), t.labels.end(), label) - t.labels.begin());
    return t.labels == order ? t.x : transpose(t.x, {.permutation = permutation}, source_);
  }

  // Multiplies two terms, and sums over the labels of both that no later product and no result needs.
  Term product(const Term& a, const Term& b, const EinsumLabels& needed) const {
    EinsumLabels both, summed, of_a, of_b;
    for (const int label : a.labels)
      (!has(b.labels, label) ? of_a : has(needed, label) ? both : summed).push_back(label);
    for (const int label : b.labels)
      if (!has(a.labels, label)) of_b.push_back(label);
    const EinsumLabels result = joined(both, of_a, of_b);
    if (summed.empty() || !is_float(a.x.dtype())) {
      const EinsumLabels all = joined(result, summed);
      const Tensor terms = mul(spread(a, all), spread(b, all), source_);
      return sum_out({terms, all}, result);
    }
    const size_t n = both.size();
    const Tensor x = grouped(ordered(a, joined(both, of_a, summed)), n, {of_a, summed});
    const Tensor y = grouped(ordered(b, joined(both, summed, of_b)), n, {summed, of_b});
    const Tensor z = matmul(x, y, {}, source_);
    if (of_a.size() == 1 && of_b.size() == 1) return {z, result};
    Shape sizes;
    int64_t open = -1;
    for (const int label : joined(of_a, of_b)) {
      if (label == batch_) open = static_cast<int64_t>(sizes.size());
      sizes.push_back(size_in(has(a.labels, label) ? a : b, label));
    }
    return {with_sizes(z, n, sizes, open), result};
  }

 private:
  void add_size(const Tensor& first, int label, int64_t size) {
    const auto [known, is_new] = sizes_.emplace(label, size);
    if (is_new || known->second == size) return;
    if (label < 0 && (size == 1 || known->second == 1)) {
      known->second = size == 1 ? known->second : size;
      return;
    }
    const std::string name =
        label < 0 ? "a dimension of the ellipsis" : std::string("'") + static_cast<char>(label) + "'";
    refuse(first, "einsum",
           "one size for " + name + ", which has the sizes " + std::to_string(known->second) + " and " +
               std::to_string(size),
           source_);
  }

  // A dimension of the ellipsis may be smaller in one operand than in others.
  static int64_t size_in(const Term& t, int label) {
    return t.x
        .shape()[static_cast<size_t>(std::find(t.labels.begin(), t.labels.end(), label) - t.labels.begin())];
  }

  // Returns x with a dimension of size 1 for each label that it does not have.
  Tensor spread(const Term& t, const EinsumLabels& order) const {
    EinsumLabels own;
    Shape sizes;
    int64_t open = -1;
    size_t kept = 0;  // the number of dimensions before the first new dimension
    for (const int label : order) {
      const bool is_own = has(t.labels, label);
      if (is_own) own.push_back(label);
      if (is_own && sizes.empty()) {
        ++kept;
        continue;
      }
      if (is_own && label == batch_) open = static_cast<int64_t>(sizes.size());
      sizes.push_back(is_own ? size_in(t, label) : 1);
    }
    const Tensor x = ordered(t, own);
    return sizes.empty() ? x : with_sizes(x, kept, sizes, open);
  }

  // Joins the dimensions of x after the first `kept` dimensions into one dimension per group.
  Tensor grouped(const Tensor& x, size_t kept, const std::vector<EinsumLabels>& groups) const {
    Shape sizes;
    int64_t open = -1;
    bool same = true;
    size_t d = kept;
    for (const EinsumLabels& group : groups) {
      if (has(group, batch_)) open = static_cast<int64_t>(sizes.size());
      same = same && group.size() == 1;
      sizes.push_back(1);
      for (size_t i = 0; i < group.size(); ++i) sizes.back() *= x.shape()[d++];
    }
    return same ? x : with_sizes(x, kept, sizes, open);
  }

  // Reshapes x to the given sizes after its first `kept` dimensions. The program infers the size number
  // `open`, unless `open` is -1.
  Tensor with_sizes(const Tensor& x, size_t kept, const Shape& sizes, int64_t open) const {
    Shape whole(x.shape().begin(), x.shape().begin() + static_cast<std::ptrdiff_t>(kept));
    whole.insert(whole.end(), sizes.begin(), sizes.end());
    // In a program, a size of 0 keeps the size of the operand, so the program of an empty tensor has all its
    // sizes.
    if (has_zero(whole)) return ops::reshape_like(x, type_only(x, {x.dtype(), whole}, source_), source_);
    std::fill(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(kept), 0);
    if (open >= 0) whole[kept + static_cast<size_t>(open)] = -1;
    return reshape(x, {.shape = whole}, source_);
  }
  static bool has_zero(const Shape& shape) { return std::count(shape.begin(), shape.end(), 0) > 0; }

  Where source_;
  int batch_ = 0;  // no label
  std::map<int, int64_t> sizes_;
};

}  // namespace

Tensor einsum(const std::string& equation, const std::vector<Tensor>& operands, Where source) {
  const auto again = [equation, operands = kept(operands), source](const Counterpart& now) {
    return einsum(equation, now(operands), source);
  };
  const Tensor first = operands.empty() ? Tensor() : operands[0];
  return compose_in_f32(
      first, "einsum", source, again, std::tie(operands), [&](const std::vector<Tensor>& operands) {
        std::vector<int> ranks;
        for (const Tensor& x : operands) {
          require_tensor(x, "einsum", source);
          ranks.push_back(x.type().rank());
        }
        const Result<EinsumEquation> parsed = parse_einsum(equation, ranks);
        if (!parsed.ok())
          throw Error(ErrorCode::kInvalidArgument, "the equation of einsum " + parsed.error().what,
                      Error::line_of(source), "write it as in \"bij,bjk->bik\"");
        const EinsumEquation& e = *parsed;
        const Einsum sums(e, operands, source);
        // For each operand, the labels that the result and the operands after it have. There are few labels,
        // but maybe many operands.
        std::vector<EinsumLabels> later(operands.size(), e.result);
        for (size_t i = operands.size() - 1; i > 0; --i) {
          later[i - 1] = later[i];
          for (const int label : e.operands[i])
            if (!has(later[i - 1], label)) later[i - 1].push_back(label);
        }
        Term total;
        for (size_t i = 0; i < operands.size(); ++i) {
          Term next =
              sums.sum_out(sums.diagonal({operands[i], e.operands[i]}), joined(later[i], total.labels));
          total = i == 0 ? next
                         : sums.product(sums.sum_out(total, joined(later[i], next.labels)), next, later[i]);
        }
        return sums.ordered(total, e.result);
      });
}
Tensor einsum(const std::string& equation, const Tensor& x, Where source) {
  return einsum(equation, std::vector{x}, source);
}
Tensor einsum(const std::string& equation, const Tensor& x, const Tensor& y, Where source) {
  return einsum(equation, std::vector{x, y}, source);
}
Tensor einsum(const std::string& equation, const Tensor& x, const Tensor& y, const Tensor& z, Where source) {
  return einsum(equation, std::vector{x, y, z}, source);
}

}  // namespace cutset
