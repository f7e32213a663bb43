import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { RpcRefusal, solRefusals } from "../../../lib/chains/hosts/host-fault.ts";

/** Fake secret that must not leak. */
const secret = "c0ffee";

describe("RpcRefusal", () => {
  const refusalFor = (code: number, message: string, data?: unknown) =>
    new RpcRefusal("eth_gasPrice", { code, message, data });

  it.each([
    [3, "execution reverted: Too little received", "call"],
    [-32000, "execution reverted", "call"],
    [-32015, "VM execution error: reverted", "call"],
    [-32000, "out of gas", "call"],
    [-32603, "EVM error OutOfGas", "call"],
    [-32603, "EVM error InvalidFEOpcode", "call"],
    [-32603, "EVM error MemoryOOG", "call"],
    [-32000, "gas required exceeds allowance (21000)", "call"],
    [-32000, "insufficient funds for gas * price + value", "call"],
    [-32003, "Insufficient funds for gas * price + value", "call"],
    [-32601, "the method eth_simulateV1 does not exist/is not available", "unsupported"],
    [-32000, "Method eth_simulateV1 not supported", "unsupported"],
    [-32600, "Unsupported method: eth_simulateV1 on ETH_MAINNET", "unsupported"],
    [-32001, "method is not whitelisted", "unsupported"],
    [-38015, "block gas limit reached", "unsupported"],
    [-32000, "missing trie node 0102 (path ) state 0x03 is not available", "host"],
    [-32001, "block not found: 0x39", "host"],
    [-32005, "daily request count exceeded", "host"],
    [-32000, "header not found", "host"],
    [-32603, "internal error", "host"],
  ])("classifies code %i, %j, as %s", (code, message, kind) => {
    expect(refusalFor(code, message)).toMatchObject({ code, kind });
  });

  it.each([
    [-32005, "Node is unhealthy", { kind: "host", isBusy: false, isOutOfStep: false }],
    [-32004, "Block not available for slot 7", { kind: "host", isOutOfStep: true, isMissing: false }],
    [
      -32014,
      "Block status not yet available for slot 7",
      { kind: "host", isOutOfStep: true, refusesBatch: false },
    ],
    [-32016, "Minimum context slot has not been reached", { kind: "host", isOutOfStep: true }],
    [-32011, "Transaction history is not available from this node", { kind: "unsupported" }],
    [-32601, "Method not found", { kind: "unsupported", isMissing: true }],
    [-32600, "Batches are not supported", { refusesBatch: true }],
    [429, "Too many requests for a specific RPC call", { kind: "host", isBusy: true }],
  ])("reads code %i of a Solana host, %j, as %j", (code, message, meaning) => {
    expect(new RpcRefusal("getSlot", { code, message }, solRefusals)).toMatchObject(meaning);
  });

  it("gives the same codes other meanings on EVM chains", () => {
    expect(refusalFor(-32005, "too much")).toMatchObject({ isBusy: true });
    expect(refusalFor(-32004, "no")).toMatchObject({ kind: "unsupported" });
    expect(refusalFor(-32014, "no")).toMatchObject({ refusesBatch: true });
  });

  it("keeps the host's message for searching, but never shows it", () => {
    const refusal = refusalFor(-32000, `nonce too low: ${secret}`, "0x08c379a0");
    expect(refusal.says(/nonce too low/)).toBe(true);
    expect(refusal.revertData).toBe("0x08c379a0");
    const shown = `${inspect(refusal, { depth: 9, showHidden: true })}${JSON.stringify(refusal)}`;
    expect(shown).not.toMatch(new RegExp(`${secret}|nonce|08c379a0`));
  });

  it("ignores revert data that is not hex", () => {
    for (const data of [secret, { a: 1 }, 5, "0x1"])
      expect(refusalFor(3, "execution reverted", data).revertData).toBeUndefined();
  });
});
