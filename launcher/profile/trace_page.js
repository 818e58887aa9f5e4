// The timeline of a trace: a line a rank, calls as bars, messages as arrows.
'use strict';
const trace = JSON.parse(document.getElementById('trace').textContent);
const canvas = document.getElementById('timeline');
const pen = canvas.getContext('2d');
const tip = document.getElementById('tip');
const details = document.getElementById('details');
const KINDS = ['send', 'receive', 'collective', 'wait', 'other'];
const LEFT = 150, AXIS = 26;  // pixels for names of lines and for the axis
const MOST_ARROWS = 4000;     // that are drawn at once
const ANY_PEER = -1, ANY_TAG = -2;

// Calls of a row are columns of numbers, since there may be many.
const FIELDS = ['begin', 'duration', 'name', 'peer', 'tag', 'bytes', 'communicator', 'caller'];
const rows = trace.rows.map(row => {
  const count = row.calls.length / FIELDS.length;
  const columns = {line: row.line, host: trace.hosts[row.host], rank: row.rank, count};
  FIELDS.forEach((field, f) => {
    columns[field] = Float64Array.from({length: count}, (_, i) => row.calls[i * FIELDS.length + f]);
  });
  for (let i = 1; i < count; ++i) columns.begin[i] += columns.begin[i - 1];
  columns.end = columns.begin.map((begin, i) => begin + Math.abs(columns.duration[i]));
  return columns;
});
const ARROW_FIELDS = ['from', 'to', 'sent', 'took', 'tag', 'bytes', 'communicator', 'protocol'];
const arrowCount = trace.arrows.length / ARROW_FIELDS.length;
const arrows = {};
ARROW_FIELDS.forEach((field, f) => {
  arrows[field] = Float64Array.from({length: arrowCount}, (_, i) => trace.arrows[i * ARROW_FIELDS.length + f]);
});
for (let i = 1; i < arrowCount; ++i) arrows.sent[i] += arrows.sent[i - 1];
arrows.arrived = arrows.sent.map((sent, i) => sent + arrows.took[i]);

const span = Math.max(trace.span, 1);
const view = {from: 0, to: span, top: 0, rowHeight: 0};
let selected = null;  // {row, call}
let hovered = null;
let withArrows = true;
let colours = {};

const clamp = (value, least, most) => Math.max(least, Math.min(most, value));
const width = () => canvas.clientWidth - LEFT;
const height = () => canvas.clientHeight - AXIS;
const xOf = time => LEFT + (time - view.from) / (view.to - view.from) * width();
const timeAt = x => view.from + (x - LEFT) / width() * (view.to - view.from);
const yOf = row => AXIS + row * view.rowHeight - view.top;

function inTime(ns) {
  for (const [unit, size] of [['s', 1e9], ['ms', 1e6], ['µs', 1e3]])
    if (Math.abs(ns) >= size) return `${+(ns / size).toPrecision(4)} ${unit}`;
  return `${Math.round(ns)} ns`;
}

// A moment, as exactly as the view shows it.
function atTime(ns, step = 1) {
  const [unit, size] = span >= 1e9 ? ['s', 1e9] : span >= 1e6 ? ['ms', 1e6] : ['µs', 1e3];
  return `${(ns / size).toFixed(clamp(Math.ceil(Math.log10(size / step)), 0, 9))} ${unit}`;
}

function inBytes(bytes) {
  let unit = 'B';
  for (const next of ['KiB', 'MiB', 'GiB', 'TiB']) {
    if (bytes < 1024) break;
    bytes /= 1024;
    unit = next;
  }
  return `${+bytes.toPrecision(4)} ${unit}`;
}

// The first index whose value is above `limit`.
function firstAbove(values, limit) {
  let low = 0, high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] > limit) high = middle; else low = middle + 1;
  }
  return low;
}

function readColours() {
  const style = getComputedStyle(document.documentElement);
  for (const name of ['text', 'quiet', 'ground', 'raised', 'line', ...KINDS])
    colours[name] = style.getPropertyValue('--' + name).trim();
}

function nameOf(row, call) { return trace.names[rows[row].name[call]]; }

function drawAxis() {
  pen.font = '12px system-ui, sans-serif';
  pen.textBaseline = 'middle';
  const least = (view.to - view.from) / width() * 110;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].map(times => times * power).find(size => size >= least);
  for (let time = Math.ceil(view.from / step) * step; time <= view.to; time += step) {
    const x = Math.round(xOf(time)) + .5;
    pen.fillStyle = colours.line;
    pen.fillRect(x, AXIS - 4, 1, height() + 4);
    pen.fillStyle = colours.quiet;
    pen.fillText(atTime(time, step), x + 4, AXIS / 2);
  }
}

function drawNames(first, last) {
  pen.fillStyle = colours.ground;
  pen.fillRect(0, 0, LEFT - 1, canvas.clientHeight);
  pen.font = `${clamp(view.rowHeight - 3, 8, 12)}px system-ui, sans-serif`;
  const each = Math.ceil(11 / view.rowHeight);
  for (let row = first; row < last; ++row) {
    const newHost = row > 0 && rows[row].host !== rows[row - 1].host;
    pen.fillStyle = newHost ? colours.quiet : colours.raised;
    if (view.rowHeight >= 6 || newHost) pen.fillRect(0, Math.round(yOf(row)), canvas.clientWidth, 1);
    if (row % each !== 0) continue;
    pen.fillStyle = colours.text;
    const host = trace.hosts.length > 1 ? rows[row].host + ' ' : '';
    pen.fillText((host + rows[row].line).slice(-24), 4, yOf(row) + view.rowHeight / 2, LEFT - 10);
  }
  pen.fillStyle = colours.ground;
  pen.fillRect(0, 0, LEFT - 1, AXIS);
}

// Bars, gathered by colour; those that are thinner than a pixel become one.
function drawCalls(first, last) {
  const bars = KINDS.map(() => []);
  const labels = [];
  for (let row = first; row < last; ++row) {
    const calls = rows[row];
    let drawn = -1;
    for (let i = Math.max(0, firstAbove(calls.begin, view.from) - 8); i < calls.count; ++i) {
      if (calls.begin[i] > view.to) break;
      const right = Math.min(xOf(calls.end[i]), canvas.clientWidth);
      if (right < Math.max(drawn, LEFT)) continue;
      const x = Math.max(xOf(calls.begin[i]), LEFT);
      const bar = Math.max(right - x, 1);
      drawn = x + bar;
      bars[nameOf(row, i)[1]].push(x, row, bar);
      if (bar > 36 && view.rowHeight >= 12) labels.push([row, i, x, bar]);
    }
  }
  const gap = view.rowHeight >= 6 ? 1 : 0;
  bars.forEach((list, kind) => {
    pen.fillStyle = colours[KINDS[kind]];
    for (let i = 0; i < list.length; i += 3)
      pen.fillRect(list[i], yOf(list[i + 1]) + gap, list[i + 2], view.rowHeight - 2 * gap);
  });
  pen.fillStyle = colours.ground;
  pen.font = '11px system-ui, sans-serif';
  for (const [row, call, x, bar] of labels)
    pen.fillText(nameOf(row, call)[0].slice(0, Math.floor((bar - 6) / 6)), x + 3, yOf(row) + view.rowHeight / 2);
}

function drawArrow(i, head) {
  const x = xOf(arrows.sent[i]), y = yOf(arrows.from[i] + .5);
  const toX = xOf(arrows.arrived[i]), toY = yOf(arrows.to[i] + .5);
  pen.beginPath();
  pen.moveTo(x, y);
  pen.lineTo(toX, toY);
  if (head) {
    const angle = Math.atan2(toY - y, toX - x);
    for (const side of [-.45, .45]) {
      pen.moveTo(toX, toY);
      pen.lineTo(toX - 7 * Math.cos(angle + side), toY - 7 * Math.sin(angle + side));
    }
  }
  pen.stroke();
}

// Those of a call: they leave or arrive while it lasts.
function arrowsOf({row, call}) {
  const begin = rows[row].begin[call], end = rows[row].end[call];
  const own = [];
  for (let i = 0; i < arrowCount; ++i) {
    const leaves = arrows.from[i] === row && arrows.sent[i] >= begin && arrows.sent[i] <= end;
    const comes = arrows.to[i] === row && arrows.arrived[i] >= begin && arrows.arrived[i] <= end;
    if (leaves || comes) own.push(i);
  }
  return own;
}

function drawArrows(first, last) {
  const shown = [];
  if (withArrows)
    for (let i = 0; i < arrowCount && arrows.sent[i] <= view.to; ++i) {
      const upper = Math.min(arrows.from[i], arrows.to[i]), lower = Math.max(arrows.from[i], arrows.to[i]);
      if (Math.max(arrows.arrived[i], arrows.sent[i]) >= view.from && upper < last && lower >= first) shown.push(i);
    }
  const few = shown.length <= MOST_ARROWS;
  pen.strokeStyle = colours.text;
  pen.lineWidth = 1;
  pen.globalAlpha = shown.length > 400 ? .25 : .6;
  if (few) for (const i of shown) drawArrow(i, shown.length <= 400);
  pen.globalAlpha = 1;
  pen.lineWidth = 2;
  for (const mark of [hovered, selected])
    if (mark) for (const i of arrowsOf(mark)) drawArrow(i, true);
  document.getElementById('state').textContent = few ? '' :
      `${shown.length.toLocaleString('en')} messages are in view: their arrows appear when you zoom in, ` +
      'those of a call when you point at it.';
}

function draw() {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = canvas.clientWidth * ratio;
  canvas.height = canvas.clientHeight * ratio;
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, canvas.clientWidth, canvas.clientHeight);
  view.top = clamp(view.top, 0, Math.max(0, rows.length * view.rowHeight - height()));
  const first = Math.floor(view.top / view.rowHeight);
  const last = Math.min(rows.length, Math.ceil((view.top + height()) / view.rowHeight));
  drawAxis();
  pen.save();
  pen.beginPath();
  pen.rect(LEFT, AXIS, width(), height());
  pen.clip();
  drawCalls(first, last);
  drawArrows(first, last);
  for (const mark of [hovered, selected]) {
    if (!mark) continue;
    const x = xOf(rows[mark.row].begin[mark.call]);
    pen.strokeStyle = colours.text;
    pen.lineWidth = mark === selected ? 2 : 1;
    pen.strokeRect(x, yOf(mark.row), Math.max(xOf(rows[mark.row].end[mark.call]) - x, 2), view.rowHeight);
  }
  pen.restore();
  drawNames(first, last);
}

let waiting = false;
function redraw() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => { waiting = false; draw(); });
}

function show(from, to) {
  const length = clamp(to - from, Math.min(20, span), span * 1.05);
  view.from = clamp(from, -span * .025, span * 1.025 - length);
  view.to = view.from + length;
  redraw();
}

function zoom(times, time = (view.from + view.to) / 2) {
  show(time - (time - view.from) * times, time + (view.to - time) * times);
}

function pan(part) {
  const by = (view.to - view.from) * part;
  show(view.from + by, view.to + by);
}
