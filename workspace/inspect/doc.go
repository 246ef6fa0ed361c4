// Package inspect has what a person asks about agents, and the answers: the arguments and
// results of methods of package workspace that an operator's console calls. No agent calls
// them, and none of them counts as an operation of an agent.
//
// Package workspace has aliases for the names of this package, so a program that uses a
// workspace does not import this one.
package inspect
