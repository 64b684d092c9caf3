/// What is decided in a view and delivered to the application at one member, and what this member multicasts itself.
///
/// Reading order: [ViewHistory] (one view's history: its log, orderings and stability), its two uses, [PrimaryHistory]
/// and [Branch]; [Deliveries] and [EarlyDeliveries] (what reaches the application); [MulticastSender] and
/// [SenderLedger] (what this member sends, and what becomes of it); [OrderingEpochs] (one ordering after the other).
package org.tutti.history;
