package spec

import "go.yaml.in/yaml/v3"

// List is the values of one axis; a file may write a single value without
// brackets.
type List[T any] []T

// UnmarshalYAML reads a scalar or a sequence.
func (l *List[T]) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.SequenceNode {
		var vs []T
		if err := n.Decode(&vs); err != nil {
			return err
		}
		*l = vs
		return nil
	}
	var v T
	if err := n.Decode(&v); err != nil {
		return err
	}
	*l = List[T]{v}
	return nil
}
