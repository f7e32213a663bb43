import * as v from "valibot";
import type { TokenRequest } from "./issuer/issuer.ts";
import { ISSUER_PATH } from "./own-paths.ts";
import { StartupError } from "./startup-error.ts";

const Answer = v.union([v.object({ access_token: v.string() }), v.object({ error: v.string() })]);

/**
 * Requests a token from the runner whose API is on this port.
 *
 * @throws {StartupError} if no runner answers, or if it refuses
 */
export async function requestToken(port: number, request: TokenRequest): Promise<string> {
  const base = `http://127.0.0.1:${port}`;
  const answer = await ask(`${base}${ISSUER_PATH}/token`, request);
  if (answer === undefined) {
    throw new StartupError(`No runner answers at ${base}. Start one with \`npm start\`, or give its --port.`);
  }
  if ("error" in answer) throw new StartupError(answer.error);
  return answer.access_token;
}

async function ask(url: string, request: TokenRequest) {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(request),
    });
    return v.parse(Answer, await response.json());
  } catch {
    return undefined;
  }
}
