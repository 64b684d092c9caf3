package org.tutti.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.tutti.sim.diagram.Diagram;
import org.tutti.sim.diagram.Recording;
import org.tutti.sim.diagram.TimeWindow;
import org.w3c.dom.Document;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

/// A run of splits is drawn as well-formed SVG, with all its nodes, its views and a split.
class DiagramTest {
  private static final long SEEDS = 12;
  private static final int NODES = 4;

  @Test
  void aSplitAndAMergeAreDrawn() throws Exception {
    for (long seed = 1; seed <= SEEDS; seed++) {
      Document svg = parse(draw(plan(seed), false));
      List<String> words = texts(svg);
      for (int node = 0; node < NODES; node++) {
        assertThat(words).as("seed " + seed).contains("n" + node);
      }
      assertThat(words).as("seed " + seed).anyMatch(text -> text.startsWith("cut: n"));
      assertThat(kinds(svg)).as("seed " + seed).contains("primary", "non-primary", "cut", "talk install");
    }
  }

  @Test
  void aWholeRunOfAnySeedIsWellFormed() throws Exception {
    for (long seed = 1; seed <= SEEDS; seed++) {
      Document svg = parse(draw(Plan.draw(seed), true));
      assertThat(kinds(svg)).as("seed " + seed).contains("life", "primary", "page");
    }
  }

  @Test
  void aSeedGivesTheSameBytesAndTheSameRun() {
    Plan plan = plan(1);
    assertThat(draw(plan, false)).isEqualTo(draw(plan, false));
    assertThat(Simulation.run(plan, new Recording(plan)).traceHash()).isEqualTo(Simulation.run(plan).traceHash());
  }

  private static Plan plan(long seed) {
    Limits limits = Limits.NONE.about(Limits.Theme.PARTITIONS).nodes(NODES);
    for (FaultKind kind : FaultKind.values()) {
      limits = kind == FaultKind.PARTITION ? limits : limits.without(kind);
    }
    Plan plan = Plan.draw(seed).within(limits);
    return plan.nodes() == NODES ? plan : plan(seed + SEEDS);
  }

  private static String draw(Plan plan, boolean whole) {
    var recording = new Recording(plan);
    long end = Simulation.run(plan, recording).endNanos();
    return Diagram.draw(recording, whole ? new TimeWindow(0, end) : TimeWindow.ofSplitAndMerge(recording));
  }

  private static Document parse(String svg) throws Exception {
    return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(new InputSource(new StringReader(svg)));
  }

  private static List<String> texts(Document svg) {
    List<String> texts = new ArrayList<>();
    NodeList found = svg.getElementsByTagName("text");
    for (int i = 0; i < found.getLength(); i++) {
      texts.add(found.item(i).getTextContent());
    }
    return texts;
  }

  private static List<String> kinds(Document svg) {
    List<String> kinds = new ArrayList<>();
    NodeList found = svg.getElementsByTagName("*");
    for (int i = 0; i < found.getLength(); i++) {
      var kind = found.item(i).getAttributes().getNamedItem("class");
      if (kind != null) {
        kinds.add(kind.getNodeValue());
      }
    }
    return kinds;
  }
}
