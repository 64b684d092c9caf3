package org.tutti.sim.diagram;

import java.io.Writer;
import java.util.Locale;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;

/// Writes elements of SVG.
final class Svg {
  private final XMLStreamWriter out;

  Svg(Writer to) throws XMLStreamException {
    out = XMLOutputFactory.newInstance().createXMLStreamWriter(to);
  }

  void begin(double width, double height, String title, String style) throws XMLStreamException {
    out.writeStartDocument();
    out.writeCharacters("\n");
    open(
        "svg",
        "xmlns",
        "http://www.w3.org/2000/svg",
        "width",
        number(width),
        "height",
        number(height),
        "viewBox",
        "0 0 " + number(width) + " " + number(height));
    out.writeStartElement("title");
    out.writeCharacters(title);
    out.writeEndElement();
    out.writeStartElement("style");
    out.writeCharacters(style);
    out.writeEndElement();
    rect(0, 0, width, height, "page", "");
  }

  void end() throws XMLStreamException {
    out.writeCharacters("\n");
    out.writeEndElement();
    out.writeEndDocument();
    out.flush();
    out.close();
  }

  void open(String name, String... attributes) throws XMLStreamException {
    out.writeCharacters("\n");
    out.writeStartElement(name);
    for (int i = 0; i < attributes.length; i += 2) {
      if (!attributes[i + 1].isEmpty()) {
        out.writeAttribute(attributes[i], attributes[i + 1]);
      }
    }
  }

  void close() throws XMLStreamException {
    out.writeEndElement();
  }

  /// An element with words that appear under the mouse.
  void leaf(String hint, String name, String... attributes) throws XMLStreamException {
    open(name, attributes);
    if (!hint.isEmpty()) {
      out.writeStartElement("title");
      out.writeCharacters(hint);
      out.writeEndElement();
    }
    close();
  }

  void rect(double x, double y, double width, double height, String kind, String fill) throws XMLStreamException {
    rect(x, y, width, height, kind, fill, "");
  }

  void rect(double x, double y, double width, double height, String kind, String fill, String hint)
      throws XMLStreamException {
    leaf(
        hint,
        "rect",
        "x",
        number(x),
        "y",
        number(y),
        "width",
        number(Math.max(0.5, width)),
        "height",
        number(height),
        "class",
        kind,
        "fill",
        fill);
  }

  void line(double x1, double y1, double x2, double y2, String kind, String hint) throws XMLStreamException {
    leaf(hint, "line", "x1", number(x1), "y1", number(y1), "x2", number(x2), "y2", number(y2), "class", kind);
  }

  void circle(double x, double y, double radius, String kind, String hint) throws XMLStreamException {
    leaf(hint, "circle", "cx", number(x), "cy", number(y), "r", number(radius), "class", kind);
  }

  void path(String data, String kind, String hint) throws XMLStreamException {
    leaf(hint, "path", "d", data, "class", kind);
  }

  void text(double x, double y, String kind, String words) throws XMLStreamException {
    open("text", "x", number(x), "y", number(y), "class", kind);
    out.writeCharacters(words);
    close();
  }

  static String number(double value) {
    String text = String.format(Locale.ROOT, "%.1f", value);
    return text.endsWith(".0") ? text.substring(0, text.length() - 2) : text;
  }
}
