/** Colours of pictures, on a light page and on a dark one. */
const colours = {
  page: ["#ffffff", "#0d1117"],
  area: ["#f6f8fa", "#151b23"],
  rule: ["#d1d9e0", "#3d444d"],
  soft: ["#59636e", "#9198a1"],
  ink: ["#1f2328", "#f0f6fc"],
  first: ["#0969da", "#4493f8"],
  second: ["#bc4c00", "#f0883e"],
  third: ["#1a7f37", "#3fb950"],
  fourth: ["#8250df", "#ab7df8"],
} satisfies Record<string, [light: string, dark: string]>;

export type Colour = keyof typeof colours;

/** Colours of the series of a picture, in their order. */
export const seriesColours = ["first", "second", "third", "fourth"] as const satisfies readonly Colour[];

// A class for each colour, because some viewers know no variables. These then show the light colours.
const classes = (theme: 0 | 1) =>
  Object.entries(colours)
    .map(([name, of]) => `.${name} { fill: ${of[theme]} } .${name}-line { stroke: ${of[theme]}; fill: none }`)
    .join("\n");

const style = `text { font: 13px system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif }
.title { font-size: 16px; font-weight: 600 }
.small { font-size: 11px }
${classes(0)}
@media (prefers-color-scheme: dark) {
${classes(1)}
}`;

/** Escapes text of an element. */
const escaped = (text: string) => text.replaceAll(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** Writes a coordinate with at most one decimal place. */
const at = (place: number) => String(Number(place.toFixed(1)));

type Anchor = "start" | "middle" | "end";

export const caption = (
  words: string,
  x: number,
  y: number,
  look: string,
  anchor: Anchor = "start",
): string =>
  `<text x="${at(x)}" y="${at(y)}" class="${look}" text-anchor="${anchor}">${escaped(words)}</text>`;

export type Box = { x: number; y: number; width: number; height: number };

export const box = ({ x, y, width, height }: Box, look: string, radius = 2): string =>
  `<rect x="${at(x)}" y="${at(y)}" width="${at(width)}" height="${at(height)}" rx="${radius}" class="${look}"/>`;

export const dot = (x: number, y: number, look: string): string =>
  `<circle cx="${at(x)}" cy="${at(y)}" r="5" class="${look}"/>`;

/** Draws a line through these points. */
export const line = (points: readonly (readonly [number, number])[], look: string, extra = ""): string =>
  `<polyline points="${points.map((point) => point.map(at).join(",")).join(" ")}" class="${look}"${extra}/>`;

/** Names the series of a picture in a row, each after a sign of its colour. */
export function legend(names: readonly string[], left: number, y: number, isSmall = false): string[] {
  const look = isSmall ? "ink small" : "ink";
  let x = left;
  return names.flatMap((name, index) => {
    const start = x;
    x += 34 + widthOf(name, isSmall);
    return [
      box({ x: start, y: y - 10, width: 10, height: 10 }, seriesColours[index] ?? "soft"),
      caption(name, start + 16, y, look),
    ];
  });
}

/** Estimates the width of text, with some room. */
export const widthOf = (words: string, isSmall = false): number => (isSmall ? 6 : 7) * words.length;

/** Makes a picture of its title and these parts, on a page of its own, so that it can be read in any theme. */
export const picture = (title: string, width: number, height: number, parts: readonly string[]): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title">
<!-- Written by npm run documents -->
<title id="title">${escaped(title)}</title>
<style>
${style}
</style>
${[box({ x: 0, y: 0, width, height }, "page", 6), caption(title, 20, 30, "title ink"), ...parts].join("\n")}
</svg>
`;
