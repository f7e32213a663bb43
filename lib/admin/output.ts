import { once } from "node:events";

/** Where text goes. */
export type Output = NodeJS.WritableStream & { isTTY?: boolean };

export function print(out: Output, line: string): void {
  out.write(`${line}\n`);
}

/** Prints lines as they come, and asks for no more of them than the output takes. */
export async function printEach(out: Output, lines: AsyncIterable<string>): Promise<void> {
  for await (const line of lines) {
    if (!out.write(`${line}\n`)) await once(out, "drain");
  }
}

/** Text of others, such as a name, without what would command a terminal. */
export function harmless(text: string): string {
  return text.replace(/\p{Cc}/gu, "\u{FFFD}");
}
