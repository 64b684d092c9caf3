package org.tutti.sim.diagram;

import javax.xml.stream.XMLStreamException;
import org.tutti.View;

/// What the signs mean, and a table of the views.
final class Legend {
  private static final double LINE = 17;
  private static final double SIGNS = 330; // how wide the signs are, with their words
  private static final String[] STEPS = {"Propose", "Wedged", "Accept", "Accepted", "Install", "Meet", "Other"};
  private static final String[] MEANINGS = {
    "stop, and tell what you know",
    "I have stopped, and know this",
    "this is to be the next view",
    "I have all of it",
    "it is agreed",
    "coordinators of two views find each other",
    "everything else about views; named where there is room"
  };

  private final PageLayout layout;
  private final Svg svg;
  private double y;

  Legend(PageLayout layout, Svg svg) {
    this.layout = layout;
    this.svg = svg;
  }

  /// How high it will be.
  static double height(PageLayout layout) {
    return LINE * (4 + Math.max(STEPS.length + 8, layout.views().size() + 1));
  }

  void draw() throws XMLStreamException {
    y = layout.bottom() + 2 * LINE;
    double x = PageLayout.LEFT;
    svg.text(x, y, "heading", "Signs");
    sign(x, "a member is in a primary view: full line");
    svg.rect(x, y - 11, 30, 13, "primary", "hsl(210,65%,80%)");
    sign(x, "in a view that is not primary: dashed line");
    svg.rect(x, y - 11, 30, 13, "non-primary", "hsl(210,35%,90%)");
    sign(x, "links are cut between the parts named on top");
    svg.rect(x, y - 11, 30, 13, "cut", "url(#cut)");
    sign(x, "delivery, with its position");
    svg.circle(x + 15, y - 4, 3, "delivery", "");
    sign(x, "delivery of a weak service, without a position");
    svg.circle(x + 15, y - 4, 3, "early", "");
    sign(x, "delivery in a branch, in a view that is not primary");
    svg.rect(x + 12, y - 7, 6, 6, "early", "");
    sign(x, "multicast");
    svg.path("M" + Svg.number(x + 15) + " " + Svg.number(y - 8) + "l3 6h-6z", "multicast", "");
    sign(x, "a node crashes; its next life has the same line");
    svg.path("M" + Svg.number(x + 10) + " " + Svg.number(y - 9) + "l10 10m0 -10l-10 10", "crash", "");
    for (int i = 0; i < STEPS.length; i++) {
      sign(x, STEPS[i] + ": " + MEANINGS[i]);
      svg.line(x, y - 4, x + 30, y - 4, "talk " + Messages.kind(STEPS[i]), "");
    }
    views(x + SIGNS + 60);
  }

  private void sign(double x, String words) throws XMLStreamException {
    y += LINE;
    svg.text(x + 38, y, "words", words);
  }

  private void views(double x) throws XMLStreamException {
    double line = layout.bottom() + 2 * LINE;
    svg.text(x, line, "heading", "Views: epoch.proposer, id, members by seniority, the views they come from");
    for (View view : layout.views()) {
      line += LINE;
      svg.rect(x, line - 11, 16, 13, ShortNames.kind(view), layout.colour(view));
      svg.text(x + 24, line, "words", layout.names.of(view.id()));
      svg.text(x + 100, line, "words", view.id().toString());
      svg.text(x + 220, line, "words", ShortNames.kind(view));
      String from = view.predecessors().isEmpty() ? "" : " from " + layout.names.views(view.predecessors());
      svg.text(x + 300, line, "words", layout.names.members(view) + from);
    }
  }
}
