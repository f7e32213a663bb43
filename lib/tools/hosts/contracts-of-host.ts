import { Interface } from "ethers/abi";
import * as v from "valibot";
import { contractQuestion, multicall, multicallAddress } from "../../chains/evm/calls/multicall.ts";
import { Bytes, contractCall } from "../../chains/evm/calls/rpc-call.ts";
import type { EvmConfiguration } from "../../chains/evm/rules/configuration.ts";
import {
  type EvmRoute,
  isSamePool,
  needsRefund,
  plainEvmRoute,
  type SwapCall,
} from "../../chains/evm/rules/intent.ts";
import { kindOf } from "../../chains/evm/rules/swap-venues.ts";
import { encodeCall } from "../../chains/evm/venues/calldata.ts";
import { bridgedRoutesOf, directRoutesOf } from "../../chains/evm/venues/configured-routes.ts";
import { type PoolRoute, poolCalls, poolRoutesOf } from "../../chains/evm/venues/pool-routes.ts";
import { newStranger } from "../../chains/evm/venues/probe-simulation.ts";
import type { RpcCall } from "../../chains/hosts/rpc-call.ts";
import type { Problem } from "./report.ts";

/** Makes calls in one request. */
export type AskAll = <Value>(
  name: string,
  calls: readonly RpcCall<Value>[],
) => Promise<readonly Value[] | undefined>;

type ContractLook = { name: string; problem?: Problem };

/** Options for looking at a host. */
type Look = {
  configuration: EvmConfiguration;
  /** Number of the block to read. */
  number: number;
  /** Amount of coins to ask pools for. */
  spent: bigint;
  askAll: AskAll;
};

/**
 * Checks the contracts that receive money: their code, the factories and the wrapped coin that they name, the pools of
 * bridges, and swaps over bridges.
 */
export async function contractsOfHost(
  configuration: EvmConfiguration,
  options: Omit<Look, "configuration">,
): Promise<ContractLook[]> {
  const look = { configuration, ...options };
  return [
    ...(await lookAtCode(look)),
    ...(await lookAtLinks(look)),
    ...(await lookAtBridges(look)),
    ...(await trySwaps(look, await payersOfMixed(look))),
  ];
}

async function ask<Value>({ askAll }: Look, name: string, call: RpcCall<Value>): Promise<Value | undefined> {
  return (await askAll(name, [call]))?.[0];
}

async function lookAtCode({ configuration, askAll }: Look): Promise<ContractLook[]> {
  const contracts = contractsIn(configuration);
  const calls = contracts.map(({ address }) => codeCall(address));
  const answers = await askAll(`code of ${contracts.length} contracts`, calls);
  if (answers === undefined) return [];
  return contracts.map(({ name }, index) => ({
    name,
    ...(answers[index] !== true && {
      problem: { words: "has no code at its address", isFatal: true },
    }),
  }));
}

async function lookAtLinks(look: Look): Promise<ContractLook[]> {
  const links = linksIn(look.configuration);
  const questions = links.map(({ address, read }) => addressQuestion(address, read));
  const answers = await ask(look, "contracts of venues", multicall(questions, look.number));
  if (answers === undefined) return [];
  return links.map(({ name, expected }, index) => ({
    name,
    ...(answers[index] !== expected && {
      problem: { words: `is not ${expected}: remove the row of the venue`, isFatal: true },
    }),
  }));
}

async function lookAtBridges(look: Look): Promise<ContractLook[]> {
  const { configuration } = look;
  const bridges: ContractLook[] = [];
  for (const quote of configuration.quoteTokens) {
    const { direct } = purchaseCalls(look, quote.token, directRoutesOf(configuration));
    const quoted = await ask(look, `bridges to ${quote.token.slice(0, 8)}`, direct);
    for (const bridge of quoted === undefined ? [] : quote.bridges) {
      const pays = quoted?.routes.some(
        ({ route, amountsOut: [amount] }) => isSamePool(route, bridge) && (amount ?? 0n) > 0n,
      );
      const words = "has no pool that pays, so no order takes it";
      bridges.push({
        name: `bridge ${bridge.venue} at ${bridge.feeBps} bps to ${quote.token}`,
        ...(!pays && { problem: { words, isFatal: false } }),
      });
    }
  }
  return bridges;
}

const purchaseCalls = (
  { configuration, spent, number }: Look,
  token: string,
  routes: ReturnType<typeof directRoutesOf>,
) => poolCalls(configuration, token, [{ side: "buy", amountIn: spent }], number, routes);

type Purchase = { token: string; route: PoolRoute };

/**
 * Finds listed tokens with v2 pools that can be bought over a v3 bridge. Returns one such purchase for each combination
 * of exchanges.
 */
async function payersOfMixed(look: Look): Promise<ReadonlyMap<string, Purchase>> {
  const { tokens, quoteTokens } = look.configuration;
  const payers = new Map<string, Purchase>();
  for (const { token } of [...tokens, ...quoteTokens]) {
    const routes = bridgedRoutesOf(look.configuration, token);
    const mixed = routes.filter((route) => nameOfMixed(route) !== undefined);
    if (mixed.length === 0) continue;
    for (const call of purchaseCalls(look, token, mixed).bridged) {
      const quoted = await ask(look, `mixed quotes of ${token.slice(0, 8)}`, call);
      const [paying = []] = quoted ? poolRoutesOf({ direct: quoted, bridged: [] }).routes : [];
      for (const route of paying) payers.set(nameOfMixed(route) ?? "", { token, route });
    }
  }
  return payers;
}

async function trySwaps(look: Look, purchases: ReadonlyMap<string, Purchase>): Promise<ContractLook[]> {
  const swaps: ContractLook[] = [];
  for (const [name, purchase] of purchases) {
    const isMade = await ask(look, `swap by ${name}`, swapCall(look, purchase));
    if (isMade !== undefined)
      swaps.push({ name, ...(!isMade && { problem: { words: mixedWords, isFatal: true } }) });
  }
  return swaps;
}

/**
 * Asks whether a purchase pays what the pools quoted. The wrapped coin's contract is the buyer, because it has coins on
 * any chain.
 */
function swapCall({ configuration, number, spent }: Look, { token, route }: Purchase): RpcCall<boolean> {
  const call: SwapCall = {
    purpose: "swap",
    ...plainEvmRoute(route),
    side: "buy",
    token,
    recipient: newStranger(),
    value: spent,
    amountIn: spent,
    minAmountOut: route.amountOut,
    deadline: farDeadline,
    hasRefund: needsRefund("buy", route),
  };
  const from = configuration.wrapped.token;
  return {
    ...contractCall({ from, ...encodeCall(configuration, call, from) }, number),
    read: () => true,
    recover(refusal) {
      if (refusal.kind !== "call") throw refusal;
      return false;
    },
  };
}

/** Deadline in seconds, later than any block. */
const farDeadline = 2 ** 32 - 1;

const mixedWords = "does not pay what its pools quote: remove mixesWith from the row of the bridge";

/** Names the two kinds of pools of a mixed route. Returns undefined for other routes. */
const nameOfMixed = ({ venue, bridge }: EvmRoute): string | undefined =>
  bridge === undefined || kindOf(bridge) === kindOf({ venue })
    ? undefined
    : `${bridge.venue} at ${bridge.feeBps} bps to ${bridge.token}, then ${venue}`;

/** Asks whether an address has code. */
const codeCall = (address: string): RpcCall<boolean> => ({
  method: "eth_getCode",
  params: [address, "latest"],
  read: (result) => v.parse(Bytes, result) !== "0x",
});

const linksABI = new Interface(
  ["factory", "factoryV2", "getFactory", "getFactoryV2_1", "getWNATIVE", "WETH", "WETH9"].map(
    (name) => `function ${name}() view returns (address)`,
  ),
);

const addressQuestion = (to: string, name: string) =>
  contractQuestion(linksABI, name, { to, values: [], read: ([address]): string => address });

/** An address that a contract names, and that the configuration also has. */
type Link = { name: string; address: string; read: string; expected: string };

/**
 * Lists the addresses that routers and quoters must name: their factories and the wrapped coin. A router of a different
 * exchange would name different addresses.
 */
function linksIn({ wrapped, venues }: EvmConfiguration): Link[] {
  return venues.flatMap((row) => {
    const link = (role: string, address: string, read: string, expected: string): Link => ({
      name: `${read} of the ${role} of ${row.venue}`,
      address,
      read,
      expected,
    });
    const { factory, router } = row;
    const ofRouter = (...[read, expected]: [string, string]) => link("router", router, read, expected);
    switch (kindOf(row)) {
      case "v2":
        return [ofRouter("factory", factory), ofRouter("WETH", wrapped.token)];
      case "bins":
        return [
          ofRouter(row.venue === "lfj-v2.1" ? "getFactoryV2_1" : "getFactory", factory),
          ofRouter("getWNATIVE", wrapped.token),
        ];
      default: {
        const other = venues.find(({ venue }) => "mixesWith" in row && venue === row.mixesWith);
        const quoter = "quoter" in row ? row.quoter : "";
        return [
          ofRouter("factory", factory),
          ofRouter("WETH9", wrapped.token),
          ...(other ? [ofRouter("factoryV2", other.factory)] : []),
          link("quoter", quoter, "factory", factory),
          link("quoter", quoter, "WETH9", wrapped.token),
        ];
      }
    }
  });
}

/** Lists the addresses in the configuration, with names for people. */
function contractsIn({ wrapped, venues, tokens }: EvmConfiguration): { name: string; address: string }[] {
  return [
    { name: "Multicall3", address: multicallAddress },
    ...[wrapped, ...tokens].map(({ symbol, token }) => ({ name: `token ${symbol}`, address: token })),
    ...venues.flatMap(({ venue, ...row }) =>
      (["factory", "router", "quoter"] as const).flatMap((role) =>
        role in row
          ? [{ name: `${role} of ${venue}`, address: (row as Record<typeof role, string>)[role] }]
          : [],
      ),
    ),
  ];
}
