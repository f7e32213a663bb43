import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import bs58 from "bs58";
import { buildSync } from "esbuild";
import { bundleOptions, codeFile, handlerOf } from "../../lib/infra/functions/bundle.ts";
import type { OperationName } from "../../lib/operations/operations.ts";
import { localAddresses } from "../../lib/tools/dev/chains/deployment.ts";
import type { LocalChain } from "../../lib/tools/dev/chains/local-chain.ts";
import { authorizerEvent, restEvent } from "../support/events.ts";
import { functionEnvironment } from "../support/function-environment.ts";
import { sealedImport } from "../support/sealing.ts";
import { connectEvent, disconnectEvent, messageEvent } from "../support/websocket-events.ts";
import { offeredKey } from "./fake-aws.ts";

/** A handler to measure, with its first event. */
export type Contender = {
  name: string;
  event: unknown;
  /** The contender that makes the same calls to AWS and nothing else. Undefined if warm calls are not compared. */
  bare?: string;
  /** The expected response is a refusal. */
  refuses?: true;
};

/** The lower bound of all starts. */
export const floor = "bare read";

const evmKey = "4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318";
const solanaKey = "4Z7cXSyeFR8wNGMVXUE1TwtKn5D5Vu7FzEv69dokLv7KrQk7h6pu4LF8ZRR9yQBhc7uSM6RTTZtU1fmaxiNrxXrs";
const { moon } = localAddresses;
/** Anvil's first account, which has coins. */
const trader = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const request = { ...restEvent(), httpMethod: "GET", path: "/listWallets" };

const handlers: Record<string, string> = {
  [floor]: "bare-read.ts",
  "bare import": "bare-import.ts",
  "Express and serverless-http": "express-read.ts",
};

export const contenders: readonly Contender[] = [
  { name: floor, event: request },
  { name: "bare import", event: request },
  { name: "Express and serverless-http", event: request, bare: floor },
  { name: "listWallets", event: request, bare: floor },
  { name: "listWalletsV2", event: request, bare: floor },
  { name: "getUserData", event: request },
  { name: "listRewards", event: request },
  { name: "updateTradingSettings", event: restEvent({ body: { slippage: 1 }, path: { chain: "eth" } }) },
  {
    name: "storeWallet (eth)",
    event: restEvent({ body: { network: "eth", privateKey: evmKey } }),
    bare: "bare import",
  },
  {
    name: "storeWallet (sol)",
    event: restEvent({ body: { network: "sol", privateKey: solanaKey } }),
    bare: "bare import",
  },
  { name: "listImportKeys", event: restEvent() },
  { name: "importWallet (eth)", event: await sealedEvent("eth", Buffer.from(evmKey, "hex")) },
  { name: "importWallet (sol)", event: await sealedEvent("sol", bs58.decode(solanaKey)) },
  { name: "createWallet (eth)", event: creationEvent("eth") },
  { name: "createWallet (sol)", event: creationEvent("sol") },
  {
    name: "updateWallet",
    event: { ...restEvent({ path: { walletId: "w1" }, body: { colortag: "red" } }), httpMethod: "PATCH" },
    refuses: true,
  },
  {
    name: "getWalletPolicy",
    event: { ...restEvent({ path: { walletId: "w1" } }), httpMethod: "GET" },
    refuses: true,
  },
  {
    name: "cancelExport",
    event: { ...restEvent({ path: { walletId: "w1" } }), httpMethod: "DELETE" },
    refuses: true,
  },
  { name: "lockExports", event: restEvent({ body: {} }) },
  { name: "getExportLock", event: { ...restEvent(), httpMethod: "GET" } },
  { name: "sealExport", event: { userID: "alice", walletId: "w1" } },
  { name: "listTokens", event: restEvent({ query: { chain: "eth" } }) },
  { name: "inspectToken", event: restEvent({ path: { chain: "eth", token: moon } }) },
  { name: "readBalances", event: restEvent({ query: { chain: "eth", wallet: trader } }) },
  {
    name: "quoteOrder",
    event: restEvent({ body: { chain: "eth", wallet: trader, side: "buy", token: moon, amount: "0.5" } }),
  },
  { name: "listOrders", event: restEvent({ query: { status: "open" } }) },
  { name: "getOrder", event: restEvent({ path: { orderId: "o0" } }) },
  { name: "listPositions", event: restEvent() },
  { name: "refuseTrading", event: { ...restEvent(), httpMethod: "GET" }, refuses: true },
  { name: "authorize", event: authorizerEvent() },
  { name: "authorizeConnection", event: authorizerEvent() },
  { name: "connect", event: connectEvent() },
  { name: "disconnect", event: disconnectEvent() },
  { name: "subscribe", event: messageEvent({ type: "subscribe", channels: ["prices"] }, "subscribe") },
  { name: "unsubscribe", event: messageEvent({ type: "unsubscribe", channels: ["prices"] }, "unsubscribe") },
  { name: "ping", event: messageEvent({ type: "ping" }, "ping") },
  { name: "unknownMessage", event: messageEvent({ type: "other" }) },
  { name: "publishChanges", event: { Records: [] } },
  {
    name: "deliver",
    event: {
      shard: 0,
      update: { type: "update", channel: "prices", time: "2100-01-01T00:00:00.000Z", data: [] },
    },
  },
];

function creationEvent(network: string) {
  const headers = { "Content-Type": "application/json", "Idempotency-Key": `wallet on ${network}` };
  return { ...restEvent({ body: { network } }), headers };
}

/** A sealed import by the user of these events. */
async function sealedEvent(network: string, privateKey: Uint8Array) {
  const key = `import of ${network}`;
  const event = restEvent();
  const userID = String(event.requestContext.authorizer?.principalId);
  const body = await sealedImport(offeredKey(), { userID, key, network }, privateKey);
  return { ...restEvent({ body }), headers: { "Content-Type": "application/json", "Idempotency-Key": key } };
}

/** Bundles a contender, and returns the folder of its code. The plain ones keep the SDK's credential chain. */
export function bundled({ name }: Contender, parent: string): string {
  const folder = join(parent, name.replaceAll(/\W+/g, "-"));
  mkdirSync(folder, { recursive: true });
  const own = handlers[name];
  const entryPoint = own
    ? resolve(import.meta.dirname, "handlers", own)
    : handlerOf(name.split(" ")[0] as OperationName);
  const alias = own ? {} : bundleOptions.alias;
  buildSync({ ...bundleOptions, alias, entryPoints: [entryPoint], outfile: join(folder, codeFile) });
  return folder;
}

/** The environment of every function, with all AWS services at one address, and one trading chain. */
export const environmentAt = (
  url: string,
  { chain, contracts, url: host }: LocalChain,
): Record<string, string> => ({
  ...functionEnvironment,
  TRADING: JSON.stringify({ [chain]: { ...contracts, hosts: [host] } }),
  AWS_SESSION_TOKEN: "test",
  AWS_ENDPOINT_URL: url,
  ALLOWED_ORIGINS: "[]",
});
