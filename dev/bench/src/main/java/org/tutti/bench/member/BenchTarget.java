package org.tutti.bench.member;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.HdrHistogram.Histogram;

/// What is measured, as one of several processes: a member of a Tutti group, one end of plain sockets, another toolkit.
///
/// One thread calls the methods, in the order [#open], [#form], [#ready], then measurements; but [#delivered] is asked
/// while others are sending. Whoever measures with other toolkits provides it as a service of the class path.
public interface BenchTarget extends AutoCloseable {
  /// The setting that says which address to listen on.
  String HOST = "host";

  /// That address where nothing else is said.
  String LOOPBACK = "127.0.0.1";

  /// The setting that says which addresses to take, those of a process whose place this one takes; where it is not
  /// said, they are chosen.
  String AT = "at";

  /// What a counter of views is called.
  String VIEWS = "views-installed";

  /// What a counter of bytes is called that were sent again, because they were lost or seemed to be.
  String REPEATED = "repeated-bytes";

  /// By which name a process is started with it.
  ///
  /// @return one word
  String name();

  /// Binds to the address that the setting [#HOST] names.
  ///
  /// @param settings what was chosen for this run, by name
  /// @return where the others reach it, without blanks and commas
  /// @throws IOException when no socket can be opened
  String open(Map<String, String> settings) throws IOException;

  /// Comes together with those of lower rank. Called at one process after the other, by rank.
  ///
  /// @param rank      this process's place
  /// @param addresses of all, by rank
  /// @throws Exception when they do not come together
  void form(int rank, List<String> addresses) throws Exception;

  /// Waits until all are there.
  ///
  /// @throws InterruptedException when interrupted
  /// @throws TimeoutException     when somebody does not come
  void ready() throws InterruptedException, TimeoutException;

  /// A trial of this one's process group begins, or has ended: those who would use the processor while nothing is asked
  /// of them must not do so while others are measured.
  ///
  /// @param ours whether it begins
  default void turn(boolean ours) {}

  /// Sends as fast as it may.
  ///
  /// @param bytes    the length of each message
  /// @param forNanos how long
  /// @return how many messages were sent; each is delivered at every process, this one too
  /// @throws InterruptedException when interrupted
  /// @throws IOException          when a connection breaks
  long flood(int bytes, long forNanos) throws InterruptedException, IOException;

  /// One message after the other, each when the one before has come back.
  ///
  /// @param bytes    the length of each message
  /// @param forNanos how long
  /// @param sendingThread     which thread sends
  /// @return the times in nanoseconds
  /// @throws InterruptedException when interrupted
  /// @throws IOException          when a connection breaks
  /// @throws ExecutionException   when a message fails
  Histogram closedLoop(int bytes, long forNanos, SendingThread sendingThread)
      throws InterruptedException, IOException, ExecutionException;

  /// Messages at a fixed rate, whatever becomes of those before.
  ///
  /// @param bytes     the length of each message
  /// @param perSecond the rate
  /// @param forNanos  how long
  /// @return the times from when a message was due until it was back, in nanoseconds
  /// @throws IOException          when a connection breaks
  /// @throws InterruptedException when interrupted
  default Histogram openLoop(int bytes, int perSecond, long forNanos) throws IOException, InterruptedException {
    throw new UnsupportedOperationException("not measured");
  }

  /// Closed loops of several callers side by side.
  ///
  /// @param calls which
  /// @return the times of all
  /// @throws InterruptedException when interrupted
  /// @throws IOException          when a connection breaks
  /// @throws ExecutionException   when a call fails
  /// @throws TimeoutException     when calls are not answered
  default Callers.Result calls(Calls calls)
      throws InterruptedException, IOException, ExecutionException, TimeoutException {
    throw new UnsupportedOperationException("not measured");
  }

  /// How many messages have been delivered here. From any thread.
  ///
  /// @return the count since the start
  long delivered();

  /// The thread that calls the listener, whose allocation is counted.
  ///
  /// @return its id, or -1 when there is none or not one only
  default long engineThread() {
    return -1;
  }

  /// What it counts itself.
  ///
  /// @return counts by name
  /// @throws InterruptedException when interrupted
  default Map<String, Long> counters() throws InterruptedException {
    return Map.of();
  }

  /// From now on each delivery here takes this long.
  ///
  /// @param nanos for each message; 0 for as fast as it can
  default void slow(long nanos) {
    throw new UnsupportedOperationException("not measured");
  }

  /// What only some can do.
  ///
  /// @param command its name and what it is to be done with
  /// @return the answer
  /// @throws InterruptedException when interrupted
  /// @throws TimeoutException     when others do not do their part
  default Map<String, ?> perform(String[] command) throws InterruptedException, TimeoutException {
    throw new IllegalArgumentException("no command: " + command[0]);
  }

  @Override
  void close();

  /// What callers do.
  enum Operation {
    /// A command, or a message that all get in one order.
    CALL,

    /// A linearizable read.
    READ
  }

  /// Closed loops of several callers, each with one call open.
  ///
  /// @param operation     what they do
  /// @param callers       how many there are
  /// @param perClient     how many of them have a client of a service in common
  /// @param bytes         the length of each request
  /// @param nanos         how long they make calls
  /// @param sendingThread whether each is a thread that waits, or whoever completes a call makes the next one
  record Calls(Operation operation, int callers, int perClient, int bytes, long nanos, SendingThread sendingThread) {}

  /// Which thread sends in a closed loop.
  enum SendingThread {
    /// A thread of the application, which waits.
    THREAD,

    /// The one that delivers.
    LISTENER
  }
}
