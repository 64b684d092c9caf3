package org.tutti.examples.tracing;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.context.Context;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.tutti.TracedMessage;
import org.tutti.replica.Client;

/// A client whose calls are spans, children of the span that is current where the call is made.
///
/// The trace context goes with each command, so that what the replicas do belongs to the same trace: [TracedService].
public final class TracedClient {
  private final Client client;
  private final OpenTelemetry telemetry;

  /// Wraps a client.
  ///
  /// @param client    of a service that is wrapped, too, at all its replicas; closed by whoever made it
  /// @param telemetry makes the spans
  public TracedClient(Client client, OpenTelemetry telemetry) {
    this.client = client;
    this.telemetry = telemetry;
  }

  /// Has the service execute a command, once, however often the client sends it: the span is of the whole call.
  ///
  /// @param command from position to limit
  /// @return as [Client#call(ByteBuffer)]
  /// @throws InterruptedException when interrupted while waiting; nothing was sent
  public CompletableFuture<ByteBuffer> call(ByteBuffer command) throws InterruptedException {
    Span span = telemetry.getTracer("org.tutti").spanBuilder("call").setSpanKind(SpanKind.CLIENT).startSpan();
    Map<String, String> context = new HashMap<>();
    telemetry
        .getPropagators()
        .getTextMapPropagator()
        .inject(Context.current().with(span), context, (_, name, value) -> context.put(name, value));
    var traced = TracedMessage.of(context.get("traceparent"), context.get("tracestate"), command);
    try {
      return client
          .call(traced.encode())
          .whenComplete((_, failure) -> {
            if (failure != null) {
              span.recordException(failure).setStatus(StatusCode.ERROR);
            }
            span.end();
          });
    } catch (InterruptedException | RuntimeException notSent) {
      span.recordException(notSent).setStatus(StatusCode.ERROR).end();
      throw notSent;
    }
  }
}
