"use strict";
/* Lets a person step through the moments of each video. Texts go in as text, never as markup. */
(() => {
  const root = document.documentElement;
  root.classList.add("scripted");
  const SVG = "http://www.w3.org/2000/svg";
  const STEPS_S = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600];
  const TICK_PX = 74, MOST_PX = 60000, FINEST_PX_PER_S = 160;

  const draw = (tag, attributes, ...children) => {
    const element = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes || {})) element.setAttribute(name, value);
    element.append(...children);
    return element;
  };
  const make = (tag, name, ...children) => {
    const element = document.createElement(tag);
    if (name) element.className = name;
    element.append(...children);
    return element;
  };
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

  /* Names lie about where their entities are in the picture; those related are kept near, the others pushed away. */
  const spreadOut = (nodes, linked, width, height, inside) => {
    if (nodes.length < 2) { nodes.forEach(inside); return; }
    for (const [axis, size, margin] of [["x", width, 70], ["y", height, 34]]) {
      const low = Math.min(...nodes.map((node) => node[axis])), high = Math.max(...nodes.map((node) => node[axis]));
      const share = clamp(((high - low) / size) * 2.2, 0, 1);
      nodes.forEach((node, order) => {
        const place = high - low < 1 ? 0.5 : (node[axis] - low) / (high - low);
        node[axis] = size / 2 + (place - 0.5) * share * (size - 2 * margin) + (order % 2 ? 7 : -7);
      });
    }
    nodes.forEach(inside);
    const ideal = Math.min(190, 0.8 * Math.sqrt((width * height) / nodes.length));
    for (let round = 0; round < 220; round++) {
      const most = 0.06 * Math.min(width, height) * (1 - round / 220);
      const moves = nodes.map(() => [0, 0]);
      nodes.forEach((a, i) => nodes.forEach((b, j) => {
        if (i === j) return;
        const dx = b.x - a.x || 0.1, dy = b.y - a.y || 0.1, far = Math.hypot(dx, dy);
        const push = far < ideal * 1.6 ? (ideal * ideal) / far : 0;
        const pull = linked.has(`${a.which} ${b.which}`) ? (far * far) / ideal : 0;
        moves[i][0] += (dx / far) * (pull - push);
        moves[i][1] += (dy / far) * (pull - push);
      }));
      nodes.forEach((node, i) => {
        const [dx, dy] = moves[i], far = Math.hypot(dx, dy) || 1;
        node.x += (dx / far) * Math.min(far, most);
        node.y += (dy / far) * Math.min(far, most);
        inside(node);
      });
    }
    for (let round = 0; round < 60; round++) {
      nodes.forEach((a, i) => nodes.slice(i + 1).forEach((b) => {
        const dx = b.x - a.x || 0.1, dy = b.y - a.y || 0.1;
        const needX = a.half + b.half + 10 - Math.abs(dx), needY = 40 - Math.abs(dy);
        if (needX <= 0 || needY <= 0) return;
        const push = (Math.sign(dy) * needY) / 2;
        a.y -= push;
        b.y += push;
        inside(a);
        inside(b);
      }));
    }
  };

  class Video {
    constructor(section) {
      this.section = section;
      const known = JSON.parse(document.getElementById(`data-${section.dataset.video}`).textContent);
      Object.assign(this, known);
      this.at = 0;
      this.zoom = 1;
      this.picked = null;
      const find = (css) => section.querySelector(css);
      this.picture = find(".picture svg");
      this.graph = find(".graph svg");
      this.graphCaption = find(".graph figcaption");
      this.slider = find("input[type=range]");
      this.clock = find(".clock");
      this.now = find(".now");
      this.scroll = find(".tl-scroll");
      this.inner = find(".tl-inner");
      this.axis = find(".tl-axis .tl-track");
      this.cursor = find(".tl-cursor");
      this.lanes = [...section.querySelectorAll(".tl-lane")];
      this.bars = [...section.querySelectorAll(".tl-event")];
      this.keys = [...section.querySelectorAll(".tl-key")];
      this.slider.max = Math.max(0, this.moments.length - 1);
      this.listen();
      this.layAxis();
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
      this.scroll.addEventListener("wheel", (event) => {
        if (!event.ctrlKey && !event.metaKey) return;
        event.preventDefault();
        this.zoomTo(this.zoom * Math.exp(-event.deltaY / 300), event.clientX);
      }, { passive: false });
      const seek = (event) => {
        const place = this.axis.getBoundingClientRect();
        this.show(this.nearest(clamp((event.clientX - place.left) / place.width, 0, 1) * this.length));
      };
      this.axis.addEventListener("pointerdown", (event) => {
        this.stop();
        this.axis.setPointerCapture(event.pointerId);
        seek(event);
      });
      this.axis.addEventListener("pointermove", (event) => {
        if (this.axis.hasPointerCapture(event.pointerId)) seek(event);
      });
      this.section.querySelectorAll(".find").forEach((field) => {
        field.addEventListener("input", () => this.filter(field));
      });
      addEventListener("resize", () => this.layAxis());
    }

    filter(field) {
      const wanted = field.value.trim().toLowerCase();
      const off = new Set();
      field.closest("details").querySelectorAll("tbody tr").forEach((row) => {
        row.hidden = wanted !== "" && !row.textContent.toLowerCase().includes(wanted);
        if (row.hidden) off.add("#" + row.id);
      });
      this.bars.forEach((bar) => bar.classList.toggle("off", off.has(bar.getAttribute("href"))));
    }

    nearest(seconds) {
      let best = 0;
      this.moments.forEach((moment, position) => {
        if (Math.abs(moment.t - seconds) < Math.abs(this.moments[best].t - seconds)) best = position;
      });
      return best;
    }

    pick(tag) {
      this.picked = tag;
      this.lanes.forEach((lane) => lane.classList.toggle("picked", lane.dataset.entity === tag));
      this.section.querySelectorAll("[data-of]").forEach((one) => {
        const isMeant = one.dataset.of.split(" ").includes(tag);
        one.classList.toggle("dim", tag !== null && !isMeant);
        one.classList.toggle("meant", isMeant);
      });
    }

    show(position) {
      if (!this.moments.length) return;
      this.at = clamp(position, 0, this.moments.length - 1);
      const moment = this.moments[this.at];
      this.slider.value = this.at;
      this.slider.setAttribute("aria-valuetext", clock(moment.t));
      this.clock.textContent = `${clock(moment.t)} of ${clock(this.length)}`;
      this.cursor.hidden = false;
      this.cursor.style.left = `${100 * clamp(moment.t / this.length, 0, 1)}%`;
      this.drawPicture(moment);
      this.drawGraph(moment);
      this.tell(moment);
      const at = moment.t + 1e-6;
      this.keys.forEach((key) => key.classList.toggle("at", Math.abs(Number(key.dataset.t) - moment.t) < 0.01));
      this.section.querySelectorAll(".card").forEach((card) => {
        card.classList.toggle("at", Number(card.querySelector("[data-t]").dataset.t) - moment.t === 0 ||
          Math.abs(Number(card.querySelector("[data-t]").dataset.t) - moment.t) < 0.01);
      });
      this.bars.forEach((bar) => {
        const from = Number(bar.dataset.t), to = Number(bar.dataset.e ?? from);
        bar.classList.toggle("at", from <= at && at < to);
      });
      if (this.picked) this.pick(this.picked);
      this.keepInView();
    }

    keepInView() {
      if (this.zoom <= 1) return;
      const place = this.cursor.getBoundingClientRect(), view = this.scroll.getBoundingClientRect();
      const left = view.left + this.nameWidth();
      if (place.left < left + 8 || place.left > view.right - 24) {
        this.scroll.scrollLeft += place.left - (left + (view.right - left) / 3);
      }
    }

    nameWidth() {
      return this.section.querySelector(".tl-name").getBoundingClientRect().width;
    }

    pictureOf(moment) {
      if (moment.jpeg) return `data:image/jpeg;base64,${moment.jpeg}`;
      const card = moment.key && document.getElementById(moment.key);
      return card ? card.querySelector("image").getAttribute("href") : null;
    }

    drawPicture(moment) {
      const [width, height] = this.size;
      this.picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
      this.picture.setAttribute("aria-label", `Picture at ${clock(moment.t)}. ${moment.text}`);
      const link = this.pictureOf(moment);
      const shown = [];
      if (link) shown.push(draw("image", { href: link, width, height }));
      else {
        shown.push(draw("rect", { class: "missing", width, height }));
        shown.push(draw("text", { class: "missing-text", x: width / 2, y: height * 0.96, "font-size": height / 20 },
          this.missing ? "picture missing" : "no picture of this moment is kept in the page"));
      }
      const letter = height / 30;
      const area = (box) => (box[2] - box[0]) * (box[3] - box[1]);
      const taken = [];
      moment.nodes.filter((node) => node[1]).sort((a, b) => area(b[1]) - area(a[1])).forEach(([which, box]) => {
        const entity = this.entities[which];
        const [left, top, right, bottom] = box;
        const group = draw("g", { class: "box", "data-of": entity.tag, style: `--c:${entity.color}` });
        group.append(draw("rect", { x: left, y: top, width: Math.max(0, right - left), height: Math.max(0, bottom - top) }));
        const name = `${entity.label} ${entity.tag}`;
        const wide = name.length * letter * 0.66 + letter * 0.6, high = letter * 1.35;
        const spots = [[left, top - high], [left, top], [right - wide, top], [left, bottom - high], [right - wide, bottom - high], [left, bottom]]
          .map(([x, y]) => [clamp(x, 0, Math.max(0, width - wide)), clamp(y, 0, height - high)]);
        const free = ([x, y]) => taken.every(([a, b, w]) => x + wide <= a || a + w <= x || y + high <= b || b + high <= y);
        const [x, y] = spots.find(free) ?? spots[0];
        taken.push([x, y, wide]);
        group.append(draw("rect", { class: "patch", x, y, width: wide, height: high }));
        group.append(draw("text", { x: x + letter * 0.3, y: y + letter, "font-size": letter, fill: entity.on }, name));
        shown.push(group);
      });
      this.picture.replaceChildren(...shown);
    }

    /* Nodes lie where their entities are in the picture, pushed apart until none covers another. */
    drawGraph(moment) {
      this.graph.style.minHeight = moment.nodes.length > 3 ? "300px" : "";
      const place = this.graph.getBoundingClientRect();
      const width = Math.max(300, Math.round(place.width)), height = Math.max(180, Math.round(place.height));
      this.graph.setAttribute("viewBox", `0 0 ${width} ${height}`);
      const nodes = moment.nodes.map(([which, box], order) => {
        const entity = this.entities[which];
        const name = `${entity.label} ${entity.tag}`;
        const half = name.length * 4.2 + 12;
        const x = box ? ((box[0] + box[2]) / 2 / this.size[0]) * width : (width * (order + 1)) / (moment.nodes.length + 1);
        const y = box ? ((box[1] + box[3]) / 2 / this.size[1]) * height : height - 24;
        return { which, entity, name, half, x, y };
      });
      const inside = (node) => {
        node.x = clamp(node.x, node.half + 4, Math.max(node.half + 4, width - node.half - 4));
        node.y = clamp(node.y, 20, height - 20);
      };
      const linked = new Set();
      const holding = this.relations.filter(([subject, object, , , , runs]) => {
        for (let i = 0; i < runs.length; i += 2) if (runs[i] <= this.at && this.at <= runs[i + 1]) {
          linked.add(`${subject} ${object}`).add(`${object} ${subject}`);
          return true;
        }
        return false;
      });
      spreadOut(nodes, linked, width, height, inside);
      const by = new Map(nodes.map((node) => [node.which, node]));
      const pairs = new Map();
      let count = 0;
      for (const [subject, object, words, source, mutual] of holding) {
        if (!by.has(subject) || !by.has(object)) continue;
        count += 1;
        const key = subject < object ? `${subject} ${object}` : `${object} ${subject}`;
        if (!pairs.has(key)) pairs.set(key, { mutual: [], there: [], back: [] });
        pairs.get(key)[mutual ? "mutual" : subject < object ? "there" : "back"].push(source === "geometry" ? words : `${words} (${source})`);
      }
      const marker = draw("marker", { id: `arrow-${this.section.dataset.video}`, viewBox: "0 0 10 10", refX: 9, refY: 5, markerWidth: 7, markerHeight: 7, orient: "auto-start-reverse" },
        draw("path", { class: "arrow", d: "M0 0L10 5L0 10z" }));
      const lines = [], texts = [], spots = [];
      let crowded = 0;
      const edgeOf = (node, dx, dy) => {
        const scale = Math.min(node.half / Math.max(Math.abs(dx), 1e-6), 15 / Math.max(Math.abs(dy), 1e-6));
        return [node.x + dx * scale, node.y + dy * scale];
      };
      for (const [key, said] of pairs) {
        const [a, b] = key.split(" ").map((one) => by.get(Number(one)));
        const dx = b.x - a.x, dy = b.y - a.y;
        const [x1, y1] = edgeOf(a, dx, dy), [x2, y2] = edgeOf(b, -dx, -dy);
        const of = `${a.entity.tag} ${b.entity.tag}`;
        const arrow = `url(#arrow-${this.section.dataset.video})`;
        const line = draw("line", { class: "edge", x1, y1, x2, y2, "data-of": of });
        if (said.there.length || said.mutual.length) line.setAttribute("marker-end", arrow);
        if (said.back.length || said.mutual.length) line.setAttribute("marker-start", arrow);
        lines.push(line);
        const parts = [...said.mutual, ...said.there.map((one) => `${one} ${towards(dx, dy)}`),
          ...said.back.map((one) => `${one} ${towards(-dx, -dy)}`)];
        const wide = Math.max(...parts.map((one) => one.length)) * 7.1, high = parts.length * 15;
        const free = ([x, y]) => spots.every(([p, q, w, h]) => Math.abs(x - p) > (wide + w) / 2 || Math.abs(y - q) > (high + h) / 2) &&
          nodes.every((node) => Math.abs(x - node.x) > wide / 2 + node.half || Math.abs(y - node.y) > high / 2 + 14);
        const along = [0.5, 0.4, 0.6, 0.3, 0.7, 0.22, 0.78].map((share) => [x1 + (x2 - x1) * share, y1 + (y2 - y1) * share]);
        const spot = along.find(free);
        const [x, y] = spot ?? along[0];
        const cx = clamp(x, wide / 2 + 4, Math.max(wide / 2 + 4, width - wide / 2 - 4)), cy = clamp(y, high / 2 + 2, height - high / 2 - 2);
        if (spot) spots.push([cx, cy, wide, high]);
        else crowded += 1;
        const text = draw("text", { class: spot ? "edge-text" : "edge-text crowded", "data-of": of });
        parts.forEach((part, row) => text.append(draw("tspan", { x: cx, y: cy - high / 2 + 12 + row * 15 }, part)));
        texts.push(text);
      }
      const pills = nodes.map((node) => {
        const group = draw("g", { class: "graph-node", "data-of": node.entity.tag, style: `--c:${node.entity.color}` },
          draw("rect", { x: node.x - node.half, y: node.y - 14, width: node.half * 2, height: 28, rx: 14 }),
          draw("text", { x: node.x, y: node.y + 5, fill: node.entity.on }, node.name));
        group.addEventListener("click", () => this.pick(this.picked === node.entity.tag ? null : node.entity.tag));
        return group;
      });
      this.graph.parentElement.classList.toggle("empty", nodes.length === 0);
      this.graph.replaceChildren(draw("defs", {}, marker), ...lines, ...texts, ...pills);
      const people = nodes.length === 1 ? "1 entity" : `${nodes.length} entities`;
      this.graphCaption.textContent = nodes.length ? `${people}, ${count === 1 ? "1 relation" : `${count} relations`} at ${clock(moment.t)}` : `Nobody and nothing is known at ${clock(moment.t)}`;
      this.graph.setAttribute("aria-label", this.graphCaption.textContent);
      if (crowded) this.graphCaption.textContent += ". Choose a name to see the words that find no room.";
    }

    tell(moment) {
      const parts = [];
      if (moment.coverage) parts.push(make("p", "notice", `Nothing is known of this frame (${moment.coverage}).`));
      parts.push(make("p", "", moment.text));
      const list = make("ul", "");
      moment.nodes.forEach(([which, , sentence]) => {
        const entity = this.entities[which];
        const dot = make("i", "dot");
        dot.style.setProperty("--c", entity.color);
        const item = make("li", "", dot, make("b", "", `${entity.label} ${entity.tag}`), sentence);
        item.addEventListener("pointerenter", () => this.pick(entity.tag));
        item.addEventListener("pointerleave", () => this.pick(null));
        list.append(item);
      });
      parts.push(list);
      this.now.replaceChildren(...parts);
    }

    most() {
      const room = this.scroll.clientWidth - this.nameWidth();
      return Math.max(8, Math.min(MOST_PX / room, (this.length * FINEST_PX_PER_S) / room));
    }

    zoomTo(zoom, clientX) {
      const view = this.scroll.getBoundingClientRect(), left = view.left + this.nameWidth();
      const cursor = this.cursor.getBoundingClientRect().left;
      const visible = cursor >= left && cursor <= view.right;
      const x = clientX ?? (visible ? cursor : (left + view.right) / 2);
      const before = this.axis.getBoundingClientRect();
      const share = (x - before.left) / before.width;
      this.zoom = clamp(zoom, 1, this.most());
      this.scroll.style.setProperty("--zoom", this.zoom);
      const after = this.axis.getBoundingClientRect();
      this.scroll.scrollLeft += after.left + share * after.width - x;
      this.layAxis();
    }

    layAxis() {
      const width = this.axis.getBoundingClientRect().width;
      const step = STEPS_S.find((one) => (this.length / one) * TICK_PX <= width) ?? STEPS_S[STEPS_S.length - 1];
      const ticks = [];
      for (let number = 0; number * step <= this.length; number++) {
        const share = (number * step) / this.length;
        if (number && share * width > width - 34) break;
        const tick = make("span", "tick", clock(number * step, step < 1 ? 1 : 0));
        tick.style.left = `${100 * share}%`;
        ticks.push(tick);
      }
      this.axis.replaceChildren(...ticks);
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
        case "zoom-in": this.zoomTo(this.zoom * 1.6); break;
        case "zoom-out": this.zoomTo(this.zoom / 1.6); break;
        case "zoom-all": this.zoomTo(1); break;
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
