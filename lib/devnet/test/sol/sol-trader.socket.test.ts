import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { startSolTrader } from "../../sol/sol-trader.ts";
import { startTestSurfnet, type TestSurfnet } from "../../sol/test-surfnet.ts";

let chain: TestSurfnet;
beforeAll(async () => {
  chain = await startTestSurfnet();
});
afterAll(() => chain?.stop());

const waiting = { timeout: 30_000, interval: 20 };

const trades = async () => {
  const { pool } = chain.deployment.tokens.MOON;
  return (await chain.request("getSignaturesForAddress", [pool])) as { err: unknown }[];
};

/** Starts a trader while somebody watches this token. */
function started(token: string) {
  const watched = vi.fn(async () => [{ chain: "sol", token }]);
  const onFailure = vi.fn();
  const trader = startSolTrader({ chain, watched, onFailure, everyMs: 20 });
  onTestFinished(() => trader.stop());
  return { watched, onFailure };
}

describe("the random trader of sol", () => {
  it("sends nothing while nobody watches its token", async () => {
    const { watched, onFailure } = started(chain.deployment.tokens.FEEZ.mint);
    await vi.waitFor(() => expect(watched.mock.calls.length).toBeGreaterThan(5), waiting);
    expect([await trades(), onFailure.mock.calls]).toEqual([[], []]);
  });

  it("buys and sells its token while somebody watches it", async () => {
    const { onFailure } = started(chain.deployment.tokens.MOON.mint);
    await vi.waitFor(async () => expect((await trades()).length).toBeGreaterThan(10), waiting);
    expect((await trades()).filter(({ err }) => err !== null)).toEqual([]);
    expect(onFailure).not.toHaveBeenCalled();
  });
});
