import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ChainUnavailable } from "../../../../lib/chains/hosts/host-fault.ts";
import { solClient } from "../../../../lib/chains/sol/calls/hosts.ts";
import { chainTimeCall, final, rentCall } from "../../../../lib/chains/sol/calls/rpc-call.ts";
import { answering, RpcFailure, type RpcServer, startRpcServer } from "../../../support/json-rpc-server.ts";

const genesis = "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d";
const cluster = genesis.slice(0, 32);
const devnet = "EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG";
const time = { epoch: 1, absoluteSlot: 100, blockHeight: 90 };

let [first, second] = [] as unknown as [RpcServer, RpcServer];
beforeAll(async () => {
  [first, second] = await Promise.all([startRpcServer(), startRpcServer()]);
});
afterAll(() => Promise.all([first, second].map((server) => server.stop())));
beforeEach(() => {
  for (const server of [first, second]) {
    server.misbehaviour = undefined;
    server.requests.length = server.isBatch.length = 0;
    server.answers = {
      getGenesisHash: genesis,
      getEpochInfo: time,
      getMinimumBalanceForRentExemption: server === first ? 1 : 2,
    };
  }
});

const open = () => solClient({ hosts: [first.url, second.url], cluster });
const calls = [rentCall(0, final), chainTimeCall(final)] as const;
const values = (lamports: bigint) => [lamports, { epoch: 1, slot: 100, blockHeight: 90 }];

describe("solClient", () => {
  it("sends calls in batches, checks the cluster once a minute, and remembers rents for an hour", async () => {
    const { read } = open();
    expect(await read(calls)).toEqual(values(1n));
    expect(await read(calls)).toEqual(values(1n));
    expect(first.requests.map((asked) => asked.map(({ method }) => method))).toEqual([
      ["getGenesisHash", "getMinimumBalanceForRentExemption", "getEpochInfo"],
      ["getEpochInfo"],
    ]);
    expect(second.requests).toEqual([]);
  });

  it("treats a host of another cluster as faulty", async () => {
    first.answers.getGenesisHash = devnet;
    const { read, inOrder, hosts } = open();
    expect(await read(calls)).toEqual(values(2n));
    second.answers.getGenesisHash = `${cluster.slice(0, -1)}q${genesis.slice(32)}`;
    await expect(open().read(calls)).rejects.toThrow(ChainUnavailable);
    // A failed host comes last for a while.
    expect(inOrder()).toHaveLength(hosts.length);
    first.answers.getGenesisHash = genesis;
    await read(calls);
    expect(first.requests.flat().filter(({ method }) => method === "getEpochInfo")).toHaveLength(2);
  });

  it("queries the next host if one fails or refuses", async () => {
    first.misbehaviour = answering("", 500);
    expect(await open().read(calls)).toEqual(values(2n));
    first.misbehaviour = undefined;
    first.answers.getEpochInfo = new RpcFailure(-32016, "Minimum context slot has not been reached");
    expect(await open().read(calls)).toEqual(values(2n));
    second.answers.getEpochInfo = { ...time, absoluteSlot: "100" };
    await expect(open().read(calls)).rejects.toThrow("No host of sol answers");
  });
});
