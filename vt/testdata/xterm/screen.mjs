// Feeds streams to @xterm/headless and prints the screens that they make.
//
//   node screen.mjs <directory with node_modules>
//
// Each line on stdin is a request, each line on stdout its answer, in JSON:
//
//   {"cols", "rows", "scrollback", "every", "steps": [{"data": base64} | {"cols", "rows"}, ...]}
//   {"screens": [screen after the last step, with "every": true after each], "error": "..."}
//
// A screen is {"x", "y", "alt", "history", "lines": [[[n, cell], ...], ...]},
// its lines those of the scrollback and the screen, where n cells in a row are
// the same. A cell is "text TAB width TAB foreground TAB background TAB
// attributes TAB underline TAB underline colour TAB link".
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

// The extended attributes as they are stored: the public getters give a link a
// dashed underline and take the foreground for a missing underline colour.
const hasExtended = 0x10000000;
const noColor = 0x3ffffff; // what SGR 59 stores

function extended(cell) {
  return cell.bg & hasExtended ? cell.extended._ext : 0;
}

function underlineStyle(cell) {
  if (!cell.isUnderline()) return 0;
  return cell.bg & hasExtended ? (extended(cell) >> 26) & 7 : 1;
}

function underlineColor(cell) {
  const value = extended(cell) & noColor;
  if (!underlineStyle(cell) || value === noColor) return 'd';
  switch (value >> 24) {
    case 0: return 'd';
    case 3: return '#' + (value & 0xffffff);
    default: return 'p' + (value & 0xff);
  }
}

function link(links, cell) {
  const id = cell.bg & hasExtended ? cell.extended.urlId : 0;
  return (id && links.get(id)) || '';
}

function describe(links, cell) {
  let attrs = '';
  if (cell.isBold()) attrs += 'b';
  if (cell.isDim()) attrs += 'f';
  if (cell.isItalic()) attrs += 'i';
  if (cell.isBlink()) attrs += 'k';
  if (cell.isInverse()) attrs += 'r';
  if (cell.isInvisible()) attrs += 'h';
  if (cell.isStrikethrough()) attrs += 's';
  if (cell.isOverline()) attrs += 'o';
  return [cell.getChars(), cell.getWidth(), color(cell, 'Fg'), color(cell, 'Bg'), attrs, underlineStyle(cell), underlineColor(cell), link(links, cell)].join('\t');
}

function screen(term, links) {
  const buffer = term.buffer.active;
  const cell = buffer.getNullCell();
  const lines = [];
  for (let y = 0; y < buffer.length; y++) {
    const line = buffer.getLine(y);
    const runs = [];
    for (let x = 0; x < term.cols; x++) {
      const text = line.getCell(x, cell) ? describe(links, cell) : '\t1\td\td\t\t0\td\t';
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

// An exception inside write() does not reach its caller.
let fail = () => {};
process.on('uncaughtException', (e) => fail(e));

async function answer(request) {
  const term = new Terminal({ cols: request.cols, rows: request.rows, scrollback: request.scrollback, allowProposedApi: true, logLevel: 'off' });
  // xterm.js forgets a link when the line that it began in is gone.
  const links = new Map();
  const service = term._core._oscLinkService;
  const register = service.registerLink.bind(service);
  service.registerLink = (data) => {
    const id = register(data);
    links.set(id, data.uri);
    return id;
  };
  try {
    term.loadAddon(new UnicodeGraphemesAddon());
    term.unicode.activeVersion = '15-graphemes';
    const screens = [];
    for (const [i, step] of request.steps.entries()) {
      if (step.data !== undefined) {
        await new Promise((done, failed) => {
          fail = failed;
          term.write(Buffer.from(step.data, 'base64'), done);
        });
      } else term.resize(step.cols, step.rows);
      if (request.every || i === request.steps.length - 1) screens.push(screen(term, links));
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
