/* Looks at the page as it stands in the browser.  Each check gives a list of
 * complaints; an empty one is good. */
"use strict";

var checks = (() => {
  const words = (text) => `"${text.trim().replace(/\s+/g, " ").slice(0, 50)}"`;

  /* Every visible piece of text outside of pictures, with where it stands: a
   * box a line, as high as small letters are. */
  const pieces = () => {
    const found = [];
    const walker = document.createTreeWalker(document.body,
      NodeFilter.SHOW_TEXT);

    while (walker.nextNode()) {
      const node = walker.currentNode;
      const parent = node.parentElement;

      if (!node.data.trim() || parent.closest("svg, script, style, .skip") ||
          !parent.checkVisibility({ visibilityProperty: true }))
        continue;
      if (parent.closest(".cards thead") && innerWidth < 768)
        continue; /* there for those who hear it */
      const range = document.createRange();
      range.selectNodeContents(node);
      for (const box of range.getClientRects())
        if (box.width > 0)
          found.push({
            parent, text: node.data, left: box.left, right: box.right,
            top: box.top + box.height * 0.2,
            bottom: box.bottom - box.height * 0.2,
          });
    }
    return found;
  };

  const meet = (a, b, slack) =>
    a.left < b.right - slack && b.left < a.right - slack &&
    a.top < b.bottom - slack && b.top < a.bottom - slack;

  /* Pairs of a list that stand on each other. */
  const collisions = (list, slack) => {
    const wrong = [];
    const sorted = [...list].sort((a, b) => a.top - b.top);

    sorted.forEach((a, i) => {
      for (let k = i + 1; k < sorted.length && sorted[k].top < a.bottom; k++)
        if (meet(a, sorted[k], slack))
          wrong.push(`${words(a.text)} stands on ${words(sorted[k].text)}`);
    });
    return wrong;
  };

  const openAll = () => {
    for (const details of document.querySelectorAll("details"))
      details.open = true;
  };

  /* Does the page fit, without being moved sideways? */
  const fits = () => {
    const wrong = [];
    const page = document.documentElement;

    openAll();
    if (page.scrollWidth > innerWidth)
      wrong.push(`the page is ${page.scrollWidth} wide`);
    for (const piece of pieces())
      if (!piece.parent.closest(".scroll") &&
          (piece.left < -0.5 || piece.right > innerWidth + 0.5))
        wrong.push(`${words(piece.text)} is beyond the edge`);
    for (const element of document.querySelectorAll("body *")) {
      const { overflowX, overflowY } = getComputedStyle(element);
      const cuts = /hidden|clip/;

      if (element.closest("svg") || element.closest(".cards thead"))
        continue;
      if ((cuts.test(overflowX) &&
           element.scrollWidth > element.clientWidth + 1) ||
          (cuts.test(overflowY) &&
           element.scrollHeight > element.clientHeight + 1))
        wrong.push(`<${element.localName}> is cut: ` +
          words(element.textContent));
    }
    return wrong;
  };

  /* Does any text stand on another?  The bar of steps floats over the rest,
   * so it is looked at by itself. */
  const overlaps = () => {
    const groups = new Map();

    openAll();
    for (const piece of pieces()) {
      const group = piece.parent.closest(".steps, .contents");

      groups.set(group, [...(groups.get(group) || []), piece]);
    }
    return [...groups.values()].flatMap((list) => collisions(list, 1));
  };

  /* The same in each picture, in its own units; and nothing beyond it. */
  const pictures = () => {
    const wrong = [];

    for (const svg of document.querySelectorAll(".player svg")) {
      const { x, y, width, height } = svg.viewBox.baseVal;
      const list = [...svg.querySelectorAll("text")].map((element) => {
        const box = element.getBBox();

        return {
          text: element.textContent, left: box.x, right: box.x + box.width,
          top: box.y + box.height * 0.1, bottom: box.y + box.height * 0.9,
        };
      });

      if (list.length === 0)
        wrong.push(`${svg.id} has no text`);
      for (const line of collisions(list, 0.5))
        wrong.push(`${svg.id}: ${line}`);
      for (const one of list)
        if (one.left < x || one.right > x + width ||
            one.top < y || one.bottom > y + height)
          wrong.push(`${svg.id}: ${words(one.text)} is cut`);
    }
    return wrong;
  };

  /* ---- Colours ---------------------------------------------------------- */

  const parse = (colour) => (colour.match(/[\d.]+/g) || []).map(Number);

  const luminance = (rgb) => {
    const [r, g, b] = rgb.slice(0, 3).map((value) => {
      const part = value / 255;
      return part <= 0.04045 ? part / 12.92
        : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };

  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = parse(getComputedStyle(at).backgroundColor);

      if (colour.length === 3)
        return colour;
    }
    return [255, 255, 255];
  };

  const contrast = (a, b) => {
    const [low, high] = [luminance(a), luminance(b)].sort((p, q) => p - q);
    return (high + 0.05) / (low + 0.05);
  };

  /* Can everything be read?  4.5 to 1 is what WCAG asks of small text. */
  const colours = () => {
    const wrong = new Set();

    for (const { parent, text } of pieces()) {
      const ratio = contrast(parse(getComputedStyle(parent).color),
        behind(parent));

      if (ratio < 4.5 && !parent.disabled)
        wrong.add(`${words(text)}: ${ratio.toFixed(1)} to 1`);
    }
    for (const element of document.querySelectorAll(".player svg text")) {
      const ratio = contrast(parse(getComputedStyle(element).fill),
        behind(element));

      if (ratio < 4.5)
        wrong.add(`${words(element.textContent)}: ${ratio.toFixed(1)} to 1`);
    }
    return [...wrong];
  };

  const paper = () => luminance(behind(document.body));

  /* ---- Stories ---------------------------------------------------------- */

  const opacity = (element) => Number(getComputedStyle(element).opacity);

  /* Sentences and picture tell the same events, and all of them can be seen. */
  const stories = () => {
    const wrong = [];

    for (const player of document.querySelectorAll(".player")) {
      const name = player.closest("article").id;

      player.querySelectorAll("li[data-event]").forEach((sentence, i) => {
        const number = String(i + 1);
        const parts = [...player.querySelectorAll(
          `svg [data-event="${number}"]`)];
        const said = sentence.querySelector(".said").firstChild.data
          .trim().slice(0, -1); /* without its full stop */

        if (sentence.dataset.event !== number || sentence.value !== i + 1)
          wrong.push(`${name}: sentence ${number} is numbered otherwise`);
        if (!parts.some((part) =>
          part.querySelector("title").textContent.includes(said)))
          wrong.push(`${name}: the picture does not say ${words(said)}`);
        if ([sentence, ...parts].some((part) => opacity(part) !== 1))
          wrong.push(`${name}: event ${number} cannot be seen`);
      });
    }
    return wrong;
  };

  /* A player at `step` of all: what is wrong with it. */
  const standing = (player, step) => {
    const wrong = [];
    const [first, back, next] = player.querySelectorAll(".steps button");
    const sentences = [...player.querySelectorAll("li[data-event]")];
    const name = `${player.closest("article").id} at ${step}`;
    const expect = (good, what) => good || wrong.push(`${name}: ${what}`);

    for (const element of player.querySelectorAll("[data-event]")) {
      const number = Number(element.dataset.event);

      expect((opacity(element) < 0.5) === (number > step),
        `event ${number} ${number > step ? "shows" : "does not show"}`);
    }
    expect(sentences.filter((sentence) =>
      sentence.getAttribute("aria-current") === "step").length === 1 &&
      sentences[step - 1].getAttribute("aria-current") === "step",
      "another sentence is pointed at");
    expect(getComputedStyle(sentences[step - 1]).backgroundColor !==
      "rgba(0, 0, 0, 0)", "its sentence is not marked");
    expect(back.disabled === (step === 1), "Back");
    expect(first.disabled === (step === 1), "Start");
    expect(next.disabled === (step === sentences.length), "Next");
    expect(player.querySelector(".steps output").textContent ===
      `Step ${step} of ${sentences.length}`, "its number is not said");
    return wrong;
  };

  /* Through every story: to its start, forward to its end, and back. */
  const stepping = () => {
    const wrong = [];

    for (const player of document.querySelectorAll(".player")) {
      const [first, back, next] = player.querySelectorAll(".steps button");
      const last = player.querySelectorAll("li[data-event]").length;

      first.click();
      for (let step = 1; step <= last; step++) {
        wrong.push(...standing(player, step));
        next.click();
      }
      wrong.push(...standing(player, last));
      for (let step = last; step > 1; step--)
        back.click();
      wrong.push(...standing(player, 1));
    }
    return wrong;
  };

  return { fits, overlaps, pictures, colours, paper, stories, standing,
    stepping };
})();
