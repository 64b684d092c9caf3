package org.tutti.examples.tracing;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.opentelemetry.context.propagation.TextMapGetter;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.tutti.TracedMessage;
import org.tutti.replica.Command;
import org.tutti.replica.StateMachine;

/// A service whose commands are spans: one at each replica, all of them children of the span of the client's call.
///
/// The spans are no part of the state: whether a replica has a tracer, and what it samples, may differ. They are
/// recorded on the thread of the replica, so the exporter must not block: take a batch processor.
public final class TracedService implements StateMachine {
  private static final TextMapGetter<TracedMessage> HEADER = TracedService::header;

  private final StateMachine service;
  private final OpenTelemetry telemetry;

  /// Wraps a service; the same at all replicas.
  ///
  /// @param service   executes the commands, which get no header; its queries are not traced
  /// @param telemetry makes the spans
  public TracedService(StateMachine service, OpenTelemetry telemetry) {
    this.service = service;
    this.telemetry = telemetry;
  }

  private static @Nullable String header(@Nullable TracedMessage of, String name) {
    if (of == null) {
      return null;
    }
    return switch (name) {
      case "traceparent" -> of.traceparent();
      case "tracestate" -> of.tracestate();
      default -> null;
    };
  }

  @Override
  public ByteBuffer apply(Command command) {
    TracedMessage traced = TracedMessage.decode(command.payload());
    Context caller = telemetry.getPropagators().getTextMapPropagator().extract(Context.root(), traced, HEADER);
    Span span =
        telemetry
            .getTracer("org.tutti")
            .spanBuilder("apply")
            .setSpanKind(SpanKind.SERVER)
            .setParent(caller)
            .setAttribute("tutti.position", command.position())
            .startSpan();
    try (Scope _ = span.makeCurrent()) {
      return service.apply(
          new Command(command.session(), command.number(), command.position(), command.time(), traced.message()));
    } catch (RuntimeException refused) {
      span.recordException(refused).setStatus(StatusCode.ERROR);
      throw refused;
    } finally {
      span.end();
    }
  }

  @Override
  public @Nullable ByteBuffer query(ByteBuffer request) {
    return service.query(request);
  }

  @Override
  public void sessionEnded(long session, long position, Instant time) {
    service.sessionEnded(session, position, time);
  }

  @Override
  public Snapshot snapshot() {
    return service.snapshot();
  }

  @Override
  public void restore(InputStream in) throws IOException {
    service.restore(in);
  }

  @Override
  public OptionalLong digest() {
    return service.digest();
  }
}
