import type { AnyAnswer } from "../answer.ts";
import { type Clock, realClock } from "../clock.ts";
import { createTerminal as createTerminalBy, type Terminal, type TerminalOptions } from "../terminal.ts";
import { type ProgramKey, tokenSigner } from "./program-key.ts";

export { makeProgramKey, type ProgramKey } from "./program-key.ts";

export type KeyedTerminalOptions = Omit<TerminalOptions, "token"> & { key: ProgramKey };

/**
 * A client that signs each request and each connection with the key of a program.
 *
 * @example
 * const terminal = createTerminal({ baseUrl: "https://api.example.com", key: { userID, keyId, privateKey } });
 */
export function createTerminal(
  { key, ...options }: KeyedTerminalOptions,
  clock: Clock = realClock,
): Terminal {
  for (const part of ["userID", "keyId", "privateKey"] as const)
    if (!key?.[part]) throw new TypeError(`key needs ${part}`);
  const sign = tokenSigner(key);
  return createTerminalBy(options, clock, {
    current: (purpose) => sign(purpose, clock.dateMs()),
    replace: async () => false,
    doubt: async () => {},
    trust() {},
    explain: (answer) => explained(answer, clock.dateMs()),
  });
}

/** Says what is wrong with a key or a clock. The service's own reason would be about a token that nobody has seen. */
function explained(answer: AnyAnswer, nowMs: number): AnyAnswer {
  const { error, headers } = answer;
  if (error?.status !== 401 || error.code === "EDGE_ERROR") return answer;
  const { message, status } = error;
  // The client sends each token only once, so something in between must have sent it again, and the first answer is
  // lost.
  if (message.startsWith("Token used before"))
    return {
      error: { status: 0, code: "NETWORK_ERROR", message: `A proxy repeated the request: ${message}` },
    };
  if (!/^Token (expired|not valid yet)/.test(message))
    return { error: { status, code: "KEY_REFUSED", message }, ...(headers && { headers }) };
  const seconds = Math.round((Date.parse(headers?.get("Date") ?? "") - nowMs) / 1000);
  // Pages of other origins cannot read the header.
  const by = seconds ? `${Math.abs(seconds)} s ${seconds > 0 ? "behind" : "ahead"}` : "wrong";
  const clock = `This machine's clock is ${by}: set it, since a token lasts a minute`;
  return { error: { status, code: "CLOCK_WRONG", message: clock }, ...(headers && { headers }) };
}
