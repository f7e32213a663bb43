import { afterAll, beforeEach } from "vitest";
import { chainIdentity } from "../../lib/chains/evm/calls/rpc-call.ts";
import { rpcHost } from "../../lib/chains/hosts/rpc-host.ts";
import { startRpcServer } from "./json-rpc-server.ts";

export const wallet = `0x${"a1".repeat(20)}`;
export const hash = `0x${"0b".repeat(32)}`;

/** A placeholder for secrets that must never leak, such as an API key or a signed transaction. */
export const secret = "c0ffee";

/**
 * Serves a host with prices and balances for the tests of a file. `now.ms` is its clock. Each test starts from the same
 * state.
 */
export async function hostUnderTest() {
  const server = await startRpcServer();
  const now = { ms: 0 };
  const open = () =>
    // Allows far more time than any response takes. Only the tests of silent hosts set less.
    rpcHost({
      url: `${server.url}/${secret}`,
      identity: chainIdentity(1),
      timeoutMs: 40_000,
      nowMs: () => now.ms,
    });
  let opened = open();
  beforeEach(() => {
    now.ms = 0;
    opened = open();
    server.misbehaviour = undefined;
    server.requests.length = server.isBatch.length = 0;
    server.answers = { eth_chainId: "0x1", eth_gasPrice: "0x10", eth_getBalance: "0x20" };
  });
  afterAll(() => server.stop());
  const host: typeof opened = {
    request: (calls, signal) => opened.request(calls, signal),
    abilities: () => opened.abilities(),
  };
  return { server, host, now };
}

export const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error) => error,
  );
