package browser

import "strings"

// widest is the script of overflow.
const widest = `(() => {
	const root = document.documentElement, width = root.clientWidth;
	if (document.scrollingElement.scrollWidth <= width) return [];
	const found = ["it scrolls sideways: the page is " + document.scrollingElement.scrollWidth + " px wide in a window of " + width];
	const hidden = e => { for (e = e.parentElement; e && e !== document.body; e = e.parentElement) if (getComputedStyle(e).overflowX !== "visible") return true; return false; };
	for (const e of document.body.querySelectorAll("*")) {
		const box = e.getBoundingClientRect(), inner = getComputedStyle(e).overflowX === "visible" ? e.scrollWidth : 0;
		const right = Math.max(box.right, box.left + inner);
		if (right > width + 0.5 && !hidden(e) && found.push(e.cloneNode().outerHTML.slice(0, 120) + " ends at " + Math.round(right)) > 6) break;
	}
	return found;
})()`

// overflow returns what makes the page scroll sideways.
func (p *tab) overflow() []string {
	p.t.Helper()
	return evaluate[[]string](p, widest)
}

// untidy is the script of unreadable. A line may end at a hyphen. A line is a line of one text node, without what an
// element around it cuts off. The boxes of lines in small print may touch; two that share
// half of their height and some width show one text over another.
const untidy = `(() => {
	const found = [], lines = [], range = document.createRange();
	const lineBoxes = (node, from, to) => { range.setStart(node, from); range.setEnd(node, to); return [...range.getClientRects()].filter(b => b.width > 0); };
	const cut = (b, e) => {
		let {left, right, top, bottom} = b;
		for (; e && e !== document.body; e = e.parentElement) {
			if (getComputedStyle(e).overflowX === "visible") continue;
			const c = e.getBoundingClientRect();
			left = Math.max(left, c.left); right = Math.min(right, c.right); top = Math.max(top, c.top); bottom = Math.min(bottom, c.bottom);
		}
		return {left, right, top, bottom};
	};
	const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	for (let n; n = walker.nextNode();) {
		const e = n.parentElement;
		if (!e.checkVisibility({contentVisibilityAuto: true, visibilityProperty: true}) || e.closest(".vh, .skip, option, script")) continue;
		for (const word of n.data.matchAll(/[^\s-]+/g)) {
			const boxes = lineBoxes(n, word.index, word.index + word[0].length);
			if ((word[0].length <= 12 || e.closest("table, .tree")) && boxes.some(b => b.top > boxes[0].bottom - 2)) found.push("it breaks a word: " + word[0]);
		}
		for (const b of lineBoxes(n, 0, n.data.length)) lines.push({...cut(b, e), node: n, text: n.data.trim().slice(0, 40)});
	}
	lines.sort((a, b) => a.top - b.top);
	lines.forEach((a, i) => {
		for (let j = i + 1; j < lines.length && lines[j].top < a.bottom; j++) {
			const b = lines[j], high = Math.min(a.bottom, b.bottom) - b.top, wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
			if (a.node !== b.node && wide > 2 && 2 * high > Math.min(a.bottom - a.top, b.bottom - b.top)) found.push("it shows one over the other: " + a.text + " | " + b.text);
		}
	});
	return found.slice(0, 7);
})()`

// unreadable returns the short words, and the words of tables, that are broken over two lines, and the texts that
// stand over each other.
func (p *tab) unreadable() []string {
	p.t.Helper()
	return evaluate[[]string](p, untidy)
}

// noOverflow checks that the page does not scroll sideways.
func (p *tab) noOverflow() {
	p.t.Helper()
	if found := p.overflow(); len(found) > 0 {
		p.t.Errorf("%s at %v:\n\t%s", p.where(), p.view, strings.Join(found, "\n\t"))
	}
}

// layout checks that the page does not scroll sideways, that no short word is broken, and
// that no text stands over another.
func (p *tab) layout() {
	p.t.Helper()
	if found := append(p.overflow(), p.unreadable()...); len(found) > 0 {
		p.t.Errorf("%s at %v:\n\t%s", p.where(), p.view, strings.Join(found, "\n\t"))
	}
}
