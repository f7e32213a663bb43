import {
  type GatewayRequest,
  type GatewayResponse,
  header,
  json,
  pathOf,
  type Route,
  readOwn,
} from "cdk-local-runner";
import { giftCoins } from "trading-terminal-devnet/test-coins";
import * as v from "valibot";
import { addressProblem } from "../../chains/families/address.ts";
import type { Network } from "../../core/network.ts";

type GiveCoins = (chain: Network, address: string) => Promise<"given" | "refused" | "waiting">;

/** Path where the console and programs get test coins. */
const path = "/local/coins";

const mostPerSecond = 5;

/** Gives test coins on local chains. A GET lists the chains, and a POST of `chain` and `address` gives the coins. */
export function coinsRoute(chains: readonly Network[], give: GiveCoins): Route {
  const amount = `${giftCoins}`;
  const Gift = v.pipe(
    v.strictObject({ chain: v.picklist(chains), address: v.string() }),
    v.forward(
      v.check(
        ({ chain, address }) => addressProblem(chain, address) === undefined,
        ({ input: { chain, address } }) => addressProblem(chain, address) ?? "",
      ),
      ["address"],
    ),
  );
  /** Times of the gifts in the last second. */
  let givenMs: number[] = [];

  async function answer(request: GatewayRequest): Promise<GatewayResponse> {
    if (request.method === "GET") return json(200, { chains, amount });
    if (request.method !== "POST") return json(405, { error: "Method not allowed" }, ["Allow", "GET, POST"]);
    const origin = header(request, "origin");
    if (origin !== undefined && origin !== `http://${header(request, "host")}`)
      return json(403, { error: "Pages of other sites get no coins" });
    const read = readOwn(Gift, request);
    if ("refusal" in read) return read.refusal;
    const nowMs = performance.now();
    givenMs = givenMs.filter((each) => nowMs - each < 1000);
    if (givenMs.length >= mostPerSecond)
      return json(429, { error: `At most ${mostPerSecond} gifts a second` }, ["Retry-After", "1"]);
    givenMs.push(nowMs);
    const { chain, address } = read.body;
    const outcome = await give(chain, address);
    if (outcome === "refused") return json(400, { error: "address: a contract there takes no coins" });
    if (outcome === "waiting") return json(503, { error: `No block of ${chain} has the coins yet` });
    return json(200, { chain, address, amount });
  }

  return (request) => (pathOf(request) === path ? answer(request) : undefined);
}
