// What is wrong with how a page looks, found in its DOM: no picture is compared with another.

/** Faults of a page as it is now: `KIND: where`. */
export function faults(page) {
  return page.evaluate(() => {
    const found = [];
    const tell = (kind, element, more = '') => {
      const name = element.getAttribute('aria-label') ?? element.textContent?.trim().slice(0, 40) ?? '';
      found.push(`${kind}: <${element.tagName.toLowerCase()} class="${element.getAttribute('class') ?? ''}"> ${name} ${more}`.trim());
    };
    const visible = (element) => {
      const box = element.getBoundingClientRect();
      if (box.width < 1 || box.height < 1) return false;
      const style = getComputedStyle(element);
      return style.visibility !== 'hidden' && style.display !== 'none' && Number(style.opacity) > 0.05;
    };
    const isHidden = (element) => element.closest('.visually-hidden, [hidden], [aria-hidden=true], .skip, dialog:not([open])') !== null;
    const scrolls = (element) => {
      for (let up = element; up; up = up.parentElement) {
        const style = getComputedStyle(up);
        if (/(auto|scroll)/.test(style.overflowX + style.overflowY) && (up.scrollWidth > up.clientWidth + 1 || up.scrollHeight > up.clientHeight + 1)) return true;
      }
      return false;
    };

    // Sideways: wider than the window.
    const over = document.documentElement.scrollWidth - document.documentElement.clientWidth;
    if (over > 1) found.push(`sideways: ${over} px`);

    const main = document.querySelector('main') ?? document.body;
    const texts = [...document.querySelectorAll('body *')].filter((element) => {
      const own = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent.trim() !== '');
      return own && !isHidden(element) && !['SCRIPT', 'STYLE', 'OPTION', 'TITLE'].includes(element.tagName) && !element.closest('svg, .cm-editor, .svelte-flow') && visible(element);
    });

    // Clipped: a text that is cut, and nothing tells the rest, or next to nothing is seen.
    for (const element of texts) {
      const style = getComputedStyle(element);
      const cut = /(hidden|clip)/.test(style.overflowX) && element.scrollWidth > element.clientWidth + 1;
      const low = /(hidden|clip)/.test(style.overflowY) && element.scrollHeight > element.clientHeight + 3 && style.display !== 'inline';
      if (!cut && !low) continue;
      const told = element.closest('[title]') !== null || element.querySelector('a, button') !== null;
      const letters = element.clientWidth / (parseFloat(style.fontSize) * 0.55);
      if (!told || (cut && letters < Math.min(8, element.textContent.trim().length))) tell('clipped', element);
    }

    // Overlap: two texts or controls that share pixels, and both are there to be seen.
    const controls = [...main.querySelectorAll('button, a, input, select, textarea')].filter((element) => !isHidden(element) && visible(element));
    const things = [...new Set([...texts.filter((element) => main.contains(element)), ...controls])].slice(0, 1500);
    // What a box hides of its contents is nowhere.
    const seen = (element) => {
      let { left, right, top, bottom } = element.getBoundingClientRect();
      for (let up = element.parentElement; up; up = up.parentElement) {
        const style = getComputedStyle(up);
        if (!/(hidden|clip|auto|scroll)/.test(style.overflowX + style.overflowY)) continue;
        const box = up.getBoundingClientRect();
        [left, right, top, bottom] = [Math.max(left, box.left), Math.min(right, box.right), Math.max(top, box.top), Math.min(bottom, box.bottom)];
      }
      return { left, right, top, bottom };
    };
    const boxes = things.map((element) => ({ element, box: seen(element) })).filter(({ box }) => box.bottom > Math.max(0, box.top) && box.right > box.left && box.top < innerHeight);
    const hit = (element, x, y) => {
      const top = document.elementFromPoint(x, y);
      return top !== null && (element.contains(top) || top.contains(element));
    };
    for (let i = 0; i < boxes.length; i += 1) {
      for (let j = i + 1; j < boxes.length; j += 1) {
        const [a, b] = [boxes[i], boxes[j]];
        if (a.element.contains(b.element) || b.element.contains(a.element)) continue;
        if (a.element.closest('label') && a.element.closest('label') === b.element.closest('label')) continue;
        const [left, right] = [Math.max(a.box.left, b.box.left), Math.min(a.box.right, b.box.right)];
        const [top, bottom] = [Math.max(a.box.top, b.box.top), Math.min(a.box.bottom, b.box.bottom)];
        if (right - left <= 2 || bottom - top <= 2) continue;
        // What floats above the page, such as a sticky heading, covers it on purpose.
        const floats = (element) => {
          for (let up = element; up && up !== main; up = up.parentElement) if (/(fixed|sticky|absolute)/.test(getComputedStyle(up).position)) return true;
          return false;
        };
        if (floats(a.element) || floats(b.element) || scrolls(a.element) || scrolls(b.element)) continue;
        // Lines of a text that wraps have boxes that reach beyond their words.
        const inline = (element) => getComputedStyle(element).display === 'inline';
        if (inline(a.element) || inline(b.element)) continue;
        const [x, y] = [(left + right) / 2, (top + bottom) / 2];
        if (hit(a.element, x, y) || hit(b.element, x, y)) tell('overlap', a.element, `and <${b.element.tagName.toLowerCase()}> ${b.element.textContent.trim().slice(0, 40)}`);
      }
    }

    // Stretched: a control that is much higher than its like. Small: a target that a finger misses.
    const bars = controls.filter((element) => /^(BUTTON|SELECT)$/.test(element.tagName) || (element.tagName === 'INPUT' && !/^(checkbox|radio|range|file|color)$/.test(element.type)));
    const heights = bars.map((element) => element.getBoundingClientRect().height).sort((a, b) => a - b);
    const median = heights[heights.length >> 1] ?? 0;
    for (const element of bars) {
      const { height } = element.getBoundingClientRect();
      const lines = element.textContent.length > 30 || element.matches('.question, [role=option], .node, .card');
      if (height > 64 && height > 1.8 * median && !lines && !element.closest('.svelte-flow')) tell('stretched', element, `${Math.round(height)} px`);
    }
    for (const element of controls) {
      const box = element.getBoundingClientRect();
      // A link in a text is as high as its line; boxes to tick have a label that is a target, too.
      if (element.tagName === 'A' && getComputedStyle(element).display === 'inline') continue;
      if (/^(checkbox|radio|range|file)$/.test(element.type ?? '') || element.closest('.svelte-flow, .cm-editor')) continue;
      if (box.width >= 23.5 && box.height >= 23.5) continue;
      // A small one will do where a circle of 24 px around its middle touches no other (WCAG 2.2, 2.5.8).
      const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
      const near = controls.some((other) => {
        if (other === element || other.contains(element) || element.contains(other)) return false;
        const { left, right, top, bottom } = other.getBoundingClientRect();
        return Math.hypot(Math.max(left - x, 0, x - right), Math.max(top - y, 0, y - bottom)) < 12;
      });
      if (near || box.height < 14 || box.width < 14) tell('small', element, `${Math.round(box.width)} x ${Math.round(box.height)} px`);
    }

    // Stacked: a text that is broken into a column of words.
    for (const element of texts) {
      const style = getComputedStyle(element);
      const line = parseFloat(style.lineHeight) || parseFloat(style.fontSize) * 1.4;
      const box = element.getBoundingClientRect();
      if (box.height > 6.5 * line && box.width < 8 * parseFloat(style.fontSize) && style.display !== 'inline') tell('stacked', element);
    }

    // Plots: data but nothing drawn, or a legend that takes the place of the plot.
    for (const plot of document.querySelectorAll('[aria-roledescription=plot]')) {
      const canvas = plot.querySelector('canvas');
      if (!canvas || canvas.width < 10) continue;
      const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
      let drawn = 0;
      for (let index = 3; index < data.length; index += 4) if (data[index] > 30) drawn += 1;
      const rows = /(\d[\d,]*) (rows|points)/.exec(plot.getAttribute('aria-label') ?? '');
      if (rows && Number(rows[1].replace(/,/g, '')) > 0 && drawn < 0.001 * canvas.width * canvas.height) tell('plot', plot, 'is blank');
      const legend = plot.parentElement?.querySelector('.legend');
      const height = plot.getBoundingClientRect().height;
      if (legend && legend.getBoundingClientRect().height > 0.2 * height && legend.clientHeight > 60) tell('plot', legend, 'legend higher than a fifth of the plot');
    }
    return [...new Set(found)];
  });
}
