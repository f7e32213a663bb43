import { alice, startTestChain, type TestChain } from "trading-terminal-devnet/evm/test-chain";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openEvmChains } from "../../../lib/chains/families/open-chains.ts";
import { lookEffects } from "../../../lib/trading/execution/look-effects.ts";
import { answering, type RpcServer, startRpcServer } from "../../support/json-rpc-server.ts";

let chain: TestChain;
let broken: RpcServer;
beforeAll(async () => {
  [chain, broken] = await Promise.all([startTestChain({ chain: "base" }), startRpcServer()]);
  broken.misbehaviour = answering("", 500);
});
afterAll(() => Promise.all([chain.close(), broken.stop()]));
beforeEach(() => chain.restore());

const effectsWith = (...hosts: string[]) =>
  lookEffects(openEvmChains({ base: { ...chain.contracts, hosts } }));

const look = (heights: readonly number[] = [], hosts = [chain.url], wantsFinal = false) =>
  effectsWith(...hosts).look({ chain: "base", host: 0, heights, wantsFinal });

type Header = { number: string; hash: string; timestamp: string };

async function header(tag: string | number): Promise<{ number: number; hash: string; time: number }> {
  const name = typeof tag === "string" ? tag : `0x${tag.toString(16)}`;
  const found = (await chain.request("eth_getBlockByNumber", [name, false])) as Header;
  return { number: Number(found.number), hash: found.hash, time: Number(found.timestamp) };
}

describe("lookEffects.look", () => {
  it("returns the latest block's number, time and parent hash, and hashes of earlier blocks", async () => {
    await chain.request("anvil_mine", ["0x5"]);
    const { number, time } = await header("latest");
    const [parent, earlier] = [await header(number - 1), await header(number - 4)];
    expect(await look([number - 4, number, number + 1])).toEqual({
      number,
      time,
      parentHash: parent.hash,
      hashes: new Map([[number - 4, earlier.hash]]),
    });
  });

  it("reads the headers of blocks whose hashes contracts can no longer read", async () => {
    const old = await header("latest");
    await chain.request("anvil_mine", ["0x12c"]);
    expect((await look([old.number]))?.hashes).toEqual(new Map([[old.number, old.hash]]));
  });

  it("returns the final block on request", async () => {
    const { number, time } = await header("finalized");
    expect((await look([], [chain.url], true))?.final).toMatchObject({ number, time });
  });

  it("queries the next host if one fails, and fails if none answers", async () => {
    expect(await look([], [broken.url, chain.url])).toMatchObject({
      number: (await header("latest")).number,
    });
    await expect(look([], [broken.url])).rejects.toThrow("No host of base answers");
  });

  it("answers nothing about a chain that no longer trades", async () => {
    expect(
      await lookEffects(new Map()).look({ chain: "eth", host: 0, heights: [], wantsFinal: false }),
    ).toBeUndefined();
  });
});

describe("lookEffects.minedIn", () => {
  it("returns the block of each transaction, or an empty text for one in no block", async () => {
    const value = { from: alice.address, to: alice.address, value: "0x1" };
    const mined = (await chain.request("eth_sendTransaction", [value])) as string;
    await chain.mine();
    const { hash } = await header("latest");
    const unknown = Array.from({ length: 150 }, (_, index) => `0x${String(index).padStart(64, "0")}`);
    const hashes = [...unknown, mined];
    expect(await effectsWith(chain.url).minedIn({ chain: "base", host: 0, hashes })).toEqual(
      new Map([...unknown.map((each) => [each, ""] as const), [mined, hash]]),
    );
  });
});
