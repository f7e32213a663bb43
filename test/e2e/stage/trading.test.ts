import { describe, expect } from "vitest";
import { get, send } from "../support/client.ts";
import { it } from "./support/check.ts";

type User = { token: string };

/** @returns undefined if trading is off. */
async function tradingChains({ token }: User): Promise<string[] | undefined> {
  const { status, text, json } = await get("/api/v2/tokens", { token });
  if (status === 403) return undefined;
  expect(status, text).toBe(200);
  const { tokens } = (json as { data: { tokens: { chain: string }[] } }).data;
  return [...new Set(tokens.map(({ chain }) => chain))];
}

const nothingTrades = "no chain trades: the context trading is empty";

describe("the API of trading", () => {
  it.for(["orders", "positions"])(
    "returns an empty list of %s for a new user, whether trading is on or off",
    async (name, { user }) => {
      const { status, json } = await get(`/api/v2/${name}`, user);
      expect({ status, json }).toMatchObject({ status: 200, json: { data: { [name]: [] } } });
    },
  );

  it("refuses all methods of a function while trading is off", async ({ user, skip }) => {
    skip((await tradingChains(user)) !== undefined, "trading is on, so nothing is refused");
    for (const path of ["/api/v2/orders", "/api/v2/orders/no-order/cancel"])
      expect(await send("POST", path, { token: user.token, body: {} }), path).toMatchObject({
        status: 403,
        json: { error: { code: "TRADING_DISABLED" } },
      });
  });
});

describe("Lambda", () => {
  it("runs the first line of a function's code before the rest, so that its chains are set", async ({
    user,
    skip,
  }) => {
    const chains = await tradingChains(user);
    skip(chains === undefined, nothingTrades);
    expect(chains).not.toEqual([]);
  });

  it("reaches the hosts of each chain", async ({ user, skip }) => {
    const chains = await tradingChains(user);
    skip(chains === undefined, nothingTrades);
    for (const chain of chains ?? []) {
      const { status, text } = await get(`/api/v2/balances?chain=${chain}`, user);
      expect(status, `${chain}: ${text}`).toBe(200);
    }
  });
});
