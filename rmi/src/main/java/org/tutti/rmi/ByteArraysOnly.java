package org.tutti.rmi;

import java.io.ObjectInputFilter;
import java.util.concurrent.atomic.AtomicLong;

/// Lets one byte array per call through, of a bounded length; any other object is refused before its class is even
/// initialized.
final class ByteArraysOnly implements ObjectInputFilter {
  private static final int DEPTH_MAX = 1;
  private static final int REFERENCES_MAX = 4; // the array, its class, its name, and one to spare

  final AtomicLong refused = new AtomicLong();
  private final int bytesMax;

  ByteArraysOnly(int bytesMax) {
    this.bytesMax = bytesMax;
  }

  @Override
  public Status checkInput(FilterInfo info) {
    boolean array = info.serialClass() == byte[].class && info.arrayLength() <= bytesMax;
    if (array && info.depth() <= DEPTH_MAX && info.references() <= REFERENCES_MAX) {
      return Status.ALLOWED;
    }
    refused.incrementAndGet();
    return Status.REJECTED;
  }
}
