import { describe, expect, it } from "vitest";
import { multicallABI } from "../../lib/chains/evm/calls/contract-abi.ts";
import { contractQuestion, multicall, multicallAddress } from "../../lib/chains/evm/calls/multicall.ts";
import { blockCall, chainIdCall, publishCall, receiptCall } from "../../lib/chains/evm/calls/rpc-call.ts";
import { countsByPhase, countsOf, type HostCall, type HostRequest, isShared } from "./host-requests.ts";

const parentHash = contractQuestion(multicallABI, "getLastBlockHash", {
  to: multicallAddress,
  values: [],
  read: String,
});
const look = multicall([parentHash], "latest");
const receipt = receiptCall("0x1", true);

const request = (calls: readonly HostCall[], at = 0): HostRequest => ({ calls, at });

describe("isShared", () => {
  it.each([
    ["a look", [look], true],
    ["a look that asks for the final block", [look, blockCall("finalized")], true],
    ["the sweep's check", [blockCall("latest")], true],
    ["receipts", [receipt, receipt], false],
    ["the first questions of a run", [blockCall("latest"), blockCall("finalized")], false],
    ["a block of a run", [blockCall(7)], false],
  ])("recognises %s as shared or not, whether or not it also asks for the chain's id", (_, calls, shared) => {
    expect(isShared(request(calls))).toBe(shared);
    expect(isShared(request([chainIdCall(), ...calls]))).toBe(shared);
  });

  it("counts a request that asks only for the chain's id as part of the order", () => {
    expect(isShared(request([chainIdCall()]))).toBe(false);
  });
});

describe("countsOf", () => {
  it("counts requests, calls and units", () => {
    const requests = [request([chainIdCall(), receipt, receipt]), request([look])];
    expect(countsOf(requests)).toEqual({ requests: 2, calls: 4, units: 66 });
  });

  it("rejects a method without known units", () => {
    expect(() => countsOf([request([{ method: "eth_mining", params: [] }])])).toThrow("eth_mining");
  });
});

describe("countsByPhase", () => {
  const [answeredAt, sentAt] = [10, 20];
  const requests = [
    request([blockCall(1)], 5),
    request([look], 6),
    request([blockCall(2), blockCall(2)], 15),
    request([publishCall("0x")], sentAt),
    request([publishCall("0x")], sentAt + 1),
    request([receipt], 30),
  ];

  it("counts an order's requests before the response, before the broadcast and after it", () => {
    expect(countsByPhase(requests, answeredAt)).toEqual({
      "to the answer": { requests: 1, calls: 1, units: 20 },
      "to the broadcast": { requests: 2, calls: 3, units: 80 },
      "to the end": { requests: 2, calls: 2, units: 60 },
      shared: { requests: 1, calls: 1, units: 26 },
    });
  });
});
