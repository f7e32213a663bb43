import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { createTerminal } from "trading-terminal-client";
import { createServer } from "./server.ts";

/** How long a call that gets no answer is repeated, so that it ends before clients give up. */
const patienceMs = 10_000;

/** @throws {Error} unless it is a number from 1 to 60 */
function readSeconds(text: string): number {
  const seconds = Number(text);
  if (!(seconds >= 1 && seconds <= 60))
    throw new Error("TERMINAL_QUOTE_SECONDS must be a number from 1 to 60");
  return seconds;
}

try {
  const {
    TERMINAL_URL: baseUrl = "",
    TERMINAL_TOKEN: token = "",
    TERMINAL_QUOTE_SECONDS = "60",
  } = process.env;
  const quoteSeconds = readSeconds(TERMINAL_QUOTE_SECONDS);
  if (token === "") throw new Error("TERMINAL_TOKEN must be an access token of the user");
  const terminal = createTerminal({ baseUrl, token: async () => token, patienceMs });
  serveStdio(() => createServer(terminal, { quoteSeconds }));
} catch (error) {
  // The standard output is for the protocol alone.
  console.error((error as Error).message);
  process.exitCode = 1;
}
