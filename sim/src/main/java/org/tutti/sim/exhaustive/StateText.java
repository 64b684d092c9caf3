package org.tutti.sim.exhaustive;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.effect.Counters;
import org.tutti.effect.Effects;
import org.tutti.pack.Batch;

/// All that an object's behaviour can depend on, as text: every field of it and of what it refers to. Two members with
/// the same snapshot answer the same inputs with the same outputs.
///
/// Left out are what never changes in a view (the view, a batch's payload) and ways out (effects, lambdas), which the
/// [MemberModel] gave. A kind of object that is not known here fails loudly.
final class StateText {
  private static final ClassValue<List<Field>> FIELDS =
      new ClassValue<>() {
        @Override
        protected List<Field> computeValue(Class<?> type) {
          return fields(type);
        }
      };

  private final StringBuilder text = new StringBuilder();
  private final Map<Object, Integer> met = new IdentityHashMap<>();

  StateText add(@Nullable Object value) {
    switch (value) {
      case null -> text.append('-');
      case Number number -> text.append(number);
      case Boolean flag -> text.append(flag ? 't' : 'f');
      case Enum<?> constant -> text.append(constant.name());
      case Batch batch -> text.append('b').append(batch.seq()).append('@').append(batch.stamp());
      case Collection<?> elements -> all(elements);
      case Map<?, ?> map -> {
        all(map.keySet());
        all(map.values());
      }
      default -> {
        if (value.getClass().isArray()) {
          array(value);
        } else {
          object(value);
        }
      }
    }
    text.append(' ');
    return this;
  }

  private void all(Collection<?> elements) {
    text.append('(');
    elements.forEach(this::add);
    text.append(')');
  }

  private void array(Object array) {
    text.append('[');
    for (int i = 0; i < Array.getLength(array); i++) {
      add(Array.get(array, i));
    }
    text.append(']');
  }

  private void object(Object object) {
    Integer before = met.putIfAbsent(object, met.size());
    if (before != null) {
      text.append('#').append(before);
      return;
    }
    if (!object.getClass().getName().startsWith("org.tutti.")) {
      throw new IllegalStateException("no snapshot of " + object.getClass());
    }
    text.append('{');
    try {
      for (Field field : FIELDS.get(object.getClass())) {
        Object value = field.get(object);
        if (value == null || !isConstant(value)) {
          add(value);
        }
      }
    } catch (IllegalAccessException e) {
      throw new InaccessibleObjectException(e.getMessage());
    }
    text.append('}');
  }

  private static boolean isConstant(Object value) {
    return value instanceof View
        || value instanceof Duration
        || value instanceof MemberId
        || value instanceof Effects<?>
        || value instanceof Counters
        || value.getClass().isHidden(); // a lambda
  }

  private static List<Field> fields(Class<?> type) {
    List<Field> all = new ArrayList<>();
    for (Class<?> at = type; at != null && at != Object.class; at = at.getSuperclass()) {
      for (Field field : at.getDeclaredFields()) {
        if (!Modifier.isStatic(field.getModifiers())) {
          field.setAccessible(true);
          all.add(field);
        }
      }
    }
    return all;
  }

  @Override
  public String toString() {
    return text.toString();
  }
}
