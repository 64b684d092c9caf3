package org.tutti.romiop;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;

class CdrOutTest {
  @Test
  void whatComesAfterALongValueIsAlignedAsAfterAShortOne() throws Exception {
    for (int length = 1000; length < 1050; length++) {
      byte[] value = new byte[length];
      new Random(length).nextBytes(value);
      CdrOut out = new CdrOut().octet(7).octets(value).ulonglong(-2).octets(value).octet(9);
      CdrIn in = new CdrIn(ByteBuffer.wrap(out.bytes()), 0);
      assertThat(in.octet()).isEqualTo(7);
      assertThat(in.octets(length)).isEqualTo(value);
      assertThat(in.ulonglong()).isEqualTo(-2);
      assertThat(in.octets(length)).isEqualTo(value);
      assertThat(in.octet()).isEqualTo(9);
      assertThat(out.bytes()).hasSize(out.size());
    }
  }

  /// Else a request of 16 MiB takes several times its length of the memory of each member.
  @Test
  void aLongArgumentIsCopiedOnceIntoItsRequest() throws Exception {
    Giop request = Giop.request("Counter", "set", new byte[1 << 20]);
    var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadAllocatedBytes();
    Giop call = Giop.call("Delivery", "deliver", 5, ServantProcess.delivered("life", 1, request));
    long allocated = threads.getCurrentThreadAllocatedBytes() - before;
    assertThat(call.requestId()).isEqualTo(5);
    assertThat(allocated).isBetween((long) call.bytes().length, call.bytes().length + (64L << 10));
  }
}
