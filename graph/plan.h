// Which device each op of a program runs on, as a small table that people read and edit. docs/plan-format.md
// describes the text.
//
// The parser takes bytes from anywhere: it neither recurses nor trusts a number, it reads in linear time (apart
// from sorting names), and every error names the line and the column.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ir/core/result.h"

namespace cutset {

struct Plan {
  // All ops with one id in one replica: a forward op and its backward ops. An id counts from 1 in the order in
  // which the user built the graph.
  struct Op {
    int64_t id = 0;
    std::string op;  // the name of one of them
    std::string device;
    int64_t replica = 0;
    std::string note;  // written as a comment; the parser drops it
    int line = 0;      // of the text; 0: not from text
  };
  // Where the copies of a variable live, one device a replica.
  struct Home {
    std::string variable;
    std::vector<std::string> devices;
    int line = 0;
  };
  // The name of the program that the plan was made for. Empty: the plan was made by this compilation's own
  // session, so it need not be checked against the program.
  std::string program;
  std::vector<Op> ops;
  std::vector<Home> homes;
};

// Limits of what is read; a longer text, line or list is an error.
inline constexpr size_t kPlanBytes = size_t{1} << 26, kPlanLineBytes = size_t{1} << 16, kPlanEntries = size_t{1} << 20;
inline constexpr int64_t kPlanReplicas = 4096;

// A plan of `text`, or an error of the kind kInvalidData whose `where` is "plan:LINE:COLUMN".
Result<Plan> parse_plan(std::string_view text);
// parse_plan of it gives `plan` again, but for notes and lines.
std::string plan_text(const Plan& plan);

}  // namespace cutset
