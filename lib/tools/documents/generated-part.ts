/**
 * Replaces the part of a document between two markers.
 *
 * @param source The file from which the part is made, which the first marker names.
 * @throws {Error} if the document has no such markers
 */
export function withGeneratedPart(document: string, source: string, part: string): string {
  const start = `<!-- Generated from ${source} by npm run documents -->`;
  const end = "<!-- End -->";
  const [before, rest] = document.split(start);
  const after = rest?.slice(rest.indexOf(end) + end.length);
  if (before === undefined || rest === undefined || !rest.includes(end))
    throw new Error(`A document lacks the markers of the part from ${source}`);
  return [before, start, "\n\n", part, "\n\n", end, after].join("");
}
