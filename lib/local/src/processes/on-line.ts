import type { Readable } from "node:stream";

/** Hears every line of a stream. Only a newline ends one: `readline` would also split at U+2028, which JSON may hold. */
export function onLine(input: Readable, hear: (line: string) => void): void {
  let unfinished = "";
  input.setEncoding("utf8").on("data", (text: string) => {
    const [first = "", ...others] = text.split("\n");
    unfinished += first;
    for (const next of others) {
      hear(unfinished);
      unfinished = next;
    }
  });
  input.on("end", () => {
    if (unfinished !== "") hear(unfinished);
  });
}
