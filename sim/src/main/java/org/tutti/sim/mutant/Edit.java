package org.tutti.sim.mutant;

import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeModel;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.MethodModel;
import java.lang.classfile.MethodTransform;
import java.lang.classfile.Opcode;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.BranchInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/// A change to the code of one method. An edit that finds nothing to change fails loudly: the code has moved on, and
/// the mutant has to follow.
///
/// @param owner  the class's binary name
/// @param method the method's name; all methods of this name are changed, and calls also in their
///               lambdas
/// @param change what to do with it
public record Edit(String owner, String method, Change change) {
  /// What to do with a method's code.
  public sealed interface Change {
    /// The method does nothing and returns a constant: 0, 1, true as 1, or nothing.
    ///
    /// @param constant what it returns; ignored when it returns nothing; an object is always null
    record Return(long constant) implements Change {}

    /// A call is left out; its result is a constant.
    ///
    /// @param callee   the called method's name, perhaps with its class before it as in `Stability.heldByAll`
    /// @param constant what it seems to return
    record Drop(String callee, long constant) implements Change {}

    /// Another method with the same parameters is called instead.
    ///
    /// @param callee  the called method's name, perhaps with its class before it
    /// @param instead the other's name
    record Redirect(String callee, String instead) implements Change {}

    /// A call is made twice, and what it returns the first time is forgotten.
    ///
    /// @param callee the called method's name, perhaps with its class before it
    record Twice(String callee) implements Change {}

    /// Before anything else the method calls one of an object that it has in a field. If both have parameters, they
    /// are the same; otherwise they are all 0.
    ///
    /// @param field      the field's name
    /// @param type       the binary name of its type
    /// @param isInterface whether that is an interface
    /// @param callee     the called method's name; it returns nothing
    /// @param parameters the types of its parameters
    record Begin(String field, String type, boolean isInterface, String callee, List<ClassDesc> parameters)
        implements Change {
      /// Copies the list.
      public Begin {
        parameters = List.copyOf(parameters);
      }
    }

    /// Before anything else the method does what some code says, as a program that has one more statement there.
    ///
    /// @param code writes it; the method's object is in slot 0, and nothing may be left on the stack
    record Insert(Consumer<CodeBuilder> code) implements Change {}

    /// A condition is turned round.
    ///
    /// @param nth which of the method's conditional jumps, from 0 in the order of the code
    record Invert(int nth) implements Change {}

    /// A condition counts as not fulfilled or fulfilled, whatever it says: the jump is never, or always, taken.
    ///
    /// @param nth  which of the method's conditional jumps, from 0 in the order of the code
    /// @param jump whether it is always taken
    record Fix(int nth, boolean jump) implements Change {}
  }

  /// Counts what was changed.
  static final class Count {
    int changes;
    int branches;
  }

  ClassTransform transform(Count count) {
    return (builder, element) -> {
      if (element instanceof MethodModel model
          && isMeant(model.methodName().stringValue())
          && model.code().isPresent()) {
        count.branches = 0;
        builder.transformMethod(model, body(model, count));
      } else {
        builder.with(element);
      }
    };
  }

  private boolean isMeant(String name) {
    boolean calls =
        change instanceof Change.Drop || change instanceof Change.Redirect || change instanceof Change.Twice;
    return name.equals(method) || calls && name.startsWith("lambda$" + method + "$");
  }

  private MethodTransform body(MethodModel model, Count count) {
    if (change instanceof Change.Return(long constant)) {
      count.changes++;
      ClassDesc type = model.methodTypeSymbol().returnType();
      return (builder, element) -> {
        if (element instanceof CodeModel) {
          builder.withCode(code -> {
            push(code, TypeKind.from(type), constant);
            code.return_(TypeKind.from(type));
          });
        } else {
          builder.with(element);
        }
      };
    }
    if (change instanceof Change.Begin begin) {
      count.changes++;
      return first(code -> begin(code, begin, model.methodTypeSymbol().parameterCount() > 0));
    }
    if (change instanceof Change.Insert(Consumer<CodeBuilder> inserted)) {
      count.changes++;
      return first(inserted);
    }
    return MethodTransform.transformingCode(code(count));
  }

  private static MethodTransform first(Consumer<CodeBuilder> what) {
    return MethodTransform.transformingCode(
        CodeTransform.ofStateful(() ->
            new CodeTransform() {
              @Override
              public void atStart(CodeBuilder code) {
                what.accept(code);
              }

              @Override
              public void accept(CodeBuilder code, CodeElement element) {
                code.with(element);
              }
            }));
  }

  private void begin(CodeBuilder code, Change.Begin begin, boolean same) {
    ClassDesc type = ClassDesc.of(begin.type);
    code.aload(0).getfield(ClassDesc.of(owner), begin.field, type);
    for (int i = 0; i < begin.parameters.size(); i++) {
      TypeKind kind = TypeKind.from(begin.parameters.get(i));
      if (same) {
        code.loadLocal(kind, code.parameterSlot(i));
      } else {
        push(code, kind, 0);
      }
    }
    var descriptor = MethodTypeDesc.of(ConstantDescs.CD_void, begin.parameters);
    Opcode opcode = begin.isInterface ? Opcode.INVOKEINTERFACE : Opcode.INVOKEVIRTUAL;
    code.invoke(opcode, type, begin.callee, descriptor, begin.isInterface);
  }

  private CodeTransform code(Count count) {
    return (builder, element) -> {
      switch (element) {
        case InvokeInstruction call -> call(builder, call, count);
        case BranchInstruction branch when isConditional(branch.opcode()) -> branch(builder, branch, count);
        default -> builder.with(element);
      }
    };
  }

  private void call(CodeBuilder builder, InvokeInstruction call, Count count) {
    if (change instanceof Change.Drop(String callee, long constant) && isCalled(callee, call)) {
      count.changes++;
      MethodTypeDesc type = call.typeSymbol();
      for (int i = type.parameterCount() - 1; i >= 0; i--) {
        pop(builder, TypeKind.from(type.parameterType(i)));
      }
      if (call.opcode() != Opcode.INVOKESTATIC) {
        builder.pop();
      }
      push(builder, TypeKind.from(type.returnType()), constant);
    } else if (change instanceof Change.Redirect(String callee, String instead) && isCalled(callee, call)) {
      count.changes++;
      builder.invoke(call.opcode(), call.owner().asSymbol(), instead, call.typeSymbol(), call.isInterface());
    } else if (change instanceof Change.Twice(String callee) && isCalled(callee, call)) {
      count.changes++;
      twice(builder, call);
    } else {
      builder.with((CodeElement) call);
    }
  }

  private static void twice(CodeBuilder builder, InvokeInstruction call) {
    List<TypeKind> kinds = new ArrayList<>();
    if (call.opcode() != Opcode.INVOKESTATIC) {
      kinds.add(TypeKind.REFERENCE);
    }
    call.typeSymbol().parameterList().forEach(type -> kinds.add(TypeKind.from(type)));
    List<Integer> slots = kinds.stream().map(builder::allocateLocal).toList();
    for (int i = kinds.size() - 1; i >= 0; i--) {
      builder.storeLocal(kinds.get(i), slots.get(i));
    }
    for (int time = 0; time < 2; time++) {
      for (int i = 0; i < kinds.size(); i++) {
        builder.loadLocal(kinds.get(i), slots.get(i));
      }
      builder.with((CodeElement) call);
      if (time == 0) {
        pop(builder, TypeKind.from(call.typeSymbol().returnType()));
      }
    }
  }

  private static boolean isCalled(String callee, InvokeInstruction call) {
    String name = call.name().stringValue();
    String owner = call.owner().asInternalName();
    return callee.equals(name) || callee.equals(owner.substring(owner.lastIndexOf('/') + 1) + "." + name);
  }

  private void branch(CodeBuilder builder, BranchInstruction branch, Count count) {
    int at = count.branches++;
    switch (change) {
      case Change.Invert(int nth) when nth == at -> {
        count.changes++;
        builder.branch(inverse(branch.opcode()), branch.target());
      }
      case Change.Fix(int nth, boolean jump) when nth == at -> {
        count.changes++;
        builder.pop();
        if (comparesTwo(branch.opcode())) {
          builder.pop();
        }
        if (jump) {
          builder.goto_(branch.target());
        }
      }
      default -> builder.with(branch);
    }
  }

  private static boolean isConditional(Opcode opcode) {
    return opcode != Opcode.GOTO && opcode != Opcode.GOTO_W;
  }

  private static boolean comparesTwo(Opcode opcode) {
    return switch (opcode) {
      case IF_ICMPEQ, IF_ICMPNE, IF_ICMPLT, IF_ICMPGE, IF_ICMPGT, IF_ICMPLE, IF_ACMPEQ, IF_ACMPNE -> true;
      default -> false;
    };
  }

  private static Opcode inverse(Opcode opcode) {
    return switch (opcode) {
      case IFEQ -> Opcode.IFNE;
      case IFNE -> Opcode.IFEQ;
      case IFLT -> Opcode.IFGE;
      case IFGE -> Opcode.IFLT;
      case IFGT -> Opcode.IFLE;
      case IFLE -> Opcode.IFGT;
      case IFNULL -> Opcode.IFNONNULL;
      case IFNONNULL -> Opcode.IFNULL;
      case IF_ICMPEQ -> Opcode.IF_ICMPNE;
      case IF_ICMPNE -> Opcode.IF_ICMPEQ;
      case IF_ICMPLT -> Opcode.IF_ICMPGE;
      case IF_ICMPGE -> Opcode.IF_ICMPLT;
      case IF_ICMPGT -> Opcode.IF_ICMPLE;
      case IF_ICMPLE -> Opcode.IF_ICMPGT;
      case IF_ACMPEQ -> Opcode.IF_ACMPNE;
      case IF_ACMPNE -> Opcode.IF_ACMPEQ;
      default -> throw new IllegalArgumentException("no condition: " + opcode);
    };
  }

  private static void pop(CodeBuilder builder, TypeKind kind) {
    if (kind.slotSize() == 2) {
      builder.pop2();
    } else if (kind.slotSize() == 1) {
      builder.pop();
    }
  }

  private static void push(CodeBuilder builder, TypeKind kind, long constant) {
    switch (kind) {
      case VOID -> {}
      case LONG -> builder.loadConstant(constant);
      case FLOAT -> builder.loadConstant((float) constant);
      case DOUBLE -> builder.loadConstant((double) constant);
      case REFERENCE -> builder.aconst_null();
      default -> builder.loadConstant((int) constant);
    }
  }
}
