"use strict";
/* Lets a person step through the moments of each video. Texts go in as text, never as markup. */
(() => {
  const root = document.documentElement;
  root.classList.add("scripted");
  const TICK_PX = 100, MOST_PX = 60000, FINEST_PX_PER_S = 160, NAME_PX = 28, LINE_PX = 15, GAP_PX = 10;

  const clock = (seconds, digits = 1) => {
    const unit = 10 ** digits;
    const total = Math.round(Math.max(0, seconds) * unit);
    const whole = Math.floor(total / unit);
    const pad = (number) => String(number).padStart(2, "0");
    const hours = Math.floor(whole / 3600), minutes = Math.floor(whole / 60) % 60;
    const rest = pad(whole % 60) + (digits ? "." + String(total % unit).padStart(digits, "0") : "");
    return hours ? `${hours}:${pad(minutes)}:${rest}` : `${minutes}:${rest}`;
  };
  const towards = (dx, dy) => "→↘↓↙←↖↑↗"[(Math.round(Math.atan2(dy, dx) / (Math.PI / 4)) + 8) % 8];
  const clamp = (value, low, high) => Math.min(high, Math.max(low, value));
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;

  const set = (selection, attributes) => {
    for (const [name, value] of Object.entries(attributes)) selection.attr(name, value);
    return selection;
  };
  const put = (parent, tag, attributes) => set(parent.append(tag), attributes);

  /* By how much two rectangles cover one another, across and down. */
  const across = (a, b) => (a.wide + b.wide) / 2 - Math.abs(b.x - a.x);
  const down = (a, b) => (a.high + b.high) / 2 - Math.abs(b.y - a.y);
  const isOver = (a, b) => across(a, b) > 0 && down(a, b) > 0;
  /* D3's forceCollide knows circles only, and names are wide and low. */
  const pushApart = (all) => all.forEach((a, i) => {
    for (const b of all.slice(i + 1)) {
      const x = across(a, b) + GAP_PX, y = down(a, b) + GAP_PX;
      if (x <= 0 || y <= 0) continue;
      const axis = x < y ? "x" : "y", push = (Math.min(x, y) / 2) * (b[axis] < a[axis] ? -1 : 1);
      a[axis] -= push;
      b[axis] += push;
    }
  });
  /* Names stay about where they are, words between their two names, and none covers another. */
  const layOut = (names, ties, width, height) => {
    const all = [...names, ...ties], pull = (one) => (one.lines ? 0 : 0.3);
    const links = ties.flatMap((tie) => [{ source: tie.a, target: tie }, { source: tie, target: tie.b }]);
    const layout = d3.forceSimulation(all).stop()
      .force("x", d3.forceX((one) => one.x).strength(pull)).force("y", d3.forceY((one) => one.y).strength(pull))
      .force("charge", d3.forceManyBody().strength((one) => (one.lines ? 0 : -200)))
      .force("link", d3.forceLink(links).distance(60).strength(0.3))
      .force("apart", () => pushApart(all))
      .force("inside", () => all.forEach((one) => {
        one.x = clamp(one.x, one.wide / 2 + 4, Math.max(one.wide / 2 + 4, width - one.wide / 2 - 4));
        one.y = clamp(one.y, one.high / 2 + 6, height - one.high / 2 - 6);
      }))
      .tick(240);
    layout.force("apart", () => pushApart(names)).tick(60);  // in a crowd the names go before the words
    const shown = [...names];
    for (const tie of ties) {
      tie.isCrowded = shown.some((other) => isOver(tie, other));
      if (!tie.isCrowded) shown.push(tie);
    }
  };
  /* From the rim of one name through the words to the rim of the other. */
  const curve = ({ a, b, x, y }) => {
    const [[x1, y1], [x2, y2]] = [a, b].map((name) => {
      const dx = x - name.x, dy = y - name.y;
      const share = Math.min(name.wide / 2 / Math.max(Math.abs(dx), 1e-6), (name.high / 2 + 1) / Math.max(Math.abs(dy), 1e-6));
      return [name.x + dx * share, name.y + dy * share];
    });
    return `M${x1},${y1}Q${2 * x - (x1 + x2) / 2},${2 * y - (y1 + y2) / 2},${x2},${y2}`;
  };

  class Video {
    constructor(section) {
      this.section = section;
      const known = JSON.parse(document.getElementById(`data-${section.dataset.video}`).textContent);
      Object.assign(this, known);
      this.at = 0;
      this.picked = null;
      const find = (css) => section.querySelector(css);
      this.picture = d3.select(find(".picture svg"));
      this.graph = d3.select(find(".graph svg"));
      this.graphCaption = find(".graph figcaption");
      this.slider = find("input[type=range]");
      this.clock = find(".clock");
      this.now = d3.select(find(".now"));
      this.scroll = find(".tl-scroll");
      this.axis = d3.select(find(".tl-axis .tl-track"));
      this.cursor = find(".tl-cursor");
      this.lanes = d3.select(section).selectAll(".tl-lane");
      this.bars = d3.select(section).selectAll(".tl-event");
      this.keys = [...section.querySelectorAll(".tl-key")];
      const most = d3.max(this.moments, (moment) => moment.nodes.length);
      this.graph.style("min-height", most > 3 ? `${clamp(48 * most, 300, 480)}px` : null);
      this.slider.max = Math.max(0, this.moments.length - 1);
      this.listen();
      this.fit();
      const first = this.keys.length ? Number(this.keys[0].dataset.t) : 0;
      this.show(this.nearest(first));
    }

    listen() {
      this.slider.addEventListener("input", () => this.show(Number(this.slider.value)));
      this.section.querySelector(".boxes").addEventListener("change", (event) => {
        this.section.classList.toggle("no-boxes", !event.target.checked);
      });
      this.section.addEventListener("click", (event) => {
        const link = event.target.closest("[data-t]");
        if (!link || event.target.closest("summary")) return;
        if (link.tagName === "A") event.preventDefault();
        this.stop();
        this.show(this.nearest(Number(link.dataset.t)));
        this.pick(link.closest("[data-entity]")?.dataset.entity ?? null);
        if (!link.closest(".timeline")) this.section.querySelector(".stage").scrollIntoView({ block: "nearest" });
      });
      this.section.querySelectorAll(".tl-name, tr[data-entity]").forEach((one) => {
        one.addEventListener("click", () => {
          const tag = one.closest("[data-entity]")?.dataset.entity ?? null;
          this.pick(tag === this.picked ? null : tag);
        });
      });
      this.section.querySelectorAll(".find").forEach((field) => {
        field.addEventListener("input", () => this.filter(field));
      });
      this.axis.call(d3.drag().container(this.scroll).on("start drag", (event) => {
        this.stop();
        this.show(this.nearest(this.seen.invert(event.x) / 1000));
      }));
      /* The wheel alone scrolls the page, one finger the timeline: that is the browser's own scrolling, which D3 follows. */
      const isOurs = (event) => (event.type === "wheel" ? event.ctrlKey || event.metaKey : event.touches?.length > 1);
      this.zoom = d3.zoom().filter(isOurs).on("zoom", ({ transform }) => this.zoomed(transform))
        .wheelDelta((event) => -event.deltaY * (event.deltaMode ? 0.1 : 0.005));
      this.pane = d3.select(this.scroll).call(this.zoom)
        .on("wheel", (event) => { if (isOurs(event)) event.preventDefault(); })
        .on("scroll", () => this.follow());
      addEventListener("resize", () => this.fit());
    }

    /* The timeline at rest, in pixels of what is scrolled: right of the names, up to its margin. */
    fit() {
      const left = this.section.querySelector(".tl-name").offsetWidth, right = this.scroll.clientWidth - 14;
      const place = [[left, 0], [right, this.scroll.clientHeight]];
      const most = Math.min(MOST_PX, this.length * FINEST_PX_PER_S) / (right - left);
      this.time = d3.scaleUtc([0, this.length * 1000], [left, right]);
      this.zoom.extent(place).translateExtent(place).scaleExtent([1, Math.max(8, most)]);
      this.follow();
    }

    follow() {
      const [left] = this.time.range(), { k } = d3.zoomTransform(this.scroll);
      this.pane.call(this.zoom.transform, d3.zoomIdentity.translate(left * (1 - k) - this.scroll.scrollLeft, 0).scale(k));
    }

    zoomed(transform) {
      const [left, right] = this.time.range(), x = left - transform.applyX(left);
      this.seen = transform.rescaleX(this.time);
      this.scroll.style.setProperty("--zoom", transform.k);
      if (Math.abs(this.scroll.scrollLeft - x) > 0.5) this.scroll.scrollLeft = x;  // setting it ends a finger's swing
      const times = this.time.ticks(((right - left) * transform.k) / TICK_PX), room = this.time.invert(right - 34 / transform.k);
      const digits = times[1] - times[0] < 1000 ? 1 : 0;
      const ticks = times.filter((time) => !+time || time < room).map((time) => ({ time, label: clock(time / 1000, digits) }));
      this.axis.selectAll("span").data(ticks, (tick) => tick?.label).join((enter) => enter.append("span").attr("class", "tick")
        .style("left", ({ time }) => `${time / this.length / 10}%`).text(({ label }) => label));
    }

    /* About the chosen moment where it is in view, else about the middle. */
    zoomBy(factor) {
      const [left, right] = this.time.range(), x = this.seen(this.moments[this.at]?.t * 1000);
      this.pane.call(this.zoom.scaleBy, factor, left <= x && x <= right ? [x, 0] : null);
    }

    keepInView(time) {
      const [left, right] = this.time.range(), x = this.seen(time);
      if (x < left + 8 || x > right - 10) this.pane.call(this.zoom.translateTo, this.time(time), 0, [left + (right - left) / 3, 0]);
    }

    filter(field) {
      const wanted = field.value.trim().toLowerCase();
      const off = new Set();
      field.closest("details").querySelectorAll("tbody tr").forEach((row) => {
        row.hidden = wanted !== "" && !row.textContent.toLowerCase().includes(wanted);
        if (row.hidden) off.add("#" + row.id);
      });
      this.bars.classed("off", function () { return off.has(this.getAttribute("href")); });
    }

    nearest(seconds) {
      return d3.bisector((moment) => moment.t).center(this.moments, seconds);
    }

    pick(tag) {
      this.picked = tag;
      const isMeant = (one) => one.dataset.of.split(" ").includes(tag);
      this.lanes.classed("picked", function () { return this.dataset.entity === tag; });
      d3.select(this.section).selectAll("[data-of]")
        .classed("dim", function () { return tag !== null && !isMeant(this); })
        .classed("meant", function () { return isMeant(this); });
    }

    show(position) {
      if (!this.moments.length) return;
      this.at = clamp(position, 0, this.moments.length - 1);
      const moment = this.moments[this.at], now = moment.t + 1e-6;
      const nodes = moment.nodes.map(([which, box, sentence]) => {
        const entity = this.entities[which];
        return { ...entity, which, box, sentence, name: `${entity.label} ${entity.tag}` };
      });
      this.slider.value = this.at;
      this.slider.setAttribute("aria-valuetext", clock(moment.t));
      this.clock.textContent = `${clock(moment.t)} of ${clock(this.length)}`;
      this.cursor.hidden = false;
      this.cursor.style.left = `${100 * clamp(moment.t / this.length, 0, 1)}%`;
      this.drawPicture(moment, nodes);
      this.drawGraph(moment, nodes);
      this.tell(moment, nodes);
      const isNow = (one) => Math.abs(Number(one.dataset.t) - moment.t) < 0.01;
      this.keys.forEach((key) => key.classList.toggle("at", isNow(key)));
      this.section.querySelectorAll(".card").forEach((card) => card.classList.toggle("at", isNow(card.querySelector("[data-t]"))));
      this.bars.classed("at", function () { return Number(this.dataset.t) <= now && now < Number(this.dataset.e); });
      if (this.picked) this.pick(this.picked);
      this.keepInView(moment.t * 1000);
    }

    pictureOf(moment) {
      if (moment.jpeg) return `data:image/jpeg;base64,${moment.jpeg}`;
      const card = moment.key && document.getElementById(moment.key);
      return card ? card.querySelector("image").getAttribute("href") : null;
    }

    drawPicture(moment, nodes) {
      const [width, height] = this.size, letter = height / 30, high = letter * 1.35;
      const svg = this.picture.attr("viewBox", `0 0 ${width} ${height}`).attr("aria-label", `Picture at ${clock(moment.t)}. ${moment.text}`);
      svg.selectAll("*").remove();
      const href = this.pictureOf(moment);
      if (href) put(svg, "image", { href, width, height });
      else {
        put(svg, "rect", { class: "missing", width, height });
        put(svg, "text", { class: "missing-text", x: width / 2, y: height * 0.96, "font-size": height / 20 })
          .text(this.missing ? "picture missing" : "no picture of this moment is kept in the page");
      }
      const taken = [];
      const area = ({ box: [left, top, right, bottom] }) => (right - left) * (bottom - top);
      for (const { name, tag, color, on, box } of d3.sort(nodes.filter((node) => node.box), (node) => -area(node))) {
        const [left, top, right, bottom] = box, wide = (name.length * 0.66 + 0.6) * letter;
        const group = put(svg, "g", { class: "box", "data-of": tag }).style("--c", color);
        put(group, "rect", { x: left, y: top, width: Math.max(0, right - left), height: Math.max(0, bottom - top) });
        const starts = left + wide / 2, ends = right - wide / 2;
        const spots = [[starts, top - high / 2], [starts, top + high / 2], [ends, top + high / 2], [starts, bottom - high / 2],
          [ends, bottom - high / 2], [starts, bottom + high / 2]].map(([x, y]) => (
          { x: clamp(x, wide / 2, Math.max(wide / 2, width - wide / 2)), y: clamp(y, high / 2, height - high / 2), wide, high }));
        const spot = spots.find((one) => !taken.some((other) => isOver(one, other))) ?? spots[0];
        taken.push(spot);
        put(group, "rect", { class: "patch", x: spot.x - wide / 2, y: spot.y - high / 2, width: wide, height: high });
        put(group, "text", { x: spot.x - wide / 2 + letter * 0.3, y: spot.y - high / 2 + letter, "font-size": letter, fill: on }).text(name);
      }
    }

    /* What is said now of each two names, with its direction: 1 from a to b, -1 from b to a, 0 both. */
    ties(names) {
      const said = this.relations.filter(([subject, object, , , , runs]) => names.has(subject) && names.has(object) &&
        d3.pairs(runs).some(([from, to], i) => i % 2 === 0 && from <= this.at && this.at <= to));
      const pairs = d3.flatGroup(said, ([one, other]) => Math.min(one, other), ([one, other]) => Math.max(one, other));
      return pairs.map(([one, other, rows]) => {
        const a = names.get(one), b = names.get(other);
        const lines = rows.map(([subject, , words, source, mutual]) => (
          { words: source === "geometry" ? words : `${words} (${source})`, way: mutual ? 0 : subject === one ? 1 : -1 }));
        return { a, b, lines: d3.sort(lines, ({ way }) => [0, 1, -1].indexOf(way)), x: (a.x + b.x) / 2, y: (a.y + b.y) / 2,
          wide: (d3.max(lines, (line) => line.words.length) + 2) * 7.1, high: lines.length * LINE_PX };
      });
    }

    /* Names start where their entities are in the picture. */
    drawGraph(moment, nodes) {
      const place = this.graph.node().getBoundingClientRect();
      const width = Math.max(300, Math.round(place.width)), height = Math.max(180, Math.round(place.height));
      const [fullWidth, fullHeight] = this.size;
      const names = nodes.map((node, order) => ({
        ...node, wide: node.name.length * 8.4 + 24, high: NAME_PX,
        x: node.box ? ((node.box[0] + node.box[2]) / 2 / fullWidth) * width : (width * (order + 1)) / (nodes.length + 1),
        y: node.box ? ((node.box[1] + node.box[3]) / 2 / fullHeight) * height : height - 24,
      }));
      const ties = this.ties(d3.index(names, (name) => name.which));
      layOut(names, ties, width, height);

      const svg = this.graph.attr("viewBox", `0 0 ${width} ${height}`);
      svg.selectAll("*").remove();
      const arrow = `url(#arrow-${this.section.dataset.video})`;
      const marker = put(svg.append("defs"), "marker", { id: `arrow-${this.section.dataset.video}`, viewBox: "0 0 10 10", refX: 9, refY: 5,
        markerWidth: 7, markerHeight: 7, orient: "auto-start-reverse" });
      put(marker, "path", { class: "arrow", d: "M0 0L10 5L0 10z" });
      const of = ({ a, b }) => `${a.tag} ${b.tag}`;
      set(svg.selectAll(".edge").data(ties).join("path"), { class: "edge", "data-of": of, d: curve,
        "marker-start": ({ lines }) => (lines.some((line) => line.way <= 0) ? arrow : null),
        "marker-end": ({ lines }) => (lines.some((line) => line.way >= 0) ? arrow : null) });
      const words = set(svg.selectAll(".edge-text").data(ties).join("text"), { "data-of": of,
        class: (tie) => (tie.isCrowded ? "edge-text crowded" : "edge-text") });
      set(words.selectAll("tspan").data(({ a, b, lines, x, y, high }) => lines.map(({ words, way }, row) => (
        { text: way ? `${words} ${towards((b.x - a.x) * way, (b.y - a.y) * way)}` : words, x, y: y - high / 2 + 12 + row * LINE_PX })))
        .join("tspan"), { x: (line) => line.x, y: (line) => line.y }).text((line) => line.text);
      const pills = set(svg.selectAll(".graph-node").data(names).join("g"), { class: "graph-node", "data-of": (name) => name.tag })
        .style("--c", (name) => name.color).on("click", (event, { tag }) => this.pick(this.picked === tag ? null : tag));
      put(pills, "rect", { x: ({ x, wide }) => x - wide / 2, y: ({ y }) => y - NAME_PX / 2, width: ({ wide }) => wide, height: NAME_PX,
        rx: NAME_PX / 2 });
      put(pills, "text", { x: (name) => name.x, y: (name) => name.y + 5, fill: (name) => name.on }).text((name) => name.name);

      svg.node().parentElement.classList.toggle("empty", names.length === 0);
      const relations = d3.sum(ties, (tie) => tie.lines.length);
      const people = names.length === 1 ? "1 entity" : `${names.length} entities`;
      const caption = names.length ? `${people}, ${relations === 1 ? "1 relation" : `${relations} relations`} at ${clock(moment.t)}` :
        `Nobody and nothing is known at ${clock(moment.t)}`;
      svg.attr("aria-label", caption);
      this.graphCaption.textContent = caption + (ties.some((tie) => tie.isCrowded) ? ". Choose a name to see the words that find no room." : "");
    }

    tell(moment, nodes) {
      this.now.selectAll("*").remove();
      if (moment.coverage) put(this.now, "p", { class: "notice" }).text(`Nothing is known of this frame (${moment.coverage}).`);
      this.now.append("p").text(moment.text);
      const items = this.now.append("ul").selectAll("li").data(nodes).join("li")
        .on("pointerenter", (event, { tag }) => this.pick(tag)).on("pointerleave", () => this.pick(null));
      put(items, "i", { class: "dot" }).style("--c", ({ color }) => color);
      items.append("b").text(({ name }) => name);
      items.append(({ sentence }) => document.createTextNode(sentence));
    }

    key(direction) {
      const here = this.moments[this.at].t;
      const times = this.keys.map((one) => Number(one.dataset.t)).sort((a, b) => a - b);
      const next = direction > 0 ? times.find((time) => time > here + 0.01) : times.reverse().find((time) => time < here - 0.01);
      if (next !== undefined) this.show(this.nearest(next));
    }

    play() {
      if (this.timer) { this.stop(); return; }
      if (this.at >= this.moments.length - 1) this.show(0);
      this.playing(true);
      this.timer = setInterval(() => {
        if (this.at >= this.moments.length - 1) this.stop();
        else this.show(this.at + 1);
      }, calm ? 1200 : 500);
    }

    stop() {
      clearInterval(this.timer);
      this.timer = null;
      this.playing(false);
    }

    playing(yes) {
      const button = this.section.querySelector('[data-do="play"]');
      button.querySelector("path").setAttribute("d", yes ? "M3 2h4v12H3zM9 2h4v12H9z" : "M4 2l10 6-10 6z");
      button.setAttribute("aria-pressed", yes);
    }

    act(what) {
      if (what !== "play" && !what.startsWith("zoom")) this.stop();
      switch (what) {
        case "back": this.show(this.at - 1); break;
        case "on": this.show(this.at + 1); break;
        case "back-far": this.show(this.at - 10); break;
        case "on-far": this.show(this.at + 10); break;
        case "first": this.show(0); break;
        case "last": this.show(this.moments.length - 1); break;
        case "next-key": this.key(1); break;
        case "previous-key": this.key(-1); break;
        case "play": this.play(); break;
        case "boxes": this.section.querySelector(".boxes").click(); break;
        case "zoom-in": this.zoomBy(1.6); break;
        case "zoom-out": this.zoomBy(1 / 1.6); break;
        case "zoom-all": this.pane.call(this.zoom.scaleTo, 1); break;
      }
    }
  }

  const videos = [...document.querySelectorAll("[data-video]")].map((section) => new Video(section));
  let current = videos[0];
  videos.forEach((video) => {
    for (const kind of ["pointerdown", "focusin"]) video.section.addEventListener(kind, () => { current = video; });
  });

  const copy = async (button) => {
    const box = button.closest("details");
    const text = (box.querySelector("pre.full") ?? box.querySelector("pre")).textContent;
    let done = true;
    try { await navigator.clipboard.writeText(text); }
    catch {
      box.open = true;
      const range = document.createRange();
      range.selectNodeContents(box.querySelector("pre.full") ?? box.querySelector("pre"));
      getSelection().removeAllRanges();
      getSelection().addRange(range);
      done = document.execCommand("copy");
    }
    button.textContent = done ? "Copied" : "Press Ctrl+C";
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  };

  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-do]");
    if (!button) return;
    const what = button.dataset.do;
    if (what === "copy") { event.preventDefault(); copy(button); return; }
    if (what === "theme") {
      const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
      root.dataset.theme = dark ? "light" : "dark";
      return;
    }
    const section = button.closest("[data-video]");
    videos.find((video) => video.section === section)?.act(what);
  });

  const KEYS = {
    ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last", n: "next-key", p: "previous-key", " ": "play",
    "+": "zoom-in", "=": "zoom-in", "-": "zoom-out", "0": "zoom-all", b: "boxes",
  };
  document.addEventListener("keydown", (event) => {
    if (!current || event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target;
    const typing = target.matches("input:not([type=range]):not([type=checkbox]), textarea, select");
    if (typing) return;
    let what = KEYS[event.key];
    if (!what) return;
    if (event.key === " " && target.matches("button, summary, a, input")) return;
    if ((event.key === "Home" || event.key === "End" || event.key.startsWith("Arrow")) && target.matches(".wide, pre")) return;
    if (event.shiftKey && event.key === "ArrowLeft") what = "back-far";
    if (event.shiftKey && event.key === "ArrowRight") what = "on-far";
    event.preventDefault();
    current.act(what);
  });

  /* What a bar says, at once and whole; without the script the browser's own tooltip says it. */
  const tip = document.querySelector(".tip");
  document.querySelectorAll(".timeline [title]").forEach((one) => {
    if (one.tagName === "BUTTON") return;
    one.dataset.tip = one.title;
    one.setAttribute("aria-label", one.title);
    one.removeAttribute("title");
  });
  addEventListener("scroll", () => { tip.hidden = true; }, { passive: true, capture: true });
  document.addEventListener("pointermove", (event) => {
    const over = event.target.closest?.("[data-tip]");
    tip.hidden = !over;
    if (!over) return;
    tip.textContent = over.dataset.tip;
    tip.style.left = `${clamp(event.clientX + 14, 4, innerWidth - tip.offsetWidth - 4)}px`;
    tip.style.top = `${event.clientY + 20 + tip.offsetHeight > innerHeight ? event.clientY - tip.offsetHeight - 12 : event.clientY + 20}px`;
  });
})();
