/**
 * What a recording shows besides the page: a pointer, since screenshots have none, and a caption. It stays above the
 * page's dialogs. It makes each element by itself, as the policy of the page demands.
 */
const svg = "http://www.w3.org/2000/svg";

const shapes = {
  svg: { width: 26, height: 34, viewBox: "0 0 26 34" },
  circle: { cx: 5, cy: 4, r: 4, fill: "none", stroke: "#ffca69", "stroke-width": 3, visibility: "hidden" },
  path: {
    d: "M5 4v22l5.2-5 3.3 7.8 4-1.7-3.3-7.6h7.3z",
    fill: "#fff",
    stroke: "#10151f",
    "stroke-width": 1.6,
    "stroke-linejoin": "round",
  },
};

function drawn(name, ...content) {
  const element = document.createElementNS(svg, name);
  for (const [attribute, value] of Object.entries(shapes[name])) element.setAttribute(attribute, value);
  element.append(...content);
  return element;
}

const styles = {
  pointer: {
    background: "none",
    border: "none",
    inset: "0 auto auto 0",
    margin: "0",
    overflow: "visible",
    padding: "0",
    pointerEvents: "none",
  },
  caption: {
    background: "#ffca69",
    border: "none",
    borderRadius: "6px",
    color: "#10151f",
    font: "600 16px/1 system-ui, sans-serif",
    inset: "auto auto 5px 10px",
    margin: "0",
    padding: "8px 12px",
    pointerEvents: "none",
  },
};

function made(name, ...content) {
  const element = document.createElement("div");
  element.popover = "manual";
  element.append(...content);
  Object.assign(element.style, styles[name]);
  document.documentElement.append(element);
  return element;
}

const elements = {};

/** Puts the elements above dialogs that have opened since. */
function raise() {
  for (const element of Object.values(elements)) {
    if (element.matches(":popover-open")) element.hidePopover();
    if (element.textContent !== "" || element === elements.pointer) element.showPopover();
  }
}

globalThis.stage = {
  /** Scrolls an element to the middle if something covers it, such as what sticks to an edge. */
  reveal(element) {
    const { left, top, width, height } = element.getBoundingClientRect();
    const hit = document.elementFromPoint(left + width / 2, top + height / 2);
    if (!element.contains(hit)) element.scrollIntoView({ block: "center" });
  },
  point(x, y, isPressed) {
    elements.pointer ??= made("pointer", drawn("svg", drawn("circle"), drawn("path")));
    elements.pointer.style.transform = `translate(${x - 5}px, ${y - 4}px)`;
    elements.pointer.querySelector("circle").setAttribute("visibility", isPressed ? "visible" : "hidden");
    raise();
  },
  say(text) {
    elements.caption ??= made("caption");
    elements.caption.textContent = text;
    raise();
  },
};
