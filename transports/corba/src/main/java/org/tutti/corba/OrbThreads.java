package org.tutti.corba;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Consumer;
import org.tutti.corba.gate.Gate;
import org.tutti.corba.gate.IiopCount;

/// The threads that an ORB starts for its requests. When one ends by an exception, that is counted: at the end of an
/// ORB it happens to JacORB that a thread looks at what another one has just destroyed, and at no other time should it.
///
/// Those that read connections are plain threads, each of which takes one connection with it. The others are classes of
/// JacORB's: who accepts, who queues requests and who works on them. There is one of each, and JacORB makes no new one,
/// so the node would not hear anybody any more: that is told ([#onLoss]).
final class OrbThreads extends ThreadGroup {
  private final Gate gate;
  private volatile Consumer<Throwable> loss = _ -> {};

  OrbThreads(Gate gate) {
    super("tutti-iiop");
    this.gate = gate;
  }

  @Override
  public void uncaughtException(Thread thread, Throwable thrown) {
    if (thrown instanceof VirtualMachineError) {
      super.uncaughtException(thread, thrown);
    } else if (!gate.isClosed()) {
      gate.count(IiopCount.ORB_THREAD_ENDED);
      if (thread.getClass() != Thread.class) {
        loss.accept(new IllegalStateException("the ORB's " + thread.getName() + " has ended", thrown));
      }
    }
  }

  /// Sets who is told that the ORB is deaf.
  void onLoss(Consumer<Throwable> told) {
    loss = told;
  }

  /// Does something on a thread of this group, so that the threads it starts belong to it.
  ///
  /// @return what it gives
  /// @throws ExecutionException with what it throws
  <T> T call(Callable<T> work) throws ExecutionException {
    FutureTask<T> task = new FutureTask<>(work);
    new Thread(this, task, "tutti-iiop start").start();
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return task.get();
        } catch (InterruptedException _) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
