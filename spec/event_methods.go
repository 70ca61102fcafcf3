package spec

// EventKind implements [EventData].
func (*HeaderEvent) EventKind() EventKind { return KindHeader }

// EventKind implements [EventData].
func (*SessionEvent) EventKind() EventKind { return KindSession }

// EventKind implements [EventData].
func (*StepEvent) EventKind() EventKind { return KindStep }

// EventKind implements [EventData].
func (*InputEvent) EventKind() EventKind { return KindInput }

// EventKind implements [EventData].
func (*AskEvent) EventKind() EventKind { return KindAsk }

// EventKind implements [EventData].
func (*ReplyEvent) EventKind() EventKind { return KindReply }

// EventKind implements [EventData].
func (*RequestEvent) EventKind() EventKind { return KindRequest }

// EventKind implements [EventData].
func (*PieceEvent) EventKind() EventKind { return KindPiece }

// EventKind implements [EventData].
func (*ResponseEvent) EventKind() EventKind { return KindResponse }

// EventKind implements [EventData].
func (*OutcomeEvent) EventKind() EventKind { return KindOutcome }

// EventKind implements [EventData].
func (*TimeEvent) EventKind() EventKind { return KindTime }

// EventKind implements [EventData].
func (*DisturbEvent) EventKind() EventKind { return KindDisturb }

// EventKind implements [EventData].
func (*TurnEvent) EventKind() EventKind { return KindTurn }

// EventKind implements [EventData].
func (*WorkerEvent) EventKind() EventKind { return KindWorker }

// EventKind implements [EventData].
func (*GapEvent) EventKind() EventKind { return KindGap }

// EventKind implements [EventData].
func (*CloseEvent) EventKind() EventKind { return KindClose }

// EventKind implements [EventData].
func (e *UnknownEvent) EventKind() EventKind { return e.Kind }
