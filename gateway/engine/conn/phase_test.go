package conn

import "testing"

func TestVerdictIsForOneState(t *testing.T) {
	var w watch
	w.publish(phAnswerHead, 77)
	state := w.state.Load()
	if phaseOf(state) != phAnswerHead || overdueAt(state) != 77 {
		t.Fatalf("phase %d overdue %d", phaseOf(state), overdueAt(state))
	}
	if r := w.verdictFor(); r != pushedNot {
		t.Errorf("verdict %d before any", r)
	}
	w.judge(state, pushedLeft)
	if r := w.verdictFor(); r != pushedLeft {
		t.Errorf("verdict %d, want left", r)
	}
	w.publish(phAnswerHead, 77) // the same phase again: another wait
	if r := w.verdictFor(); r != pushedNot {
		t.Errorf("verdict %d of a wait that is over", r)
	}
}
