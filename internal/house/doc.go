// Package house holds no code: its test keeps the map in docs/architecture.md
// true. Packages stand in layers, and an import may only point down.
package house
