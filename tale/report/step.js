/* Step through a story: its sentences and its picture, forward and back.
 * Without this script everything is there, at once. */
"use strict";

(() => {
  const make = (name, properties, ...children) => {
    const element = Object.assign(document.createElement(name), properties);
    element.append(...children);
    return element;
  };

  const begin = (player) => {
    const sentences = [...player.querySelectorAll("li[data-event]")];
    const last = sentences.length;
    const picture = player.querySelector("svg");
    const verdict = player.querySelector(".picture-verdict");
    let step = last; /* events 1..step have happened */
    let moved = false; /* before the first move nothing is pointed at */

    const first = make("button", { type: "button", textContent: "Start" });
    const back = make("button", { type: "button", textContent: "Back" });
    const next = make("button", { type: "button", textContent: "Next" });
    const place = make("input", {
      type: "range", min: 1, max: last, value: last,
    });
    const status = make("output", {});
    const saying = make("p", { className: "saying" });
    const steps = make("div", { className: "steps" },
      saying, first, back, next, place, status);

    const show = () => {
      for (const element of player.querySelectorAll("[data-event]")) {
        const number = Number(element.dataset.event);
        element.classList.toggle("later", number > step);
        element.classList.toggle("now", moved && number === step);
      }
      if (verdict)
        verdict.classList.toggle("later", step < last);
      for (const sentence of sentences) {
        if (moved && Number(sentence.dataset.event) === step)
          sentence.setAttribute("aria-current", "step");
        else
          sentence.removeAttribute("aria-current");
      }
      first.disabled = back.disabled = step === 1;
      next.disabled = step === last;
      place.value = step;
      place.setAttribute("aria-valuetext", `step ${step} of ${last}`);
      status.textContent = moved ? `Step ${step} of ${last}` : `${last} steps`;
      saying.textContent = moved
        ? `${step}. ` +
          sentences[step - 1].querySelector(".said").textContent
        : "";
      saying.hidden = !moved;
    };

    const look = () => {
      /* An event may be drawn in parts; the last is its number. */
      const parts = picture
        ? picture.querySelectorAll(`[data-event="${step}"]`)
        : [];
      const where = parts[parts.length - 1] || sentences[step - 1];
      const box = where.getBoundingClientRect();
      if (box.top < 0 || box.bottom > innerHeight - steps.offsetHeight)
        where.scrollIntoView({ block: "center", inline: "nearest" });
    };

    const go = (to) => {
      const focused = document.activeElement;

      step = Math.min(Math.max(to, 1), last);
      moved = true;
      show();
      /* A button that is disabled hears no keys. */
      if (focused.disabled && steps.contains(focused))
        (step === 1 ? next : back).focus({ preventScroll: true });
      look();
    };

    first.addEventListener("click", () => go(1));
    back.addEventListener("click", () => go(step - 1));
    next.addEventListener("click", () => go(step + 1));
    place.addEventListener("input", () => go(Number(place.value)));
    place.setAttribute("aria-label", "step");
    player.addEventListener("click", (event) => {
      const element = event.target.closest("[data-event]");
      if (element && player.contains(element))
        go(Number(element.dataset.event));
    });
    player.addEventListener("keydown", (event) => {
      const keys = {
        ArrowRight: step + 1, ArrowLeft: step - 1, Home: 1, End: last,
      };
      if (!(event.key in keys) || event.altKey || event.ctrlKey ||
          event.metaKey || event.shiftKey)
        return;
      event.preventDefault();
      go(keys[event.key]);
    });
    player.append(steps);
    player.tabIndex = 0;
    show();
  };

  /* In the contents, where the reader is. */
  const follow = (contents) => {
    const links = new Map([...contents.querySelectorAll("a")].map(
      (link) => [document.getElementById(link.hash.slice(1)), link]));
    const seen = new Set();
    const observer = new IntersectionObserver((entries) => {
      for (const entry of entries)
        seen[entry.isIntersecting ? "add" : "delete"](entry.target);
      const here = [...links.keys()].filter((target) => seen.has(target));
      const link = links.get(here[here.length - 1]);

      for (const other of links.values())
        other.removeAttribute("aria-current");
      if (!link)
        return;
      link.setAttribute("aria-current", "true");
      /* Where the contents have a bar of their own, keep it in view. */
      const box = link.getBoundingClientRect();
      if (contents.scrollHeight > contents.clientHeight &&
          (box.top < 0 || box.bottom > contents.clientHeight))
        contents.scrollTop += box.top - contents.clientHeight / 2;
    }, { rootMargin: "-20% 0px -75% 0px" });
    for (const target of links.keys())
      observer.observe(target);
    if (matchMedia("(max-width: 47.99rem)").matches)
      contents.querySelector("details").open = false;
  };

  document.querySelectorAll(".player").forEach(begin);
  document.querySelectorAll(".contents").forEach(follow);
})();
