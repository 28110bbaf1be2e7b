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
      const where = picture
        ? picture.querySelector(`[data-event="${step}"]`)
        : sentences[step - 1];
      const box = where && where.getBoundingClientRect();
      if (box && (box.top < 0 || box.bottom > innerHeight - steps.offsetHeight))
        where.scrollIntoView({ block: "center" });
    };

    const go = (to) => {
      step = Math.min(Math.max(to, 1), last);
      moved = true;
      show();
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

  document.querySelectorAll(".player").forEach(begin);
})();
