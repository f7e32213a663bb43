import { createTerminal, type TerminalOptions } from "trading-terminal-client";
import { VirtualClock } from "./virtual-clock.ts";

export type Sent = { method: string; url: string; headers: Record<string, string>; body: unknown };

/** Headers by their usual names. */
const sentHeaders = (headers: RequestInit["headers"]) =>
  Object.fromEntries(
    [...new Headers(headers)].map(([name, value]) => [
      name.replace(/\b[a-z]/g, (first) => first.toUpperCase()),
      value,
    ]),
  );

/** One scripted response: a status with a body, text that is not JSON, or no response at all. */
export type Scripted =
  | { status: number; body?: object; text?: string; headers?: Record<string, string> }
  | "broken"
  | "silent";

export const envelope = (data: object) => ({ status: 200, body: { success: true, data, timestamp: "now" } });

export const refusal = (status: number, code: string, more: object = {}) => ({
  status,
  body: { success: false, error: { code, message: `It is ${code}`, ...more }, timestamp: "now" },
});

/** Creates a terminal with scripted responses and a clock that runs as fast as possible. */
export function scripted(
  answers: readonly Scripted[],
  options: Partial<TerminalOptions> = {},
  create: typeof createTerminal = createTerminal,
) {
  const sent: Sent[] = [];
  const inits: RequestInit[] = [];
  const clock = new VirtualClock();
  const fetch = async (url: string | URL | Request, init: RequestInit = {}) => {
    const answer = answers[sent.length] ?? answers.at(-1) ?? "broken";
    const { method = "GET", headers, body, signal } = init;
    inits.push(init);
    sent.push({
      method,
      url: String(url),
      headers: sentHeaders(headers),
      body: body && JSON.parse(String(body)),
    });
    if (answer === "broken") throw new TypeError("fetch failed");
    if (answer === "silent") {
      return new Promise<never>((_, reject) => {
        if (signal?.aborted) reject(signal.reason);
        signal?.addEventListener("abort", reject);
      });
    }
    const text = answer.text ?? (answer.body && JSON.stringify(answer.body)) ?? null;
    return new Response(text, { status: answer.status, ...(answer.headers && { headers: answer.headers }) });
  };
  const terminal = create({ baseUrl: "http://service/", fetch, ...options }, clock);
  /** Advances the clock until a call ends, and returns its result. */
  const end = <Value>(call: Promise<Value>) => clock.during(call);
  return { terminal, clock, sent, inits, end };
}
