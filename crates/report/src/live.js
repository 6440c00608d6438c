'use strict';
// Pictures that answer: what a point is, which curves are shown, a part of the axes, speedup and efficiency. What is
// drawn without it stays in the page for readers without scripts, and for paper.
(() => {
  const NS = 'http://www.w3.org/2000/svg';
  const DASHES = ['', '7 4', '2 3', '9 3 2 3', '14 4'];
  const SERIES = 8;
  const node = (name, attributes = {}, parent = null, text = null) => {
    const made = document.createElementNS(NS, name);
    for (const key in attributes) made.setAttribute(key, attributes[key]);
    if (text !== null) made.textContent = text;
    if (parent) parent.appendChild(made);
    return made;
  };
  const html = (name, attributes, parent, text) => {
    const made = document.createElement(name);
    for (const key in attributes) made.setAttribute(key, attributes[key]);
    if (text !== undefined) made.textContent = text;
    if (parent) parent.appendChild(made);
    return made;
  };
  const fill = (look) => (look === -1 ? 'mf' : look === -2 ? 'ff' : `f${look % SERIES}`);
  const stroke = (look) => (look === -1 ? 'ms' : look === -2 ? 'fs' : `s${look % SERIES}`);

  // Numbers for people: three digits, prefixes for units that take them.
  const PREFIXES = [[1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e3, 'k'], [1, ''], [1e-3, 'm'], [1e-6, 'µ'], [1e-9, 'n'], [1e-12, 'p']];
  const plain = (value, digits = 3) => {
    if (value === 0) return '0';
    const size = Math.abs(value);
    if (size >= 1e9 || size < 1e-4) return value.toExponential(digits - 1).replace(/\.?0+e/, 'e').replace('e+', 'e');
    const whole = Math.floor(Math.log10(size)) + 1;
    const text = value.toFixed(Math.max(0, Math.min(12, digits - whole)));
    const [front, back = ''] = text.split('.');
    const rest = back.replace(/0+$/, '');
    return front.replace(/\B(?=(\d{3})+$)/g, ',') + (rest ? '.' + rest : '');
  };
  const shown = (value, unit, digits = 3) => {
    if (!Number.isFinite(value)) return '–';
    if (!unit) return plain(value, digits);
    if (unit === '%') return `${plain(value, digits)} %`;
    const size = Math.abs(value);
    const takes = /^(s|B|J|W|Hz|h|B\/s|flop\/s|TEPS|1\/s)$/.test(unit) && !(unit === 's' && size >= 1) && unit !== 'h';
    if (!takes || size === 0) return `${plain(value, digits)} ${unit}`;
    const [scale, prefix] = PREFIXES.find(([scale]) => size >= scale * 0.9995) ?? PREFIXES[PREFIXES.length - 1];
    return `${plain(value / scale, digits)} ${prefix}${unit}`;
  };

  const at = (x, y) => `${x.toFixed(1)},${y.toFixed(1)}`;
  const polygon = (x, y, corners) => `M${corners.map(([dx, dy]) => at(x + dx, y + dy)).join('L')}Z`;
  const cross = (r, turn) => [[-.42, -1.25], [.42, -1.25], [.42, -.42], [1.25, -.42], [1.25, .42], [.42, .42], [.42, 1.25], [-.42, 1.25],
    [-.42, .42], [-1.25, .42], [-1.25, -.42], [-.42, -.42]].map(([x, y]) => [r * (x * Math.cos(turn) - y * Math.sin(turn)), r * (x * Math.sin(turn) + y * Math.cos(turn))]);
  const marker = (look, x, y, r) => {
    switch (look < 0 ? 0 : (look + 1) % 8) {
      case 0: return `M${at(x - r, y)}a${r},${r} 0 1,0 ${2 * r},0a${r},${r} 0 1,0 -${2 * r},0Z`;
      case 1: return polygon(x, y, [[-.9 * r, -.9 * r], [.9 * r, -.9 * r], [.9 * r, .9 * r], [-.9 * r, .9 * r]]);
      case 2: return polygon(x, y, [[0, -1.2 * r], [1.1 * r, .85 * r], [-1.1 * r, .85 * r]]);
      case 3: return polygon(x, y, [[0, -1.3 * r], [1.2 * r, 0], [0, 1.3 * r], [-1.2 * r, 0]]);
      case 4: return polygon(x, y, cross(r, 0));
      case 5: return polygon(x, y, [[-1.1 * r, -.85 * r], [1.1 * r, -.85 * r], [0, 1.2 * r]]);
      case 6: return polygon(x, y, cross(r, Math.PI / 4));
      default: return polygon(x, y, Array.from({ length: 10 }, (_, k) => {
        const reach = (k % 2 ? .45 : 1) * 1.35 * r;
        return [reach * Math.cos(Math.PI * (k / 5 - .5)), reach * Math.sin(Math.PI * (k / 5 - .5))];
      }));
    }
  };

  // A column is an array, or packed: three bytes a number, of which 20 bits are digits, 3 an exponent, 1 the sign.
  const unpacked = (column) => {
    if (typeof column !== 'string') return column;
    const [least, text] = column.split('|');
    const bytes = atob(text), values = [];
    for (let k = 0; k < bytes.length; k += 3) {
      const word = (bytes.charCodeAt(k) << 16) | (bytes.charCodeAt(k + 1) << 8) | bytes.charCodeAt(k + 2);
      const digits = (word >> 4) * (word & 1 ? -1 : 1), power = +least + ((word >> 1) & 7);
      values.push(word >> 4 === 0xfffff ? null : power < 0 ? digits / 10 ** -power : digits * 10 ** power);
    }
    return values;
  };

  // What is known of a name: its points, its curve, its range.
  const collect = (data) => {
    const series = [], columns = data.k.map(unpacked);
    for (const layer of data.d) {
      const { t, n, c } = layer, own = layer.v.map((column) => columns[column]);
      const v = own[0].map((_, row) => own.map((column) => column[row]));
      let one = series.find((one) => one.name === n && one.look === c);
      if (!one) series.push((one = { name: n, look: c, points: [], line: [], band: [], on: true }));
      const part = t === 'p' ? 'points' : t === 'l' ? 'line' : 'band';
      one[part] = one[part].concat(v);
    }
    for (const one of series) {
      // The ends of a range belong to the values of the curve at the same place.
      const ends = new Map(one.band.map(([x, low, high]) => [x, [low, high]]));
      one.line = one.line.map(([x, y]) => [x, y, ...(ends.get(x) ?? [null, null])]);
    }
    return series;
  };

  const median = (values) => {
    const sorted = [...values].sort((a, b) => a - b);
    const half = sorted.length >> 1;
    return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
  };

  // The time that speedup is held against: the measured one on the fewest processes, else the curve's own first value.
  const baseOf = (series, own) => {
    const measured = series.filter((one) => one.look < 0).flatMap((one) => one.points).filter(([x, y]) => x > 0 && y > 0);
    if (measured.length) {
      const p = measured.reduce((least, [x]) => Math.min(least, x), Infinity);
      return { p, time: median(measured.filter(([x]) => x === p).map(([, y]) => y)), measured: true };
    }
    const first = [...own.line, ...own.points].filter(([x, y]) => x > 0 && y > 0).sort((a, b) => a[0] - b[0])[0];
    return first ? { p: first[0], time: first[1], low: first[2], high: first[3], measured: false } : null;
  };
  // A value with its range as speedup. With a measured base the range is that of the time; where both are predicted, their
  // logarithms spread independently.
  const speedup = (base, [x, y, low, high]) => {
    const value = base.time / y;
    if (low == null || high == null || !(low > 0)) return [x, value, null, null];
    if (base.measured) return [x, value, base.time / high, base.time / low];
    if (base.low == null || base.high == null || !(base.low > 0)) return [x, value, null, null];
    const spread = Math.hypot(Math.log(base.high / base.low) / 2, Math.log(high / low) / 2);
    return [x, value, value * Math.exp(-spread), value * Math.exp(spread)];
  };

  const viewed = (series, view) => {
    if (view === 'time') return series.map((one) => ({ ...one, own: one }));
    return series.map((one) => {
      const base = baseOf(series, one);
      const turn = (point) => {
        if (!base || !(point[0] > 0) || !(point[1] > 0)) return null;
        const [x, ...rest] = speedup(base, point);
        return [x, ...rest.map((value) => (value == null ? null : view === 'speedup' ? value : (value * base.p) / x))];
      };
      const line = one.line.map(turn).filter(Boolean);
      const band = line.filter((point) => point[2] != null).map(([x, , low, high]) => [x, low, high]);
      return { ...one, own: one, points: one.points.map(turn).filter(Boolean), line, band };
    });
  };

  const ticks = (low, high, kind, most) => {
    const found = [];
    if (kind === 'linear') {
      const raw = (high - low) / most;
      const power = 10 ** Math.floor(Math.log10(raw));
      const step = [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= raw) ?? raw;
      for (let k = Math.ceil(low / step); k <= high / step + 1e-9 && found.length < 50; k += 1) found.push(k * step);
      return found;
    }
    const root = kind === 'log2' ? 2 : 10;
    const [first, last] = [Math.floor(Math.log(low) / Math.log(root)), Math.ceil(Math.log(high) / Math.log(root))];
    const every = Math.max(1, Math.ceil((last - first) / most));
    const steps = kind === 'log10' && last - first <= 2 ? [1, 2, 5] : [1];
    for (let power = first; power <= last; power += every) for (const step of steps) {
      const value = step * root ** power;
      if (value >= low * 0.999999 && value <= high * 1.000001) found.push(value);
    }
    return found.length >= 2 ? found : ticks(low, high, 'linear', most);
  };

  let counted = 0;
  const live = (figure) => {
    let data;
    try {
      data = JSON.parse(figure.dataset.plot);
    } catch {
      return;
    }
    const series = collect(data);
    if (!series.some((one) => one.points.length || one.line.length)) return;
    const timed = data.y[1] === 's' && /proc|worker|rank|core|thread|node|task|[cg]pu|^(np|pes?|mpi)$/i.test(data.x[0]) && series.every((one) => [...one.points, ...one.line].every(([x]) => x > 0));
    const kinds = { x: data.x[2], y: data.y[2] };
    const state = { view: 'time', x: kinds.x, y: kinds.y, zoom: null, focus: null };
    const place = figure.querySelector('.plot');
    const box = html('div', { class: 'plot screen' });
    place.parentNode.insertBefore(box, place);
    figure.classList.add('live');
    const bar = html('div', { class: 'bar', role: 'group', 'aria-label': 'What is shown' }, box);
    const legend = html('div', { class: 'bar', role: 'group', 'aria-label': 'Curves and points' }, box);
    const hold = html('div', { class: 'hold' }, box);
    const tip = html('div', { class: 'tip', hidden: '' }, hold);
    const said = html('p', { class: 'heard', 'aria-live': 'polite' }, box);
    const note = html('p', { class: 'note' }, box);
    const title = figure.querySelector('figcaption strong')?.textContent ?? '';
    let svg = null, scale = null, spots = [], current = [];

    const button = (parent, text, press) => {
      const made = html('button', { type: 'button' }, parent, text);
      made.addEventListener('click', press);
      return made;
    };
    const views = timed ? ['time', 'speedup', 'efficiency'].map((view) => {
      const made = button(bar, view[0].toUpperCase() + view.slice(1), () => {
        Object.assign(state, { view, zoom: null, focus: null, y: view === 'time' ? kinds.y : view === 'speedup' ? kinds.x : 'linear' });
        draw();
      });
      return () => made.setAttribute('aria-pressed', state.view === view);
    }) : [];
    const logs = ['x', 'y'].map((axis) => {
      const made = button(bar, `Logarithmic ${axis === 'x' ? 'across' : 'upwards'}`, () => {
        state[axis] = state[axis] !== 'linear' ? 'linear' : kinds[axis] !== 'linear' ? kinds[axis] : 'log10';
        state.zoom = null;
        draw();
      });
      return () => {
        made.setAttribute('aria-pressed', state[axis] !== 'linear');
        made.disabled = scale !== null && !scale.mayLog[axis];
      };
    });
    const reset = button(bar, 'Reset', () => {
      state.zoom = null;
      draw();
    });

    const named = series.filter((one) => one.name);
    const entries = named.map((one) => {
      const group = html('span', { class: 'entry' }, legend);
      const made = button(group, '', () => {
        one.on = !one.on;
        draw();
      });
      const swatch = node('svg', { viewBox: '0 0 28 12', width: 28, height: 12, 'aria-hidden': 'true' }, made);
      if (one.line.length) node('path', { class: stroke(one.look), d: 'M0,6H28', fill: 'none', 'stroke-width': 2, 'stroke-dasharray': one.look < 0 ? '' : DASHES[(one.look + Math.floor(one.look / SERIES)) % 5] }, swatch);
      if (one.points.length) node('path', { class: fill(one.look), d: marker(one.look, 14, 6, one.look === -2 ? 2.4 : 4) }, swatch);
      made.appendChild(document.createTextNode(one.name));
      const only = named.length > 1 ? button(group, 'only', () => {
        const alone = one.on && named.every((other) => other === one || !other.on);
        for (const other of named) other.on = alone || other === one;
        draw();
      }) : null;
      if (only) {
        only.className = 'only';
        only.setAttribute('aria-label', `only ${one.name}`);
      }
      return () => made.setAttribute('aria-pressed', one.on);
    });

    const unit = () => (state.view === 'time' ? data.y[1] : '');
    const label = () => (state.view === 'time' ? data.y[0] : state.view);

    const extent = (values, kind) => {
      const usable = values.filter((value) => Number.isFinite(value) && (kind === 'linear' || value > 0));
      if (!usable.length) return kind === 'linear' ? [0, 1] : [1, 10];
      let [low, high] = usable.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)], [usable[0], usable[0]]);
      if (kind === 'linear') {
        const room = (high - low || Math.abs(high) || 1) * 0.05;
        return [low >= 0 && low < (high - low) * 0.5 ? 0 : low - room, high + room];
      }
      const room = (high / low) ** 0.05 || 1;
      return [low / Math.max(room, 1.06), high * Math.max(room, 1.06)];
    };

    function draw() {
      current = viewed(series, state.view);
      const seen = current.filter((one) => one.on || !one.name);
      const all = seen.flatMap((one) => [...one.points, ...one.line]);
      const ranges = seen.flatMap((one) => one.band.flatMap(([, low, high]) => [low, high]));
      const mayLog = { x: all.every(([x]) => x > 0), y: all.every(([, y]) => y > 0) };
      for (const axis of ['x', 'y']) if (!mayLog[axis]) state[axis] = 'linear';
      const xs = all.map(([x]) => x), ys = all.map(([, y]) => y);
      let [x0, x1] = extent(xs, state.x);
      let [y0, y1] = extent(ys, state.y);
      // A range widens the axis, but not so far that the data become a speck.
      const [b0, b1] = extent([...ys, ...ranges], state.y);
      if (state.y === 'linear') {
        y1 = Math.min(b1, y1 + (y1 - y0));
        y0 = Math.max(b0, y0 - (y1 - y0));
      } else {
        y1 = Math.min(b1, y1 * Math.sqrt(y1 / y0) * 1.5);
        y0 = Math.max(b0, y0 / Math.sqrt(y1 / y0) / 1.5);
      }
      if (state.zoom) ({ x0, x1, y0, y1 } = state.zoom);
      const width = Math.max(260, Math.min(864, box.clientWidth || 760));
      const narrow = width < 520;
      const font = narrow ? 12.5 : 13;
      const area = { left: 64, right: width - 12, top: font * 1.35 + 12, bottom: font * 1.35 + 12 + (narrow ? 230 : 300) };
      const height = area.bottom + font * 3.2;
      const to = (kind, low, high, value) => (kind === 'linear' ? (value - low) / (high - low) : Math.log(value / low) / Math.log(high / low));
      const from = (kind, low, high, share) => (kind === 'linear' ? low + share * (high - low) : low * (high / low) ** share);
      scale = {
        area, mayLog, x0, x1, y0, y1,
        x: (value) => area.left + to(state.x, x0, x1, value) * (area.right - area.left),
        y: (value) => area.bottom - Math.max(-3, Math.min(4, state.y !== 'linear' && !(value > 0) ? -3 : to(state.y, y0, y1, value))) * (area.bottom - area.top),
        fromX: (px) => from(state.x, x0, x1, (px - area.left) / (area.right - area.left)),
        fromY: (py) => from(state.y, y0, y1, (area.bottom - py) / (area.bottom - area.top)),
      };
      const made = node('svg', { viewBox: `0 0 ${width} ${height}`, width, height, tabindex: 0, role: 'application', 'aria-label': `${title}: ${label()} over ${data.x[0]}. Arrow keys go from point to point; plus and minus zoom.` });
      const text = (x, y, anchor, content) => node('text', { class: 'u', x, y, 'text-anchor': anchor, 'font-size': font }, made, content);
      if (data.end != null && scale.x(data.end) < area.right) {
        const x = Math.max(area.left, scale.x(data.end));
        node('rect', { class: 'h', x, y: area.top, width: area.right - x, height: area.bottom - area.top }, made);
      }
      for (const value of ticks(y0, y1, state.y, narrow ? 5 : 6)) {
        node('path', { class: 'r', fill: 'none', d: `M${at(area.left, scale.y(value))}H${area.right}` }, made);
        text(area.left - 8, scale.y(value) + font * 0.35, 'end', shown(value, unit()));
      }
      let last = -Infinity;
      for (const value of ticks(x0, x1, state.x, narrow ? 5 : 8)) {
        node('path', { class: 'r', fill: 'none', d: `M${at(scale.x(value), area.top)}V${area.bottom}` }, made);
        const words = shown(value, data.x[1], 4), half = words.length * font * 0.28;
        if (scale.x(value) - half < last) continue;
        last = scale.x(value) + half + 8;
        text(Math.min(scale.x(value), width - half - 2), area.bottom + font * 1.35 + 2, 'middle', words);
      }
      node('path', { class: 'a', fill: 'none', d: `M${at(area.left, area.bottom)}H${area.right}` }, made);
      text(0, font, 'start', label() + (unit() ? ` (${unit()})` : ''));
      text((area.left + area.right) / 2, area.bottom + font * 2.8, 'middle', data.x[0] + (data.x[1] ? ` (${data.x[1]})` : ''));
      if (data.end != null && scale.x(data.end) > area.left && scale.x(data.end) < area.right) {
        node('path', { class: 'a', fill: 'none', 'stroke-dasharray': '4 3', d: `M${at(scale.x(data.end), area.top)}V${area.bottom}` }, made);
      }
      const inner = node('svg', { x: area.left, y: area.top, width: area.right - area.left, height: area.bottom - area.top, viewBox: `${area.left} ${area.top} ${area.right - area.left} ${area.bottom - area.top}` }, made);
      const base = state.view === 'time' ? null : baseOf(series, series.find((one) => one.on && (one.line.length || one.points.length)) ?? series[0]);
      if (base) {
        const ideal = state.view === 'speedup' ? (x) => x / base.p : () => 1;
        const path = Array.from({ length: 65 }, (_, k) => from(state.x, x0, x1, k / 64)).filter((x) => x > 0).map((x) => at(scale.x(x), scale.y(ideal(x)))).join('L');
        node('path', { class: 'a', fill: 'none', 'stroke-dasharray': '2 4', 'stroke-width': 1.5, d: `M${path}` }, inner);
      }
      for (const one of seen) {
        if (one.band.length > 1) {
          const side = (which) => one.band.map((point) => at(scale.x(point[0]), scale.y(point[which])));
          node('path', { class: fill(one.look), 'fill-opacity': 0.17, d: `M${[...side(2), ...side(1).reverse()].join('L')}Z` }, inner);
        }
      }
      spots = [];
      for (const one of seen) {
        if (one.line.length) {
          const path = one.line.map(([x, y]) => at(scale.x(x), scale.y(y))).join('L');
          node('path', { class: stroke(one.look), fill: 'none', 'stroke-width': one.look === -2 ? 1 : 2, 'stroke-linejoin': 'round', 'stroke-dasharray': one.look === -2 ? '3 3' : one.look < 0 ? '' : DASHES[(one.look + Math.floor(one.look / SERIES)) % 5], d: `M${path}` }, inner);
        }
        const radius = one.look === -2 ? 2.4 : one.points.length > 400 ? 2.4 : 4;
        let marks = '', bars = '';
        for (const [x, y, low, high] of one.points) {
          marks += marker(one.look, scale.x(x), scale.y(y), radius);
          if (low != null && high != null) bars += `M${at(scale.x(x), scale.y(low))}V${scale.y(high).toFixed(1)}`;
        }
        if (bars) node('path', { class: stroke(one.look), fill: 'none', 'stroke-width': 1.3, d: bars }, inner);
        if (marks) node('path', { class: fill(one.look), 'fill-opacity': one.look === -2 ? 0.55 : 1, d: marks }, inner);
        const own = [...one.points.map((point) => [point, true]), ...one.line.map((point) => [point, false])].sort((a, b) => a[0][0] - b[0][0]);
        for (const [point, marked] of own) spots.push({ one, point, marked, px: scale.x(point[0]), py: scale.y(point[1]) });
      }
      made.mark = node('path', { class: 'a', fill: 'none', 'stroke-width': 2, d: '' }, made);
      made.area = node('rect', { class: 'zone', x: 0, y: 0, width: 0, height: 0, visibility: 'hidden' }, made);
      const had = svg && document.activeElement === svg;
      if (svg) svg.replaceWith(made);
      else hold.insertBefore(made, tip);
      svg = made;
      listen(made);
      if (had) made.focus();
      hide();
      for (const update of [...views, ...logs, ...entries]) update();
      reset.disabled = !state.zoom;
      const notes = [];
      if (base) notes.push(`${label()[0].toUpperCase()}${label().slice(1)} against ${shown(base.time, 's')} on ${plain(base.p)}, ${base.measured ? 'measured' : 'as the curve has it'}; the dotted line is ideal.`);
      if (data.end != null) notes.push(`Shaded: beyond what was measured, ${plain(data.end, 6)}.`);
      note.textContent = notes.join(' ');
      box.dataset.view = state.view;
    }

    // What is said of a point.
    const words = ({ one, point: [x, y, low, high] }) => {
      const parts = [one.name || 'value', `${data.x[0]} = ${plain(x, 6)}${data.x[1] ? ` ${data.x[1]}` : ''}`];
      // Of what was measured all digits that the page has.
      parts.push(`${label()}: ${shown(y, unit(), one.look < 0 ? 6 : 4)}${low != null && high != null ? ` (${shown(low, unit())} to ${shown(high, unit())})` : ''}`);
      if (one.look >= 0) {
        const measured = current.filter((other) => other.look < 0).flatMap((other) => other.points).filter(([px]) => px === x).map(([, py]) => py);
        if (measured.length) {
          const middle = median(measured);
          parts.push(`measured: ${shown(middle, unit(), 4)}`, `error: ${(100 * (y - middle)) / middle > 0 ? '+' : ''}${plain((100 * (y - middle)) / middle, 3)} %`);
        }
      }
      return parts;
    };
    const show = (spot, aloud) => {
      const parts = words(spot);
      tip.replaceChildren(...parts.map((part, index) => html(index ? 'span' : 'strong', {}, null, part)));
      tip.hidden = false;
      svg.mark.setAttribute('d', marker(-1, spot.px, spot.py, 8));
      const wide = tip.offsetWidth, room = hold.clientWidth;
      tip.style.left = `${Math.max(0, Math.min(room - wide, spot.px + 14 + wide > room ? spot.px - wide - 14 : spot.px + 14))}px`;
      tip.style.top = `${Math.max(0, spot.py - tip.offsetHeight - 10)}px`;
      state.focus = spots.indexOf(spot);
      if (aloud) said.textContent = parts.join(', ');
    };
    const hide = () => {
      tip.hidden = true;
      svg?.mark.setAttribute('d', '');
    };
    const inside = ({ px, py }) => px >= scale.area.left - 1 && px <= scale.area.right + 1 && py >= scale.area.top - 5 && py <= scale.area.bottom + 5;
    const nearest = (x, y, most) => {
      let best = null, least = most;
      for (const spot of spots) {
        const far = Math.hypot(spot.px - x, spot.py - y);
        // Points before curves where both are near.
        const weighed = far - (spot.marked ? 3 : 0);
        if (far <= most && weighed <= least && inside(spot)) [best, least] = [spot, weighed];
      }
      return best;
    };
    const window_ = (left, right, top, bottom) => {
      const [x0, x1, y0, y1] = [scale.fromX(left), scale.fromX(right), scale.fromY(bottom), scale.fromY(top)];
      const fits = [x0, x1, y0, y1].every(Number.isFinite) && (state.x === 'linear' ? x1 - x0 > 1e-9 * Math.abs(x1) : x1 / x0 > 1.0001) && (state.y === 'linear' ? y1 - y0 > 1e-12 * Math.abs(y1) : y1 / y0 > 1.0001);
      if (fits) state.zoom = { x0, x1, y0, y1 };
      draw();
    };
    const zoom = (factor, x, y) => {
      const { left, right, top, bottom } = scale.area;
      window_(x - (x - left) * factor, x + (right - x) * factor, y - (y - top) * factor, y + (bottom - y) * factor);
    };

    function listen(made) {
      const fingers = new Map();
      let start = null, apart = 0;
      const where = (event) => {
        const seen = made.getBoundingClientRect();
        return { x: (event.clientX - seen.left) * (made.viewBox.baseVal.width / seen.width), y: (event.clientY - seen.top) * (made.viewBox.baseVal.height / seen.height) };
      };
      made.addEventListener('pointerdown', (event) => {
        fingers.set(event.pointerId, where(event));
        if (event.pointerType !== 'touch') made.setPointerCapture(event.pointerId);
        if (fingers.size === 2) {
          const [a, b] = [...fingers.values()];
          apart = Math.hypot(a.x - b.x, a.y - b.y);
          start = null;
        } else if (event.button === 0 && event.pointerType !== 'touch') {
          start = where(event);
        }
      });
      made.addEventListener('pointermove', (event) => {
        const now = where(event);
        if (fingers.has(event.pointerId)) fingers.set(event.pointerId, now);
        if (start && Math.hypot(now.x - start.x, now.y - start.y) > 6) {
          hide();
          const frame = { x: Math.min(now.x, start.x), y: Math.min(now.y, start.y), width: Math.abs(now.x - start.x), height: Math.abs(now.y - start.y), visibility: 'visible' };
          for (const key in frame) made.area.setAttribute(key, frame[key]);
          return;
        }
        const spot = nearest(now.x, now.y, 24);
        if (spot) show(spot, false);
        else hide();
      });
      const up = (event) => {
        const now = where(event), began = start;
        if (fingers.size === 2 && apart > 0) {
          const [a, b] = [...fingers.values()];
          const factor = apart / Math.max(1, Math.hypot(a.x - b.x, a.y - b.y));
          fingers.clear();
          if (Math.abs(factor - 1) > 0.1) zoom(Math.max(0.1, Math.min(10, factor)), (a.x + b.x) / 2, (a.y + b.y) / 2);
          return;
        }
        fingers.delete(event.pointerId);
        start = null;
        made.area.setAttribute('visibility', 'hidden');
        if (began && Math.abs(now.x - began.x) > 12 && Math.abs(now.y - began.y) > 12) {
          window_(Math.max(scale.area.left, Math.min(now.x, began.x)), Math.min(scale.area.right, Math.max(now.x, began.x)), Math.max(scale.area.top, Math.min(now.y, began.y)), Math.min(scale.area.bottom, Math.max(now.y, began.y)));
        }
      };
      made.addEventListener('pointerup', up);
      made.addEventListener('pointercancel', () => {
        fingers.clear();
        start = null;
      });
      made.addEventListener('pointerleave', () => {
        if (document.activeElement !== made) hide();
      });
      made.addEventListener('blur', hide);
      // Only a picture that was chosen takes the wheel: others scroll the page.
      made.addEventListener('wheel', (event) => {
        if (document.activeElement !== made) return;
        event.preventDefault();
        const { x, y } = where(event);
        zoom(event.deltaY < 0 ? 0.8 : 1.25, x, y);
      }, { passive: false });
      made.addEventListener('keydown', (event) => {
        const middle = [(scale.area.left + scale.area.right) / 2, (scale.area.top + scale.area.bottom) / 2];
        if (event.key === '+' || event.key === '=') return zoom(0.8, ...middle);
        if (event.key === '-') return zoom(1.25, ...middle);
        if (event.key === 'Escape' || event.key === '0') {
          state.zoom = null;
          return draw();
        }
        const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: 'up', ArrowDown: 'down' }[event.key];
        if (!step || !spots.length) return;
        event.preventDefault();
        const now = spots[state.focus ?? -1];
        if (!now) return show(spots.find(inside) ?? spots[0], true);
        const names = [...new Set(spots.map((spot) => spot.one))];
        if (typeof step === 'number') {
          const own = spots.filter((spot) => spot.one === now.one && inside(spot));
          return show(own[Math.max(0, Math.min(own.length - 1, own.indexOf(now) + step))] ?? now, true);
        }
        const next = names[(names.indexOf(now.one) + (step === 'up' ? 1 : names.length - 1)) % names.length];
        const own = spots.filter((spot) => spot.one === next);
        return show(own.reduce((best, spot) => (Math.abs(spot.px - now.px) < Math.abs(best.px - now.px) ? spot : best)), true);
      });
    }

    draw();
    let wide = box.clientWidth;
    new ResizeObserver(() => {
      if (Math.abs(box.clientWidth - wide) < 8) return;
      wide = box.clientWidth;
      draw();
    }).observe(box);
    counted += 1;
  };
  for (const figure of document.querySelectorAll('figure[data-plot]')) live(figure);
  document.documentElement.dataset.live = counted;
})();
