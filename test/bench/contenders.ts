import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import bs58 from "bs58";
import { buildSync } from "esbuild";
import { localAddresses } from "trading-terminal-devnet/evm/deployment";
import type { LocalContracts } from "trading-terminal-devnet/evm/local-contracts";
import { alice } from "trading-terminal-devnet/evm/test-chain";
import { bundleOptions, codeFile, handlerOf } from "../../lib/infra/functions/bundle.ts";
import { type OperationName, operations } from "../../lib/operations/operations.ts";
import { authorizerEvent, restEvent } from "../support/events.ts";
import { functionEnvironment } from "../support/function-environment.ts";
import { sealedImport } from "../support/sealing.ts";
import { connectEvent, disconnectEvent, messageEvent } from "../support/websocket-events.ts";
import { keysPath, offeredKey, tokenOf } from "./fake-aws.ts";

/** A handler to measure and its first event. */
export type Contender = {
  name: string;
  /** First event. Set only if every start gets the same event, as for functions of the order path. */
  event?: unknown;
  /** Name of the contender that makes only the same AWS calls. Undefined to skip comparing warm calls. */
  bare?: string;
  /** Set if the function must refuse the event. */
  refuses?: true;
  /** Time that the function's first call has left before its timeout. */
  remainingMs?: number;
};

/** Name of the simplest read with the SDK. */
export const sdkRead = "bare read";

/** Name of the handler that sets the lower bound for all starts: the same read without the SDK. */
export const signedRead = "bare read, signed by hand";

const evmKey = "4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318";
const solanaKey = "4Z7cXSyeFR8wNGMVXUE1TwtKn5D5Vu7FzEv69dokLv7KrQk7h6pu4LF8ZRR9yQBhc7uSM6RTTZtU1fmaxiNrxXrs";
const { moon } = localAddresses;
const trader = alice.address;
const request = { ...restEvent(), httpMethod: "GET", path: "/listWallets" };

const { ISSUER: issuer = "", AUDIENCE: audience = "" } = functionEnvironment;
const authorized = authorizerEvent({
  Authorization: `Bearer ${await tokenOf("alice", { issuer, audience })}`,
});

const handlers: Record<string, string> = {
  [signedRead]: "signed-read.ts",
  [sdkRead]: "bare-read.ts",
  "bare import": "bare-import.ts",
  "Express and serverless-http": "express-read.ts",
};

export const contenders: readonly Contender[] = [
  { name: signedRead, event: request, bare: sdkRead },
  { name: sdkRead, event: request },
  { name: "bare import", event: request },
  { name: "Express and serverless-http", event: request, bare: sdkRead },
  { name: "listWallets", event: request, bare: sdkRead },
  { name: "listWalletsV2", event: request, bare: sdkRead },
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
    event: { ...restEvent({ path: { walletId: "w9" }, body: { colortag: "red" } }), httpMethod: "PATCH" },
    refuses: true,
  },
  {
    name: "getWalletPolicy",
    event: { ...restEvent({ path: { walletId: "w9" } }), httpMethod: "GET" },
    refuses: true,
  },
  {
    name: "cancelExport",
    event: { ...restEvent({ path: { walletId: "w9" } }), httpMethod: "DELETE" },
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
  { name: "placeOrder" },
  { name: "executeOrders" },
  { name: "signTransaction" },
  // Leaves time for a single read, because a run stops reading 15 seconds before its limit.
  { name: "readChains", remainingMs: 15_500 },
  { name: "authorize", event: authorized },
  { name: "authorizeConnection", event: authorized },
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

/** Builds the event of a sealed import, with the same user as in the other events. */
async function sealedEvent(network: string, privateKey: Uint8Array) {
  const key = `import of ${network}`;
  const event = restEvent();
  const userID = String(event.requestContext.authorizer?.principalId);
  const body = await sealedImport(offeredKey(), { userID, key, network }, privateKey);
  return { ...restEvent({ body }), headers: { "Content-Type": "application/json", "Idempotency-Key": key } };
}

const operationOf = ({ name }: Contender) => name.split(" ")[0] as OperationName;

/** Returns the memory of a contender's function. A plain handler gets that of listWallets, like most functions. */
export const memoryOf = (contender: Contender): number =>
  operations[contender.name in handlers ? "listWallets" : operationOf(contender)].memoryMB;

/** Bundles a contender and returns the folder of its code. Plain handlers include the whole SDK. */
export function bundled(contender: Contender, parent: string): string {
  const { name } = contender;
  const folder = join(parent, name.replaceAll(/\W+/g, "-"));
  mkdirSync(folder, { recursive: true });
  const own = handlers[name];
  const entryPoint = own ? resolve(import.meta.dirname, "handlers", own) : handlerOf(operationOf(contender));
  const plain = own && { alias: {}, external: [] };
  buildSync({ ...bundleOptions, ...plain, entryPoints: [entryPoint], outfile: join(folder, codeFile) });
  return folder;
}

/** Addresses that functions call over TLS. */
export type Places = {
  aws: string;
  hosts: readonly string[];
  contracts: LocalContracts;
  certificateFile: string;
};

/** Builds every function's environment, with one address for all AWS services and one trading chain. */
export const environmentAt = ({
  aws,
  hosts,
  contracts,
  certificateFile,
}: Places): Record<string, string> => ({
  ...functionEnvironment,
  TRADING: JSON.stringify({ eth: { ...contracts, hosts } }),
  SIGNING: JSON.stringify({ eth: { ...contracts, hosts: [] } }),
  JWKS_URI: aws + keysPath,
  AWS_SESSION_TOKEN: "test",
  AWS_ENDPOINT_URL: aws,
  // Some clients read only the address for their own service.
  AWS_ENDPOINT_URL_LAMBDA: aws,
  AWS_ENDPOINT_URL_SSM: aws,
  NODE_EXTRA_CA_CERTS: certificateFile,
  ALLOWED_ORIGINS: "[]",
});
