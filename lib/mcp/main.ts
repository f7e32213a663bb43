import { readFileSync, statSync } from "node:fs";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { createTerminal, type ProgramKey } from "trading-terminal-client/key";
import { createServer } from "./server.ts";

/** Milliseconds for which a call without an answer is repeated. Clients wait longer. */
const patienceMs = 10_000;

/** @throws {Error} if the key cannot be read, or if others can read it, too */
function readKey(file: string): ProgramKey {
  if (file === "") throw new Error("TERMINAL_KEY_FILE must name the file of the agent's key");
  const isPrivate = process.platform === "win32" || (statSync(file).mode & 0o077) === 0;
  if (!isPrivate) throw new Error(`Others can read ${file}: run chmod 600 ${file}`);
  const text = readFileSync(file, "utf8");
  try {
    return JSON.parse(text);
  } catch {
    // Hides the error of JSON.parse, because it quotes the text, which may hold the private key.
    throw new Error(`${file} must be JSON with userID, keyId and privateKey`);
  }
}

/** @throws {Error} unless it is a number from 1 to 60 */
function readSeconds(text: string): number {
  const seconds = Number(text);
  if (!(seconds >= 1 && seconds <= 60))
    throw new Error("TERMINAL_QUOTE_SECONDS must be a number from 1 to 60");
  return seconds;
}

try {
  const { TERMINAL_URL: baseUrl = "", TERMINAL_KEY_FILE = "", TERMINAL_QUOTE_SECONDS = "60" } = process.env;
  const quoteSeconds = readSeconds(TERMINAL_QUOTE_SECONDS);
  const terminal = createTerminal({ baseUrl, key: readKey(TERMINAL_KEY_FILE), patienceMs });
  serveStdio(() => createServer(terminal, { quoteSeconds }));
} catch (error) {
  // Prints to the error output, because the standard output is only for the protocol.
  console.error((error as Error).message);
  process.exitCode = 1;
}
