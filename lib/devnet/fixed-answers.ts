import type { GatewayResponse } from "cdk-local-runner";

const bytes = (body: string | Buffer, status = 200, type = "application/json"): GatewayResponse => ({
  status,
  headers: [["Content-Type", type]],
  body: Buffer.from(body),
});

const page = "<!DOCTYPE html><html><body><h1>502 Bad Gateway</h1></body></html>";

/** Responses of failing hosts, sent instead of the chain's own. */
const fixedAnswers = {
  empty: () => bytes(""),
  garbage: () => bytes('{"jsonrpc":"2.0","id":1,"resu'),
  html: () => bytes(page, 200, "text/html"),
  huge: () => bytes(Buffer.alloc(50 * 1024 * 1024, " ")),
  stalled: () => new Promise<never>(() => {}),
  unavailable: () => bytes(page, 502, "text/html"),
};

/** Names of the faults that send a fixed answer. */
export const fixedAnswerNames = Object.keys(fixedAnswers) as (keyof typeof fixedAnswers)[];

/**
 * Serves a request unless a fault with a fixed answer strikes.
 * @param serve fails if the chain is about to start, or has ended
 */
export async function serveUnlessFixed(
  strikes: (name: keyof typeof fixedAnswers) => boolean,
  serve: () => Promise<GatewayResponse>,
): Promise<GatewayResponse> {
  const failure = fixedAnswerNames.find(strikes);
  return failure === undefined ? serve().catch(fixedAnswers.unavailable) : fixedAnswers[failure]();
}
