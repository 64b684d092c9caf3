package org.tutti.examples.tracing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Scope;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.Node;
import org.tutti.replica.Client;
import org.tutti.replica.Command;
import org.tutti.replica.CommandFailedException;
import org.tutti.replica.Replica;
import org.tutti.replica.StateMachine;

/// A client and three replicas, over sockets. Each has an SDK of its own, as in processes of their own: the only thing
/// that joins their spans is what was sent.
@Tag("socket")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TracingTest {
  private static final Duration SOON = Duration.ofSeconds(60);

  /// An SDK that keeps its spans.
  private record Traces(OpenTelemetrySdk sdk, InMemorySpanExporter spans) {
    static Traces begin() {
      InMemorySpanExporter spans = InMemorySpanExporter.create();
      var provider = SdkTracerProvider.builder().addSpanProcessor(SimpleSpanProcessor.create(spans)).build();
      var w3c = ContextPropagators.create(W3CTraceContextPropagator.getInstance());
      return new Traces(OpenTelemetrySdk.builder().setTracerProvider(provider).setPropagators(w3c).build(), spans);
    }

    List<SpanData> await(int count) {
      long end = System.nanoTime() + SOON.toNanos();
      while (spans.getFinishedSpanItems().size() < count) {
        assertThat(System.nanoTime()).as("%s", spans.getFinishedSpanItems()).isLessThan(end);
        Thread.onSpinWait();
      }
      return spans.getFinishedSpanItems();
    }
  }

  /// Adds up; refuses what is negative.
  private static final class Sum implements StateMachine {
    private long sum;

    @Override
    public ByteBuffer apply(Command command) {
      long amount = command.payload().getLong();
      if (amount < 0) {
        throw new IllegalArgumentException("not " + amount);
      }
      sum += amount;
      return ByteBuffer.allocate(8).putLong(0, sum);
    }

    @Override
    public Snapshot snapshot() {
      long copy = sum;
      return out -> out.write(ByteBuffer.allocate(8).putLong(0, copy).array());
    }

    @Override
    public void restore(InputStream in) throws IOException {
      sum = ByteBuffer.wrap(in.readNBytes(8)).getLong();
    }
  }

  private final List<Node> nodes = new ArrayList<>();
  private final List<Replica> replicas = new ArrayList<>();
  private final List<Traces> executed = new ArrayList<>();
  private final Traces called = Traces.begin();

  @BeforeEach
  void start() throws Exception {
    for (String name : List.of("n1", "n2", "n3")) {
      String[] contacts = nodes.stream().map(node -> node.self().address().text()).toArray(String[]::new);
      Node node = Node.named(name).contacts(contacts).start();
      nodes.add(node);
      Traces traces = Traces.begin();
      executed.add(traces);
      replicas.add(Replica.of("sum", new TracedService(new Sum(), traces.sdk)).expecting("n1", "n2", "n3").start(node));
    }
    for (Replica replica : replicas) {
      replica.awaitServing(SOON);
    }
  }

  @AfterEach
  void stop() {
    replicas.forEach(Replica::close);
    nodes.forEach(Node::close);
    executed.forEach(traces -> traces.sdk.close());
    called.sdk.close();
  }

  private static ByteBuffer number(long value) {
    return ByteBuffer.allocate(8).putLong(0, value);
  }

  @Test
  void aCallAndWhatEachReplicaDoesForItAreOneTrace() throws Exception {
    try (Client client = Client.of("sum").at(replicas.getFirst().clients()).connect()) {
      var traced = new TracedClient(client, called.sdk);
      Span request = called.sdk.getTracer("test").spanBuilder("request").startSpan();
      try (Scope _ = request.makeCurrent()) {
        assertThat(traced.call(number(5)).get().getLong()).isEqualTo(5);
      }
      request.end();
      SpanData call = called.await(2).getFirst();
      assertThat(call.getTraceId()).isEqualTo(request.getSpanContext().getTraceId());
      assertThat(call.getParentSpanId()).isEqualTo(request.getSpanContext().getSpanId());
      for (Traces replica : executed) {
        SpanData apply = replica.await(1).getFirst();
        assertThat(apply.getTraceId()).isEqualTo(call.getTraceId());
        assertThat(apply.getParentSpanContext().getSpanId()).isEqualTo(call.getSpanId());
        assertThat(apply.getParentSpanContext().isRemote()).isTrue();
      }

      assertThatThrownBy(() -> traced.call(number(-1)).get())
          .isInstanceOf(ExecutionException.class)
          .hasCauseInstanceOf(CommandFailedException.class);
      for (Traces replica : executed) {
        assertThat(replica.await(2).getLast().getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
      }
      assertThat(called.await(3).getLast().getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);

      // A client that traces nothing is served, too: its commands begin traces of their own.
      assertThat(new TracedClient(client, OpenTelemetry.noop()).call(number(2)).get().getLong()).isEqualTo(7);
      for (Traces replica : executed) {
        assertThat(replica.await(3).getLast().getParentSpanContext().isValid()).isFalse();
      }
    }
  }
}
