import { describe, expect, it } from "vitest";
import { directRoutesOf } from "../../../../lib/chains/evm/venues/configured-routes.ts";
import bytecode from "../../../../lib/chains/evm/venues/contracts/bytecode.json" with { type: "json" };
import { poolQuotesCall } from "../../../../lib/chains/evm/venues/pool-quotes.ts";
import { defaultChains } from "../../../../lib/infra/default-chains.ts";
import { failure, hostUnderTest, wallet } from "../../../support/host-under-test.ts";
import { RpcFailure } from "../../../support/json-rpc-server.ts";

const { server, host } = await hostUnderTest();

const contracts = defaultChains.eth;
const routes = directRoutesOf(contracts).slice(0, 8);
const trades = [{ side: "buy", amountIn: 1n }] as const;
const quote = () => host.request([poolQuotesCall(contracts, wallet, trades, routes, 57)]);

const word = (value: number) => value.toString(16).padStart(64, "0");

/** Reads the number of paths, which are the last list in PoolQuoter.sol's arguments. */
function pathsIn(data: string): number {
  const words = data.slice(bytecode.PoolQuoter.creation.length).match(/.{64}/g) ?? [];
  return Number(`0x${words[Number(`0x${words[4]}`) / 32]}`);
}

const shortOfGas = new RpcFailure(3, "execution reverted", `0xf67bd395${word(57)}`);

/** Refuses a call with all routes because of too little gas, and calls with fewer routes with this other refusal. */
function refuseParts(mostRoutes: number, refusal: RpcFailure, nextBlock = () => 57): void {
  server.answers.eth_call = ({ data }: { data: string }) => {
    const paths = pathsIn(data);
    if (paths === routes.length) return shortOfGas;
    if (paths > mostRoutes) return refusal;
    const paid = word(1) + word(0) + word(9);
    return `0x${word(nextBlock())}${word(100)}${paid.repeat(paths)}`;
  };
}

const inOtherWords: [number, string][] = [
  [-32000, "execution aborted (timeout = 5s)"],
  [-32603, "internal error"],
  [-38015, "block gas limit reached: 0 >= 30000000"],
];

describe("quotes from a host that lacks gas and refuses parts", () => {
  it.each(inOtherWords)("requests quotes route by route after code %i, %j", async (code, message) => {
    refuseParts(1, new RpcFailure(code, message));
    const [{ routes: quoted }] = await quote();
    expect(quoted.map(({ amountsOut }) => amountsOut)).toEqual(routes.map(() => [9n]));
  });

  it.each(inOtherWords)("fails if even a single route is refused with code %i, %j", async (code, message) => {
    refuseParts(0, new RpcFailure(code, message));
    expect(await failure(quote())).toMatchObject({ code: "SHORT_OF_GAS" });
  });

  it("fails if the parts are of different blocks", async () => {
    let block = 57;
    refuseParts(1, new RpcFailure(-32603, "internal error"), () => block++);
    expect(await failure(quote())).toMatchObject({ code: "BAD_RESULT" });
  });

  it.each([
    [-32005, "rate limit exceeded", { isBusy: true }],
    [-32000, "header not found", { isOutOfStep: true }],
    [-32601, "the method does not exist", { isMissing: true }],
  ])("splits no quotes after code %i, %j", async (code, message, expected) => {
    refuseParts(0, new RpcFailure(code, message));
    expect(await failure(quote())).toMatchObject(expected);
    const sizes = server.requests
      .flat()
      .flatMap(({ method, params: [call] }) =>
        method === "eth_call" ? pathsIn((call as { data: string }).data) : [],
      );
    expect(sizes).not.toContain(1);
  });
});
