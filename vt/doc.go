// Package vt is a terminal engine: bytes in, a screen out. It understands what
// a VT420 and a current xterm understand, and what newer terminals added;
// keeps both screens and the scrollback in little memory; answers every query
// itself; and can put its whole state into bytes that make another terminal
// the same. It depends on the standard library only.
//
//	t := vt.New(vt.Options{Cols: 120, Rows: 40, Reply: toProgram})
//	t.Write(output)
//	fmt.Println(t.ScreenText())
//
// It does no I/O, starts no goroutine and keeps no clock: time is the
// caller's (see [Terminal.EndSynchronized]). A [Terminal] is not safe for
// concurrent use.
//
// # Reading the screen
//
// [Terminal.Cell] gives what stands where, with its style and its link,
// without allocating; [Terminal.ScreenText], [Terminal.TailText] and
// [Terminal.RowText] give text; [Terminal.AppendRow] and [Terminal.RangeANSI]
// give text with its colours, [Terminal.RangeHTML] HTML. A painter asks
// [Terminal.RowGeneration] which rows changed since it drew them.
// [Terminal.Search], [Terminal.WordAt], [Terminal.LineAt] and
// [Terminal.CommandAt], which follows the marks that a shell writes around its
// prompts (OSC 133), work on the scrollback and the screen alike.
//
// # What a program hears and says
//
// Answers to queries go to [Options].Reply, once each, in order, whether
// somebody looks or not. What a program says beside drawing, its title, bell,
// notifications, progress, status (OSC 7501), clipboard, working directory, goes to
// [Options].Event. Reading the clipboard (OSC 52) is never answered, and
// moving or sizing the window never done.
//
// [EncodeKey], [EncodeMouse], [EncodeFocus] and [EncodePaste] make the bytes
// that a program in the modes [Terminal.InputModes] expects: legacy,
// modifyOtherKeys or the kitty keyboard protocol; every mouse encoding; pastes
// that cannot break out of their brackets. An [InputFilter] keeps the answers
// of a viewer's own terminal from reaching the program.
//
// # Moving a terminal
//
// [Terminal.Snapshot] appends bytes that, written to a new terminal of the
// same size, make it equal: nothing that the program can send or ask tells the
// two apart. A terminal of another make shows the same screen.
//
// # Pictures
//
// The engine draws no pictures. It keeps sixels and those of the kitty
// graphics protocol that are on the screen, with their places
// ([Terminal.Images]), for a viewer whose terminal can show them. Queries
// whether there are graphics are not answered, so that a program that asks
// sends none.
//
// # Widths
//
// [StringWidth], [Truncate] and [Graphemes] measure text as the engine lays
// it out: in grapheme clusters of Unicode [UnicodeVersion], as current
// terminals do (mode 2027).
//
// # Limits
//
// Whatever a program sends, a terminal never panics and holds no more than
// [MemoryLimit] says for its size: at 200×50 with 10,000 lines 67 MiB, if
// every cell and line is as hostile as can be and a picture of the largest
// size comes while 8 MiB of others stand on the screen. What really is held,
// [Terminal.MemoryUsed] tells: with 10,000 lines of text about 1 MiB.
//
//	size                   2048 × 1024 cells
//	parameters             32 of a sequence, each up to 65535
//	title, path, notice    4 KiB each; 10 titles and 10 sets of colours pushed
//	cluster                64 bytes; further marks are dropped
//	link                   2083 bytes, 1 MiB together on both screens
//	OSC, DCS, APC          8 KiB; a clipboard text 2 MiB, a picture 4 MiB
//	pictures               8 MiB together, shown 256 times
//	kitty keyboard         16 entries on each screen
//	scrollback             2 KiB for each line allowed, however dense lines are
//
// A string past its limit is dropped whole. The scrollback keeps text, styles,
// links and prompt marks, but no pictures.
package vt
