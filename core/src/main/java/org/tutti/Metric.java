package org.tutti;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// A number that a node tells about itself, with what it means.
///
/// {@snippet class="ApiExamplesTest" region="metric"}
///
/// Names are of one scheme, lower case letters and dots:
///
/// | kind | name | unit |
/// | --- | --- | --- |
/// | counter | layer, what is counted, what happened to it: `link.packets.repeated` | the second word |
/// | gauge | layer, whose size it is, unit: `udp.path.bytes` | the last word |
///
/// Tags tell apart what has one name: reasons, kinds. Each name is always there with all its tags, also when nothing
/// was counted, but for the reasons of `link.packets.damaged` and `engine.messages.malformed`, which are there from the
/// first time on. All names and tags are constants of the code: nothing that a peer says becomes one, but for the tags
/// `group` and `peer` of [GroupMetrics#list]. The guide `docs/guides/metrics.md` lists them.
///
/// @param name  what it is
/// @param tags  which of those of this name, sorted; mostly none or one
/// @param value what was counted since the node was started, or what is now
/// @param unit  in which `value` is
/// @param kind  whether it only grows
/// @param about a sentence for people
public record Metric(String name, List<Tag> tags, long value, String unit, Kind kind, String about) {
  /// How a value moves.
  public enum Kind {
    /// It grows from 0 on, for as long as the node runs.
    COUNTER,
    /// It goes up and down.
    GAUGE
  }

  /// What tells metrics of one name apart.
  ///
  /// @param name  such as `reason`
  /// @param value lower case words with hyphens between them, such as `bad-length`; of `group` and `peer`, that one's
  ///              name
  public record Tag(String name, String value) {
    @Override
    public String toString() {
      return name + "=" + value;
    }
  }

  /// By name, then by tags.
  public static final Comparator<Metric> ORDER =
      Comparator.comparing(Metric::name).thenComparing(metric -> metric.tags.toString());

  private static final Pattern NAME = Pattern.compile("[a-z]+(\\.[a-z]+){2,3}");
  private static final Pattern TAG = Pattern.compile("[a-z]+=[a-z]+(-[a-z]+)*");

  /// Copies the tags.
  public Metric {
    tags = List.copyOf(tags);
  }

  /// Declares a counter.
  ///
  /// @param name  layer, what is counted, what happened to it
  /// @param about a sentence for people
  /// @return with the value 0 and no tags
  /// @throws IllegalArgumentException when the name is not of the scheme
  public static Metric counter(String name, String about) {
    return new Metric(name, List.of(), 0, words(name)[1], Kind.COUNTER, about);
  }

  /// Declares a gauge.
  ///
  /// @param name  layer, whose size it is, unit
  /// @param about a sentence for people
  /// @return with the value 0 and no tags
  /// @throws IllegalArgumentException when the name is not of the scheme
  public static Metric gauge(String name, String about) {
    String[] words = words(name);
    return new Metric(name, List.of(), 0, words[words.length - 1], Kind.GAUGE, about);
  }

  private static String[] words(String name) {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException("not the name of a metric: \"" + name + "\"");
    }
    return name.split("\\.");
  }

  /// The same with a further tag.
  ///
  /// @param name  its name
  /// @param value its value
  /// @return a copy
  /// @throws IllegalArgumentException when one of them is not as [Tag] says
  public Metric tagged(String name, String value) {
    var tag = new Tag(name, value);
    if (!TAG.matcher(tag.toString()).matches()) {
      throw new IllegalArgumentException("not a tag of a metric: \"" + tag + "\"");
    }
    List<Tag> more = Stream.concat(tags.stream(), Stream.of(tag)).sorted(Comparator.comparing(Tag::name)).toList();
    return new Metric(this.name, more, this.value, unit, kind, about);
  }

  /// The same with a value.
  ///
  /// @param now the value
  /// @return a copy
  public Metric with(long now) {
    return new Metric(name, tags, now, unit, kind, about);
  }

  /// The value of a tag.
  ///
  /// @param of the tag's name
  /// @return its value; null without such a tag
  public @Nullable String tag(String of) {
    return tags.stream().filter(tag -> tag.name.equals(of)).map(Tag::value).findFirst().orElse(null);
  }

  /// Name and tags as one text, by which a metric can be found again.
  ///
  /// @return such as `loop.waits.made` or `udp.datagrams.dropped{reason=forged}`
  public String key() {
    return tags.isEmpty() ? name : tags.stream().map(Tag::toString).collect(Collectors.joining(",", name + "{", "}"));
  }

  /// The values alone, for programs that keep or compare them.
  ///
  /// @param metrics what was told, each key once
  /// @return by [#key], sorted
  public static SortedMap<String, Long> byKey(Collection<Metric> metrics) {
    var values = new TreeMap<String, Long>();
    metrics.forEach(metric -> values.put(metric.key(), metric.value));
    return values;
  }

  /// The sum over all tags of one name.
  ///
  /// @param metrics what was told
  /// @param name    the name
  /// @return 0 when nothing is told of this name
  public static long sum(Collection<Metric> metrics, String name) {
    return metrics.stream().filter(metric -> metric.name.equals(name)).mapToLong(Metric::value).sum();
  }

  @Override
  public String toString() {
    return key() + " " + value + " " + unit;
  }
}
