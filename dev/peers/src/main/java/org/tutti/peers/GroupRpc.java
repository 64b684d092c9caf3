package org.tutti.peers;

import java.lang.reflect.Method;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jgroups.JChannel;
import org.jgroups.Message;
import org.jgroups.blocks.MethodCall;
import org.jgroups.blocks.RequestOptions;
import org.jgroups.blocks.ResponseMode;
import org.jgroups.blocks.RpcDispatcher;
import org.jgroups.util.RspList;
import org.tutti.bench.member.Callers;

/// Calls of members of a JGroups cluster to all of them, or to all others, by its `RpcDispatcher`: a call is answered
/// when all have replied (`GET_ALL`). Public for its method, which the dispatcher calls by reflection.
public final class GroupRpc {
  private static final short ECHO = 0; // calls name the method by a number, as names take longer
  private static final long TIMEOUT_MILLIS = 2_000;
  private static final int ATTEMPTS = 5; // its sequencer may drop a message soon after the start

  private final RpcDispatcher dispatcher;
  private final RequestOptions options = new RequestOptions(ResponseMode.GET_ALL, TIMEOUT_MILLIS);
  private final Runnable counter;

  /// @param channel    not connected yet
  /// @param othersOnly whether the caller's own member is left out
  /// @param counter    is told of each call that is executed here
  GroupRpc(JChannel channel, boolean othersOnly, Runnable counter) {
    if (othersOnly) {
      options.setTransientFlags(Message.TransientFlag.DONT_LOOPBACK); // who is left out need not discard it
    }
    this.counter = counter;
    Method echo = method();
    dispatcher = new RpcDispatcher(channel, this).setMethodLookup(_ -> echo);
  }

  private static Method method() {
    try {
      return GroupRpc.class.getMethod("echo", byte[].class);
    } catch (NoSuchMethodException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  /// The service: it counts calls, and answers each with what it says. For the dispatcher.
  ///
  /// @param request what is said
  /// @return the same
  public byte[] echo(byte[] request) {
    counter.run();
    return request;
  }

  /// One that waits until all have replied before its future is returned.
  Callers.Caller waiting(byte[] request, int members) {
    return () -> {
      try {
        return CompletableFuture.completedFuture(replies(request, members));
      } catch (InterruptedException | RuntimeException failure) {
        throw failure;
      } catch (Exception failure) { // the only type that JGroups declares
        throw new IllegalStateException(failure);
      }
    };
  }

  /// One whose future completes on the thread that brings the last reply. Its calls are not made again.
  Callers.Caller calledBack(byte[] request, int members) {
    return () -> {
      try {
        return dispatcher
            .<byte[]>callRemoteMethodsWithFuture(null, new MethodCall(ECHO, request), options)
            .thenApply(replies -> {
              if (!complete(replies.getResults(), request, members)) {
                throw new IllegalStateException("not all of " + members + " members have replied: " + replies);
              }
              return replies;
            });
      } catch (Exception failure) { // the only type that JGroups declares
        throw new IllegalStateException(failure);
      }
    };
  }

  private static boolean complete(List<byte[]> got, byte[] request, int members) {
    return got.size() == members && got.stream().allMatch(reply -> reply.length == request.length);
  }

  /// Those of all members; a call that somebody does not reply to is made again.
  private List<byte[]> replies(byte[] request, int members) throws Exception {
    for (int attempt = 1; ; attempt++) {
      RspList<byte[]> replies = dispatcher.callRemoteMethods(null, new MethodCall(ECHO, request), options);
      List<byte[]> got = replies.getResults(); // throws what a member has thrown
      if (complete(got, request, members)) {
        return got;
      }
      if (attempt == ATTEMPTS) {
        throw new IllegalStateException(got.size() + " replies of " + members + " members: " + replies);
      }
    }
  }
}
