// The timeline's page, in windows of several sizes: node trace_page_test.js SCRIPT..., as the page has them.
// What a browser would lay out is a few numbers here.
'use strict';
const fs = require('fs');
const vm = require('vm');

const AROUND = 330;  // pixels of the page above and below the canvas

// The page of so many ranks, in a window of this height. `recorded` are parts of the trace.
function open(ranks, innerHeight, recorded = {})
{
    const listeners = {};
    const element = () => {
        const children = [];
        return {
            style: {},
            addEventListener: () => {},
            children,
            replaceChildren: () => {
                children.length = 0;
            },
            appendChild: child => {
                children.push(child);
                return child;
            },
        };
    };
    const pen = new Proxy({}, {get: (target, name) => target[name] ?? (() => {}), set: () => true});
    const canvas = Object.assign(element(), {getContext: () => pen});
    canvas.style.height = '150px';
    canvas.addEventListener = (name, action) => {
        listeners[name] = action;
    };
    const pixels = () => parseFloat(canvas.style.height);
    Object.defineProperties(
        canvas, {clientHeight: {get: pixels}, offsetHeight: {get: pixels}, clientWidth: {get: () => 1000}});
    const calls = [];  // eight numbers each, see FIELDS
    const trace = {
        rows: Array.from({length: ranks}, (_, rank) => ({line: `rank ${rank}`, rank, host: 0, calls})),
        arrows: [],
        hosts: ['a'],
        names: [],
        communicators: [],
        callers: [],
        protocols: [],
        span: 1000,
        ...recorded
    };
    const elements = {timeline: canvas, trace: {textContent: JSON.stringify(trace)}};
    const window = {
        devicePixelRatio: 1,
        addEventListener: (name, action) => {
            listeners[name] = action;
        }
    };
    const document = {
        getElementById: id => elements[id] ??= element(),
        createElement: element,
        documentElement: {},
        body: {get offsetHeight() { return AROUND + pixels(); }},
    };
    const page = vm.createContext({
        document,
        window,
        innerHeight,
        getComputedStyle: () => ({getPropertyValue: () => '#000'}),
        requestAnimationFrame: draw => draw(),
        matchMedia: () => ({addEventListener: () => {}}),
    });
    vm.runInContext(process.argv.slice(2).map(file => fs.readFileSync(file, 'utf8')).join('\n'), page);
    return {
        height: pixels,
        rowHeight: () => vm.runInContext('view.rowHeight', page),
        axis: vm.runInContext('AXIS', page),
        resize: height => {
            page.innerHeight = height;
            listeners.resize();
        },
        details: () => elements.details.children.map(child => child.textContent),
        press: key => listeners.keydown({key, preventDefault: () => {}}),
    };
}

let failed = 0;
function check(what, value, least, most) {
  if (value >= least && value <= most) return;
  console.error(`${what}: ${value}, which is not from ${least} to ${most}`);
  failed = 1;
}

for (const ranks of [1, 2, 4, 30]) {
  const page = open(ranks, 1000);
  check(`${ranks} ranks: the page's height`, page.height() + AROUND, 999, 1000);
  check(`${ranks} ranks: that of the lines`, ranks * page.rowHeight() + page.axis, page.height() - 6, page.height());
  page.resize(700);
  check(`${ranks} ranks: the page's height in a lower window`, page.height() + AROUND, 699, 700);
  check(`${ranks} ranks: the lines' there`, ranks * page.rowHeight() + page.axis, page.height() - 6, page.height());
}
// Lines that a user has made higher stay so.
const page = open(4, 1000);
page.press('[');
const chosen = page.rowHeight();
check('a lower line', chosen, 100, 130);
page.resize(800);
check('a lower line after a change of the window', page.rowHeight(), chosen, chosen);
// Of many ranks each keeps a line that can be seen, and a low window keeps some of the timeline.
check('the lines of a thousand ranks', open(1000, 1000).rowHeight(), 2, 2);
check('the timeline in a low window', open(4, 300).height(), 120, 120);
// A call from rank 0, whose message goes by the second of two protocols: its details and those of its message
// say so.
const row = (rank, calls) => ({line: `rank ${rank}`, rank, host: 0, calls});
const sent = open(2, 1000, {
    rows: [row(0, [10, 50, 0, 1, 7, 65536, 0, 0]), row(1, [])],
    arrows: [0, 1, 20, 5, 7, 65536, 0, 1],
    names: [['send', 0, '', true, true, false]],
    communicators: ['world'],
    protocols: ['eager', 'pull']
});
sent.press('n');
const told = sent.details();
for (const text of ['protocol', 'pull', 'to rank 1, 64 KiB, tag 7, pull, sent at 0.020 µs, 5 ns under way'])
    check(`"${text}" in ${JSON.stringify(told)}`, told.indexOf(text), 0, told.length);
process.exit(failed);
