// Feeds streams to @xterm/headless and prints the screens that they make.
//
//   node screen.mjs <directory with node_modules>
//
// Each line on stdin is a request, each line on stdout its answer, in JSON:
//
//   {"cols", "rows", "scrollback", "steps": [{"data": base64} | {"cols", "rows"}, ...]}
//   {"screens": [screen after each step], "error": "..."}
//
// A screen is {"x", "y", "alt", "history", "lines": [[[n, cell], ...], ...]},
// its lines those of the scrollback and the screen, where n cells in a row are
// the same. A cell is "text TAB width TAB foreground TAB background TAB
// attributes TAB underline TAB underline colour".
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { join, resolve } from 'node:path';

// The addon reads its table from the start of its Buffer's memory, so the
// Buffer must not lie somewhere in a pool; else every emoji is one cell wide.
Buffer.poolSize = 0;

const require = createRequire(join(resolve(process.argv[2]), 'index.js'));
const { Terminal } = require('@xterm/headless');
const { UnicodeGraphemesAddon } = require('@xterm/addon-unicode-graphemes');

function color(cell, side) {
  const value = cell[`get${side}Color`]();
  if (cell[`is${side}Default`]()) return 'd';
  return (cell[`is${side}RGB`]() ? '#' : 'p') + value;
}

function underlineColor(cell) {
  if (!cell.getUnderlineStyle() || cell.isUnderlineColorDefault()) return 'd';
  return (cell.isUnderlineColorRGB() ? '#' : 'p') + (cell.isUnderlineColorRGB() ? cell.getUnderlineColor() & 0xffffff : cell.getUnderlineColor() & 0xff);
}

function describe(cell) {
  let attrs = '';
  if (cell.isBold()) attrs += 'b';
  if (cell.isDim()) attrs += 'f';
  if (cell.isItalic()) attrs += 'i';
  if (cell.isBlink()) attrs += 'k';
  if (cell.isInverse()) attrs += 'r';
  if (cell.isInvisible()) attrs += 'h';
  if (cell.isStrikethrough()) attrs += 's';
  if (cell.isOverline()) attrs += 'o';
  const chars = cell.getChars();
  return [chars === ' ' ? '' : chars, cell.getWidth(), color(cell, 'Fg'), color(cell, 'Bg'), attrs, cell.isUnderline() ? cell.getUnderlineStyle() : 0, underlineColor(cell)].join('\t');
}

function screen(term) {
  const buffer = term.buffer.active;
  const cell = buffer.getNullCell();
  const lines = [];
  for (let y = 0; y < buffer.length; y++) {
    const line = buffer.getLine(y);
    const runs = [];
    for (let x = 0; x < term.cols; x++) {
      const text = line.getCell(x, cell) ? describe(cell) : '\t1\td\td\t\t0\td';
      const last = runs[runs.length - 1];
      if (last && last[1] === text) last[0]++;
      else runs.push([1, text]);
    }
    lines.push(runs);
  }
  return {
    x: buffer.cursorX, y: buffer.cursorY, alt: buffer.type === 'alternate', history: buffer.baseY,
    hidden: term._core.coreService.isCursorHidden, lines,
  };
}

async function answer(request) {
  const term = new Terminal({ cols: request.cols, rows: request.rows, scrollback: request.scrollback, allowProposedApi: true, logLevel: 'off' });
  try {
    term.loadAddon(new UnicodeGraphemesAddon());
    term.unicode.activeVersion = '15-graphemes';
    const screens = [];
    for (const step of request.steps) {
      if (step.data !== undefined) await new Promise((done) => term.write(Buffer.from(step.data, 'base64'), done));
      else term.resize(step.cols, step.rows);
      screens.push(screen(term));
    }
    return { screens };
  } finally {
    term.dispose();
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  let reply;
  try {
    reply = await answer(JSON.parse(line));
  } catch (e) {
    reply = { error: String((e && e.stack) || e) };
  }
  process.stdout.write(JSON.stringify(reply) + '\n');
}
