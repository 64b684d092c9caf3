package org.tutti.examples.spring;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.tutti.replica.CommandFailedException;
import org.tutti.replica.Read;
import org.tutti.replica.ServiceException;

/// The seats over HTTP. Any replica takes any request: its client goes to another replica when its own does not serve.
///
/// | request | 200 | 409 |
/// | --- | --- | --- |
/// | `PUT /seats/12?holder=ann` | ann has the seat, from now on or before | somebody else has it |
/// | `DELETE /seats/12?holder=ann` | nobody has it now | somebody else has it |
/// | `GET /seats/12` | who has it, empty for nobody | |
///
/// The body says who has the seat. 400: the request makes no sense. 503: no replica has answered in time; what was
/// asked for may be done, so ask again.
@RestController
@RequestMapping("/seats/{seat}")
class SeatController {
  record Seat(int seat, String holder) {}

  private final SeatReplica seats;

  SeatController(SeatReplica seats) {
    this.seats = seats;
  }

  @PutMapping
  ResponseEntity<Seat> take(@PathVariable("seat") int seat, @RequestParam("holder") String holder)
      throws InterruptedException {
    return change(new SeatRequest(SeatRequest.Kind.TAKE, seat, holder), holder);
  }

  @DeleteMapping
  ResponseEntity<Seat> release(@PathVariable("seat") int seat, @RequestParam("holder") String holder)
      throws InterruptedException {
    return change(new SeatRequest(SeatRequest.Kind.RELEASE, seat, holder), "");
  }

  private ResponseEntity<Seat> change(SeatRequest request, String wanted) throws InterruptedException {
    Seat now = new Seat(request.seat(), text(seats.client().call(request.encode())));
    return ResponseEntity.status(now.holder.equals(wanted) ? HttpStatus.OK : HttpStatus.CONFLICT).body(now);
  }

  @GetMapping
  Seat holder(@PathVariable("seat") int seat) throws InterruptedException {
    ByteBuffer question = ByteBuffer.allocate(4).putInt(0, SeatRequest.requireSeat(seat));
    return new Seat(seat, text(seats.client().query(question, Read.LINEARIZABLE)));
  }

  private static String text(CompletableFuture<ByteBuffer> reply) throws InterruptedException {
    try {
      return StandardCharsets.UTF_8.decode(reply.get()).toString();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof ServiceException known) {
        throw known;
      }
      throw new IllegalStateException(e.getCause());
    }
  }

  @ExceptionHandler({IllegalArgumentException.class, CommandFailedException.class})
  ProblemDetail refuse(Exception why) {
    return ProblemDetail.forStatusAndDetail(HttpStatus.BAD_REQUEST, String.valueOf(why.getMessage()));
  }

  @ExceptionHandler(ServiceException.class)
  ProblemDetail unavailable(ServiceException why) {
    return ProblemDetail.forStatusAndDetail(HttpStatus.SERVICE_UNAVAILABLE, String.valueOf(why.getMessage()));
  }
}
