// How one moves about in the timeline, and what is told of a call: pointer, wheel, keys and buttons.

// How the bytes of a message went.
function protocolOf(arrow)
{
    return trace.protocols[arrows.protocol[arrow]];
}

// The facts of a call, as pairs.
function factsOf({row, call}) {
  const calls = rows[row];
  const [name, kind, algorithm, hasPeer, hasTag, isCollective] = nameOf(row, call);
  const facts = [
    ['call', isCollective ? `${name} #${calls.tag[call]}` : name],
    ['rank', trace.hosts.length > 1 ? `${calls.line} on ${calls.host}` : calls.line],
    ['begin', atTime(calls.begin[call])],
    ['duration', calls.duration[call] < 0 ? 'it did not end' : inTime(calls.duration[call])],
    ['communicator', trace.communicators[calls.communicator[call]]],
  ];
  const sends = KINDS[kind] === 'send' || name.endsWith('send');
  if (hasPeer) {
    facts.push([!hasTag ? 'target' : sends ? 'to' : 'from', calls.peer[call] === ANY_PEER ? 'any rank' : `rank ${calls.peer[call]}`]);
  }
  if (hasTag) {
    facts.push(['tag', calls.tag[call] === ANY_TAG ? 'any' : String(calls.tag[call])]);
  }
  if (calls.bytes[call] > 0) facts.push(['size', inBytes(calls.bytes[call])]);
  if (algorithm) facts.push(['algorithm', algorithm]);
  const protocols = new Set(arrowsOf({row, call}).map(protocolOf));
  if (protocols.size)
      facts.push(['protocol', [...protocols].join(', ')]);
  if (calls.caller[call]) facts.push(['called at', trace.callers[calls.caller[call] - 1]]);
  return facts;
}

function fill(list, facts) {
  list.replaceChildren();
  for (const [term, text] of facts) {
    list.appendChild(document.createElement('dt')).textContent = term;
    list.appendChild(document.createElement('dd')).textContent = text;
  }
}

function select(mark) {
  selected = mark;
  const list = mark ? factsOf(mark) : [['call', 'none is chosen: click at one']];
  if (mark)
    for (const i of arrowsOf(mark).slice(0, 20)) {
      const out = arrows.from[i] === mark.row;
      const other = rows[out ? arrows.to[i] : arrows.from[i]];
      list.push([
          out ? 'message sent' : 'message came',
          `${out ? 'to' : 'from'} ${other.line}, ${inBytes(arrows.bytes[i])}, tag ${arrows.tag[i]}, ` +
              `${protocolOf(i)}, ` +
              `sent at ${atTime(arrows.sent[i])}, ${inTime(arrows.took[i])} under way`
      ]);
    }
  fill(details, list);
  redraw();
}

// The call below the pointer, or, of thin ones, the nearest.
function callAt(x, y) {
  const row = Math.floor((y - AXIS + view.top) / view.rowHeight);
  if (x < LEFT || y < AXIS || row < 0 || row >= rows.length) return null;
  const calls = rows[row], time = timeAt(x), reach = 3 * (view.to - view.from) / width();
  let best = null, least = reach;
  const after = firstAbove(calls.begin, time + reach);
  for (let i = after - 1; i >= Math.max(0, after - 16); --i) {
    const away = Math.max(calls.begin[i] - time, time - calls.end[i], 0);
    if (away < least) [best, least] = [{row, call: i}, away];
    if (away === 0) break;
  }
  return best;
}

function hover(event) {
  const {left, top} = canvas.getBoundingClientRect();
  const mark = callAt(event.clientX - left, event.clientY - top);
  tip.hidden = !mark;
  if (mark) {
    fill(tip, factsOf(mark));
    tip.style.left = `${Math.max(4, Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8))}px`;
    tip.style.top = `${Math.max(4, Math.min(event.clientY + 14, innerHeight - tip.offsetHeight - 8))}px`;
  }
  if (mark?.row !== hovered?.row || mark?.call !== hovered?.call) {
    hovered = mark;
    redraw();
  }
}

let drag = null;
canvas.addEventListener('pointerdown', event => {
  drag = {x: event.clientX, y: event.clientY, from: view.from, to: view.to, top: view.top, moved: false};
  canvas.setPointerCapture(event.pointerId);
});
canvas.addEventListener('pointermove', event => {
  if (!drag) return hover(event);
  const byX = event.clientX - drag.x, byY = event.clientY - drag.y;
  drag.moved = drag.moved || Math.hypot(byX, byY) > 4;
  if (!drag.moved) return;
  tip.hidden = true;
  const by = byX / width() * (drag.to - drag.from);
  view.top = drag.top - byY;
  show(drag.from - by, drag.to - by);
});
canvas.addEventListener('pointerup', event => {
  const {left, top} = canvas.getBoundingClientRect();
  if (drag && !drag.moved) select(callAt(event.clientX - left, event.clientY - top));
  drag = null;
});
canvas.addEventListener('pointerleave', () => { tip.hidden = true; hovered = null; redraw(); });
canvas.addEventListener('dblclick', () => {
  if (!selected) return zoom(.25);
  const begin = rows[selected.row].begin[selected.call], end = rows[selected.row].end[selected.call];
  const around = Math.max(end - begin, 100);
  show(begin - around, end + around);
});
canvas.addEventListener('wheel', event => {
  event.preventDefault();
  if (event.shiftKey) return pan((event.deltaX + event.deltaY) / 1000);
  zoom(1.0015 ** event.deltaY, timeAt(event.clientX - canvas.getBoundingClientRect().left));
}, {passive: false});

function nextCall(by) {
  if (!rows.length) return;
  const row = selected ? selected.row : 0;
  const call = selected ? selected.call + by : 0;
  if (call < 0 || call >= rows[row].count) return;
  select({row, call});
  const {begin, end} = rows[row];
  const half = (view.to - view.from) / 2;
  if (begin[call] < view.from || end[call] > view.to) show(begin[call] - half, begin[call] + half);
}

function scroll(by) { view.top += by; redraw(); }

function setRowHeight(pixels) {
  view.rowHeight = clamp(pixels, 2, Math.max(28, height()));
  redraw();
}

// The timeline has the height that the rest of the page leaves it in the window, and its lines share that, however
// few they are; of many, those that have no room are scrolled to.
let fits = true;
function fit() {
  const around = document.body.offsetHeight - canvas.offsetHeight;
  canvas.style.height = `${Math.max(innerHeight - around, innerHeight * .4, 90)}px`;
  setRowHeight((height() - 4) / Math.max(rows.length, 1));
}

function changeRowHeight(times) {
  fits = false;
  setRowHeight(view.rowHeight * times);
}

const KEYS = {
  ArrowLeft: () => pan(-.15), a: () => pan(-.15),
  ArrowRight: () => pan(.15), d: () => pan(.15),
  ArrowUp: () => scroll(-3 * view.rowHeight), ArrowDown: () => scroll(3 * view.rowHeight),
  PageUp: () => scroll(-height()), PageDown: () => scroll(height()),
  '+': () => zoom(.6), '=': () => zoom(.6), w: () => zoom(.6),
  '-': () => zoom(1 / .6), s: () => zoom(1 / .6),
  '[': () => changeRowHeight(1 / 1.3), ']': () => changeRowHeight(1.3),
  Home: () => show(0, span), 0: () => show(0, span),
  n: () => nextCall(1), p: () => nextCall(-1),
  Escape: () => select(null),
};
canvas.addEventListener('keydown', event => {
  const action = KEYS[event.key];
  if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  action();
});
document.getElementById('all').addEventListener('click', () => show(0, span));
document.getElementById('nearer').addEventListener('click', () => zoom(.5));
document.getElementById('farther').addEventListener('click', () => zoom(2));
document.getElementById('arrows').addEventListener('change', event => {
  withArrows = event.target.checked;
  redraw();
});
window.addEventListener('resize', () => fits ? fit() : redraw());
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { readColours(); redraw(); });

readColours();
select(null);
fit();
