package org.tutti.link;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.tutti.Invariant;

/// Which links a turn looks at: those that something has happened to since the last turn, and those whose time has
/// come. Of a large group's links most wait for something, an acknowledgement at least, and few turns are about them.
final class DueLinks {
  private static final Comparator<Link> AS_OPENED = Comparator.comparingLong(Link::openedAs);
  private static final int FEW = 4;

  private final List<Link> touched = new ArrayList<>(); // since the last flush, each once
  private Link[] heap = new Link[FEW]; // those that are due at some time: none before the one at half its place
  private int size;

  /// Something has happened to a link, so that it may have something to write, now or at another time than before.
  void touch(Link link) {
    if (!link.isTouched) {
      link.isTouched = true;
      touched.add(link);
    }
  }

  /// A link is shut.
  void forget(Link link) {
    put(link, Long.MAX_VALUE);
  }

  /// Lets the links write, in the order in which they were opened.
  void flush(long now) {
    while (size > 0 && heap[0].dueAt <= now) {
      touch(heap[0]);
      put(heap[0], Long.MAX_VALUE);
    }
    if (touched.size() > 1) {
      touched.sort(AS_OPENED);
    }
    for (int i = 0; i < touched.size(); i++) {
      Link link = touched.get(i);
      link.flush(now);
      link.isTouched = false;
      put(link, link.deadline());
    }
    touched.clear();
  }

  /// When the first one is due.
  long deadline() {
    for (int i = 0; i < touched.size(); i++) {
      Link link = touched.get(i);
      put(link, link.deadline());
    }
    return size == 0 ? Long.MAX_VALUE : heap[0].dueAt;
  }

  // ---- the heap --------------------------------------------------------------------------------------------------

  private void put(Link link, long at) {
    if (at == link.dueAt) {
      return;
    }
    boolean sooner = at < link.dueAt;
    link.dueAt = at;
    if (at == Long.MAX_VALUE) {
      remove(link.place);
      link.place = Link.NOWHERE;
    } else if (link.place == Link.NOWHERE) {
      if (size == heap.length) {
        heap = Arrays.copyOf(heap, 2 * size);
      }
      rise(link, size++);
    } else if (sooner) {
      rise(link, link.place);
    } else {
      sink(link, link.place);
    }
  }

  private void remove(int place) {
    Link last = heap[--size];
    heap[size] = null;
    if (place < size) {
      sink(last, place);
      rise(last, last.place);
    }
  }

  private void rise(Link link, int from) {
    int place = from;
    while (place > 0 && heap[(place - 1) / 2].dueAt > link.dueAt) {
      set(place, heap[(place - 1) / 2]);
      place = (place - 1) / 2;
    }
    set(place, link);
  }

  private void sink(Link link, int from) {
    int place = from;
    while (true) {
      int child = 2 * place + 1;
      if (child + 1 < size && heap[child + 1].dueAt < heap[child].dueAt) {
        child++;
      }
      if (child >= size || heap[child].dueAt >= link.dueAt) {
        set(place, link);
        return;
      }
      set(place, heap[child]);
      place = child;
    }
  }

  private void set(int place, Link link) {
    heap[place] = link;
    link.place = place;
  }

  void check() {
    for (int i = 0; i < size; i++) {
      Invariant.check(heap[i].place == i && heap[i].dueAt < Long.MAX_VALUE, "a link that is due is where it says");
      Invariant.check(i == 0 || heap[(i - 1) / 2].dueAt <= heap[i].dueAt, "the first link is due first");
    }
    for (Link link : touched) {
      Invariant.check(link.isTouched, "a link that something has happened to says so");
    }
  }
}
