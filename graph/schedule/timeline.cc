// SPDX-License-Identifier: Apache-2.0
#include "graph/schedule/timeline.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "graph/xml_text.h"

namespace cutset {
namespace {

// Returns the number with three decimal places.
std::string number(double value) {
  char text[64];
  std::snprintf(text, sizeof text, "%.3f", value);
  return text;
}

char letter_of(ActionKind kind) {
  if (kind == ActionKind::kForward) return 'F';
  return kind == ActionKind::kBackwardWeight ? 'W' : 'B';
}

const char* colour_of(ActionKind kind) {
  switch (kind) {
    case ActionKind::kForward:
      return "#8ab6e8";
    case ActionKind::kBackward:
      return "#e8a15f";
    case ActionKind::kBackwardInput:
      return "#f0c46c";
    case ActionKind::kBackwardWeight:
      return "#9ccf8a";
  }
  return "";
}

double shortest_action(const Simulation& simulation) {
  double shortest = 0;
  for (const auto& times : simulation.times)
    for (const ActionTime& t : times)
      if (t.end > t.start && (shortest == 0 || t.end - t.start < shortest)) shortest = t.end - t.start;
  return shortest;
}

}  // namespace

std::string timeline_text(const Schedule& schedule, const Simulation& simulation, int columns) {
  const double shortest = shortest_action(simulation);
  if (shortest == 0 || columns < 1) return "";
  const double columns_of_shortest = std::round(simulation.makespan / shortest);
  const int width =
      columns_of_shortest < columns ? std::max(1, static_cast<int>(columns_of_shortest)) : columns;
  std::string text;
  for (size_t d = 0; d < schedule.devices.size(); ++d) {
    std::string letters(static_cast<size_t>(width), '.'), numbers = letters;
    size_t i = 0;
    for (int c = 0; c < width; ++c) {
      const double middle = (c + 0.5) * simulation.makespan / width;
      while (i < simulation.times[d].size() && simulation.times[d][i].end <= middle) ++i;
      if (i == simulation.times[d].size() || simulation.times[d][i].start > middle) continue;
      const Action& a = schedule.devices[d][i];
      letters[static_cast<size_t>(c)] = letter_of(a.kind);
      numbers[static_cast<size_t>(c)] = static_cast<char>('0' + a.micro_batch % 10);
    }
    const std::string name = "device " + std::to_string(d);
    text += name + " | " + letters + "\n" + std::string(name.size(), ' ') + " | " + numbers + "\n";
  }
  return text;
}

std::string timeline_svg(const Schedule& schedule, const Simulation& simulation, const std::string& title) {
  constexpr double kWidth = 1200, kLeft = 80, kRow = 26, kTop = 30;
  const double scale = simulation.makespan > 0 ? kWidth / simulation.makespan : 0;
  const double height = kTop + kRow * static_cast<double>(schedule.devices.size()) + 10;
  std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + number(kLeft + kWidth + 10) +
                    "\" height=\"" + number(height) + "\" font-family=\"sans-serif\" font-size=\"11\">\n";
  svg += "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n";
  svg += "<text x=\"" + number(kLeft) + "\" y=\"18\">" + xml_text(title) + "</text>\n";
  for (size_t d = 0; d < schedule.devices.size(); ++d) {
    const double y = kTop + kRow * static_cast<double>(d);
    svg += "<text x=\"8\" y=\"" + number(y + 15) + "\">device " + std::to_string(d) + "</text>\n";
    for (size_t i = 0; i < schedule.devices[d].size(); ++i) {
      const Action& a = schedule.devices[d][i];
      const ActionTime& t = simulation.times[d][i];
      const double x = kLeft + t.start * scale, w = (t.end - t.start) * scale;
      svg += "<g><title>" + describe(a) + ": " + number(t.start) + " s to " + number(t.end) +
             " s</title><rect x=\"" + number(x) + "\" y=\"" + number(y) + "\" width=\"" + number(w) +
             "\" height=\"" + number(kRow - 4) + "\" fill=\"" + colour_of(a.kind) +
             "\" stroke=\"white\" stroke-width=\"0.5\"/>";
      const std::string label = std::to_string(a.micro_batch);
      if (w > 7 * static_cast<double>(label.size()))
        svg += "<text x=\"" + number(x + w / 2) + "\" y=\"" + number(y + 15) + "\" text-anchor=\"middle\">" +
               label + "</text>";
      svg += "</g>\n";
    }
  }
  return svg + "</svg>\n";
}

}  // namespace cutset
