"use strict";
// What the pages do besides links and forms: times in the person's own words, updates while
// a page is open, the keyboard, copying, and older rows while one scrolls. Markup comes from
// the server alone. Text never becomes markup here.
(() => {
const $ = (selector, from = document) => from.querySelector(selector);
const $$ = (selector, from = document) => [...from.querySelectorAll(selector)];
const body = document.body;

// Times.
const clock = new Intl.DateTimeFormat(undefined, {hour: "2-digit", minute: "2-digit"});
const day = new Intl.DateTimeFormat(undefined, {day: "numeric", month: "short"});
const year = new Intl.DateTimeFormat(undefined, {day: "numeric", month: "short", year: "numeric"});
const weekday = new Intl.DateTimeFormat(undefined, {weekday: "long", day: "numeric", month: "long", year: "numeric"});
const exact = new Intl.DateTimeFormat(undefined, {dateStyle: "medium", timeStyle: "long"});
function ago(then) {
  const now = new Date(), seconds = (now - then) / 1000;
  if (seconds > -60 && seconds < 10) return "just now";
  if (seconds >= 0 && seconds < 60) return Math.floor(seconds) + " s ago";
  if (seconds >= 0 && seconds < 3600) return Math.floor(seconds / 60) + " min ago";
  if (then.toDateString() === now.toDateString()) return "today " + clock.format(then);
  const sameYear = then.getFullYear() === now.getFullYear();
  return (sameYear ? day : year).format(then) + (sameYear ? " " + clock.format(then) : "");
}
let exactly = false; // all times are shown in full
function localTimes(from = document) {
  for (const t of $$("time[datetime]", from)) {
    const then = new Date(t.dateTime);
    if (isNaN(then)) continue;
    t.title = exact.format(then);
    const text = exactly || t.dataset.exact !== undefined ? exact.format(then) : ago(then);
    if (t.textContent !== text) t.textContent = text;
  }
}

// The server groups changes by days in UTC. Here they are the person's own days.
function localDays(from = document) {
  const days = $$("section[data-day]", from), made = [];
  if (!days.length) return;
  const blank = days[0].cloneNode(true);
  $("ol", blank).replaceChildren();
  let list, last;
  for (const row of $$("li", from).filter(r => r.closest("section[data-day]"))) {
    const name = weekday.format(new Date($("time", row).dateTime));
    if (name !== last) {
      const section = blank.cloneNode(true);
      $("h2", section).textContent = last = name;
      list = $("ol", section);
      made.push(section);
    }
    list.append(row);
  }
  days[0].before(...made);
  for (const d of days) d.remove();
}

// Updates. The server says only that something has changed. The page is then fetched again,
// and its elements with data-live take the place of those that are here.
const live = new Map(); // the markup of each element as the server sent it
function remember(from = document) { for (const e of $$("[data-live][id]", from)) live.set(e.id, e.outerHTML); }
let told = -Infinity;
// changed tells listeners that the page has changed, at most twice a minute.
function changed() {
  if (performance.now() - told < 30000) return;
  told = performance.now();
  say("The page shows what has changed.");
}
// A part of the page is left alone while the person presses something or has its text selected.
let pressed = false, waiting = false;
function busy(e) {
  const s = getSelection();
  return pressed || e.dataset.live !== "grow" && !s.isCollapsed && s.rangeCount > 0 && s.getRangeAt(0).intersectsNode(e);
}
function goOn() { if (waiting) { waiting = false; refresh(); } }
function release() { setTimeout(() => { pressed = false; goOn(); }); }
addEventListener("pointerdown", () => { pressed = true; }, true);
for (const name of ["pointerup", "pointercancel", "dragend", "blur"]) addEventListener(name, release, true);
document.addEventListener("selectionchange", () => { if (getSelection().isCollapsed) goOn(); });
function rowKey(r) { return r.dataset.key || (r.matches("a, summary") ? r : $("a", r))?.getAttribute("href") || r.parentElement.id; }
function say(text) { const s = $("#status"); if (s) s.textContent = text; }
async function fetchPage(address) {
  const answer = await fetch(address, {headers: {Accept: "text/html"}, credentials: "same-origin", cache: "no-store"});
  if (answer.redirected && new URL(answer.url).pathname === "/signin") { ended(); throw new Error("signed out"); }
  if (!answer.ok && answer.status !== 404) throw new Error(answer.status);
  return new DOMParser().parseFromString(await answer.text(), "text/html");
}
function swap(now, next) {
  const held = now.contains(document.activeElement) ? document.activeElement : null;
  const open = new Map($$("details[id]", now).map(d => [d.id, d.open]));
  const seen = scrollY > 0 && $$("[data-item]", now).find(r => r.checkVisibility() && r.getBoundingClientRect().top >= 0);
  const key = seen && rowKey(seen), top = seen && seen.getBoundingClientRect().top;
  const fresh = document.importNode(next, true);
  now.replaceWith(fresh);
  localDays(fresh);
  for (const d of $$("details[id]", fresh)) if (open.has(d.id)) d.open = open.get(d.id);
  localTimes(fresh); equip(fresh);
  const same = key && $$("[data-item]", fresh).find(r => rowKey(r) === key);
  if (same) scrollBy(0, same.getBoundingClientRect().top - top); // what one reads stays where it is
  if (!held) return;
  const again = held.matches("details[id] > summary") ? $("#" + held.parentElement.id + " > summary") : held.id ? document.getElementById(held.id) : $$("a[href]", fresh).find(a => a.getAttribute("href") === held.getAttribute("href"));
  (again || fresh).focus?.({preventScroll: true});
}
// grow puts new rows of a list before the others, and keeps the older ones that were loaded.
// The page says from which number to which it has looked (data-from, data-to), and what the
// least is that exists (data-first). A list that would get a gap is replaced, with its pager.
function grow(now, next, page) {
  const at = (e, name) => Number(e.dataset[name]);
  const keyed = list => $$(":scope > [data-key]", list);
  const had = keyed(now), rows = keyed(next).filter(r => at(r, "key") > at(now, "to"));
  const stay = had.filter(r => at(r, "key") >= at(next, "first"));
  if (at(next, "from") <= at(now, "to") + 1 && (had.length ? stay.length : !rows.length)) {
    for (const r of had) if (!stay.includes(r)) r.remove();
    now.dataset.to = next.dataset.to;
    now.prepend(...rows.map(row => fresh(row, "new")));
    return;
  }
  swap(now, next);
  pager(now.id, page);
}
function fresh(row, kind) {
  const added = document.importNode(row, true);
  if (kind) added.classList.add(kind);
  localTimes(added); equip(added);
  return added;
}
// pager puts the pager of a page below a list. Its list is #ID, and it is #ID-more.
function pager(id, page) {
  const now = document.getElementById(id + "-more"), next = page.getElementById(id + "-more");
  if (now && next) swap(now, next);
}
let refreshing = false, again = false, later = 0;
async function refresh() {
  if (refreshing) { again = true; return; }
  refreshing = true;
  do {
    again = false;
    try {
      const page = await fetchPage(body.dataset.refresh || location.href);
      let any = false;
      for (const now of $$("[data-live][id]")) {
        const next = page.getElementById(now.id);
        if (!next || next.outerHTML === live.get(now.id)) continue;
        if (busy(now)) { waiting = true; continue; }
        live.set(now.id, next.outerHTML);
        (now.dataset.live === "grow" ? grow : swap)(now, next, page);
        any = true;
      }
      if (any && !body.dataset.every) changed();
      if (!body.dataset.stream || source?.readyState === 1) found();
    } catch {
      lost();
      clearTimeout(later);
      if (source) later = setTimeout(refresh, 2000); // without it, connect comes back to this
    }
    await new Promise(done => setTimeout(done, 150));
  } while (again);
  refreshing = false;
}
let source = null, retry = 0, missed = false;
// ended goes to the page for signing in, but not away from a text that would be lost.
function ended() {
  if (!unsaved()) return location.reload();
  disconnect();
  const n = $("#lost");
  if (n) { n.lastElementChild.textContent = "You are signed out. Copy your text before you leave this page."; n.hidden = false; }
}
function found() { const n = $("#lost"); if (n) n.hidden = true; }
function lost() { missed = true; const n = $("#lost"); if (n) n.hidden = false; }
function connect() {
  if (source || !body.dataset.stream || document.hidden) return;
  source = new EventSource(body.dataset.stream);
  source.addEventListener("hello", () => {
    retry = 0;
    found();
    $(".live .dot")?.classList.add("ok");
    missed = false;
    refresh(); // what came between the page and the stream
  });
  source.addEventListener("change", refresh);
  source.addEventListener("end", ended);
  source.addEventListener("error", () => {
    lost();
    $(".live .dot")?.classList.remove("ok");
    disconnect();
    setTimeout(connect, Math.min(8000, 250 * 2 ** retry++) * (0.75 + Math.random() / 2));
  });
}
function disconnect() { source?.close(); source = null; }
document.addEventListener("visibilitychange", () => { if (document.hidden) disconnect(); else { localTimes(); connect(); } });
addEventListener("pagehide", disconnect);
addEventListener("pageshow", e => { if (e.persisted) connect(); });

// showExact shows all times in full, or again in short, for those who have no mouse.
function showExact() {
  exactly = !exactly;
  body.classList.toggle("exact", exactly);
  $("[data-times]")?.setAttribute("aria-pressed", exactly);
  localTimes();
}

// The keyboard.
function typing(e) { return e.target.closest?.("input, textarea, select, [contenteditable]"); }
function move(step) {
  const rows = $$("[data-item]").filter(r => r.checkVisibility());
  if (!rows.length) return;
  const at = rows.findIndex(r => r === document.activeElement || r.contains(document.activeElement));
  const row = rows[at < 0 ? (step > 0 ? 0 : rows.length - 1) : Math.max(0, Math.min(rows.length - 1, at + step))];
  (row.matches("a, button") ? row : $("a, button", row) || row).focus();
  row.scrollIntoView({block: "nearest"});
}
document.addEventListener("keydown", e => {
  if (e.ctrlKey || e.metaKey || e.altKey || e.isComposing || typing(e) || $("dialog[open]")) return;
  const act = {
    j: () => move(1),
    k: () => move(-1),
    "/": () => { const s = $$("[aria-keyshortcuts='/']").find(s => s.offsetParent); if (s) { s.focus(); s.select(); } else if ($("nav a[href='/search']")) location.assign("/search#q"); },
    "?": () => $("#help")?.showModal(),
    t: showExact,
  }[e.key];
  if (act) { e.preventDefault(); act(); }
});

// Buttons that need this script are hidden without it.
function equip(from = document) {
  for (const b of $$("[data-script][hidden]", from)) b.hidden = false;
  for (const a of $$("a[data-more]", from)) older.observe(a);
}
document.addEventListener("click", async e => {
  const copy = e.target.closest?.("button[data-copy]");
  if (copy) {
    const from = copy.dataset.copy;
    try {
      let text;
      if (from.startsWith("#")) { const s = $(from); text = s.value ?? s.textContent; }
      else { const answer = await fetch(from, {cache: "no-store"}); if (!answer.ok) throw new Error(answer.status); text = await answer.text(); }
      await navigator.clipboard.writeText(text);
      say("Copied.");
      copy.classList.add("done"); setTimeout(() => copy.classList.remove("done"), 1500);
    } catch { say("Not copied: the browser does not allow it here."); }
    return;
  }
  if (e.target.closest?.("[data-times]")) showExact();
  if (e.target.closest?.("[data-help]")) { e.preventDefault(); $("#help")?.showModal(); }
});

// Older rows while one scrolls.
const older = new IntersectionObserver(seen => { for (const s of seen) if (s.isIntersecting) { older.unobserve(s.target); more(s.target); } }, {rootMargin: "600px"});
async function more(link) {
  try {
    const page = await fetchPage(link.href), list = $(link.dataset.more), next = $(link.dataset.more, page);
    if (!list || !next || !link.isConnected) return; // the list was replaced meanwhile
    const known = new Set($$(":scope > [data-key]", list).map(e => e.dataset.key));
    list.append(...$$(":scope > [data-key]", next).filter(row => !known.has(row.dataset.key)).map(row => fresh(row)));
    pager(list.id, page);
  } catch { /* the link is still there */ }
}

// Text that was typed is not lost by leaving the page, nor by sending more than fits.
let sent = false;
function unsaved() {
  return !sent && $$("[data-guard] textarea").some(t => t.value !== t.defaultValue || t.closest("[data-guard='unsaved']"));
}
addEventListener("beforeunload", e => { if (unsaved()) e.preventDefault(); });
addEventListener("pageshow", () => { sent = false; });
document.addEventListener("submit", e => {
  const text = e.target.matches("[data-guard]") && $("textarea", e.target);
  if (!text) return;
  const lines = e.target.dataset.ending === "CRLF" ? text.value.split("\n").length - 1 : 0;
  const over = new TextEncoder().encode(text.value).length + lines - e.target.dataset.max;
  if (over > 0) {
    e.preventDefault();
    text.setCustomValidity("The text has " + over.toLocaleString() + " bytes more than a file may have.");
    text.reportValidity();
    return;
  }
  sent = true;
});
// A second click does not send a form again whose answer is shown once.
let clicked = null;
document.addEventListener("submit", e => {
  if (!e.target.matches("[data-once]")) return;
  if (clicked === e.target) e.preventDefault();
  clicked = e.target;
  setTimeout(() => { clicked = null; }, 3000);
});
document.addEventListener("input", e => e.target.setCustomValidity?.(""));
document.addEventListener("keydown", e => {
  const form = (e.ctrlKey || e.metaKey) && !e.altKey && !e.shiftKey && e.key === "s" && $("form[data-guard]");
  if (form) { e.preventDefault(); form.requestSubmit($(".go", form)); }
});

// A page that tells how things are at the moment is fetched again and again.
if (body.dataset.every) {
  const look = () => { if (!document.hidden) refresh(); };
  setInterval(look, body.dataset.every * 1000);
  document.addEventListener("visibilitychange", look);
}

remember(); localDays(); localTimes(); equip(); connect();
setInterval(localTimes, 20000);
})();
