package org.tutti.transport;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;
import org.tutti.Metric;

/// What is counted, for transports: a number for each constant of an enumeration, which declares what it means.
///
/// {@snippet class="ApiExamplesTest" region="counted"}
/// {@snippet class="ApiExamplesTest" region="counts"}
///
/// To count is to write an element of an array: nothing is looked up or allocated. So a metric is declared once, beside
/// those that are counted with it, and nothing that a peer sends becomes a name. Any thread reads.
///
/// @param <C> the enumeration
public final class Counts<C extends Enum<C> & Counts.Counted> {
  /// A constant that is counted.
  public interface Counted {
    /// What the count means.
    ///
    /// @return its declaration; the value is not used
    Metric metric();
  }

  private final C[] declared;
  private final AtomicLongArray values;

  /// All are 0.
  ///
  /// @param type the enumeration
  public Counts(Class<C> type) {
    this.declared = type.getEnumConstants();
    this.values = new AtomicLongArray(declared.length);
  }

  /// Adds on the one thread that writes this count; a plain read and an opaque write are enough for it.
  ///
  /// @param count  what
  /// @param amount how much of it
  public void add(C count, long amount) {
    int index = count.ordinal();
    values.setOpaque(index, values.getPlain(index) + amount);
  }

  /// Adds one on the one thread that writes this count.
  ///
  /// @param count what
  public void add(C count) {
    add(count, 1);
  }

  /// Adds on any thread. A count is written this way always, or never.
  ///
  /// @param count  what
  /// @param amount how much of it
  public void addShared(C count, long amount) {
    values.getAndAdd(count.ordinal(), amount);
  }

  /// Adds one on any thread. A count is written this way always, or never.
  ///
  /// @param count what
  public void addShared(C count) {
    addShared(count, 1);
  }

  /// Sets what is a gauge.
  ///
  /// @param gauge what
  /// @param value what it is now
  public void set(C gauge, long value) {
    values.setOpaque(gauge.ordinal(), value);
  }

  /// What one of them is now.
  ///
  /// @param count which
  /// @return its value
  public long get(C count) {
    return values.getOpaque(count.ordinal());
  }

  /// All of them as they are now.
  ///
  /// @return a copy, in the order of their declaration
  public List<Metric> metrics() {
    var all = new ArrayList<Metric>(declared.length);
    for (C count : declared) {
      all.add(count.metric().with(get(count)));
    }
    return all;
  }
}
