import { balanceOf } from "../../chains/evm/calls/contract-questions.ts";
import { multicall } from "../../chains/evm/calls/multicall.ts";
import { blockCall } from "../../chains/evm/calls/rpc-call.ts";
import { inspectEvmToken } from "../../chains/evm/token.ts";
import type { EvmReader } from "../../chains/evm/venues/reader.ts";
import { ChainUnavailable, isHostError } from "../../chains/hosts/host-fault.ts";
import { askHost } from "../../chains/hosts/host-group.ts";
import type { RpcCall } from "../../chains/hosts/rpc-call.ts";
import type { RpcHost } from "../../chains/hosts/rpc-host.ts";
import { chainFacts } from "../../core/chain-facts.ts";
import { formatDecimal } from "../../core/decimal.ts";
import { DomainError } from "../../core/domain-error.ts";
import {
  dueLook,
  type NewTokens,
  newSeconds,
  type ReadNewPools,
  type TokenLook,
} from "../core/new-tokens.ts";
import { madePoolsCall } from "./made-pools-call.ts";
import { openEvmFinder } from "./pools.ts";
import {
  bounded,
  currentHeads,
  type MadePool,
  type NewPool,
  nextRange,
  type PoolProgress,
  type PoolRange,
  poolsAfter,
  poolsOfDay,
  progressAfter,
  progressAfterFailure,
  unfundedWithoutPrice,
} from "./rules/new-pools.ts";

type EvmNewTokens = NewTokens<NewPool, PoolProgress | undefined>;

/** Number of pools whose funds are read in one turn, and in one call. */
const mostMeasured = 1000;
const measuredAtOnce = 250;

/** Minimum holdings of a pool that is worth a look: 0.1 coins, or 100 of a stable token. */
const leastFunds = { coin: 10n ** 17n, dollars: 100n };

const usualDecimals = 18;

/** Asks each host the same question. Leaves out hosts that fail. */
async function answersOf<Value>(hosts: readonly RpcHost[], call: RpcCall<Value>) {
  const answers = await Promise.all(hosts.map((host) => askHost(host, [call])));
  return answers.flatMap((answer, index) => {
    const host = hosts[index];
    return "values" in answer && host !== undefined ? [{ host, value: answer.values[0] }] : [];
  });
}

/** Makes a function that reads the new pools of a chain from two hosts, one range of blocks at a time. */
export function openEvmNewPools(reader: EvmReader): ReadNewPools {
  const { chain, configuration, client } = reader;
  const { blockSeconds } = chainFacts[chain];
  const dayBlocks = Math.ceil(newSeconds / blockSeconds);
  const find = openEvmFinder(reader);

  /**
   * Returns the pools that hosts show in a range. Times that a host leaves out follow from the usual time between blocks.
   */
  async function madeIn(hosts: readonly RpcHost[], range: PoolRange, head: { number: number; time: number }) {
    const timed = (made: MadePool): MadePool => {
      const estimate = head.time - Math.round((head.number - made.block) * blockSeconds);
      return { ...made, time: made.time === 0 ? estimate : Math.min(made.time, head.time) };
    };
    const answers = await answersOf(hosts, madePoolsCall(configuration, range));
    return answers.map(({ value }) => value.map(timed));
  }

  /** Notes which pools hold enough of their other token. Empty ones may be filled later. */
  async function measured(host: RpcHost, pools: readonly NewPool[]): Promise<NewPool[]> {
    const asked = pools.filter(({ isFunded }) => !isFunded).slice(0, mostMeasured);
    if (asked.length === 0) return [...pools];
    const parts = Array.from({ length: Math.ceil(asked.length / measuredAtOnce) }, (_, part) =>
      asked.slice(part * measuredAtOnce, (part + 1) * measuredAtOnce),
    );
    const answer = await askHost(
      host,
      parts.map((part) =>
        multicall(
          part.map(({ other, pool }) => balanceOf(other, pool)),
          "latest",
        ),
      ),
    );
    if (!("values" in answer)) return [...pools];
    const balances = answer.values.flat();
    const held = new Map(asked.map(({ pool }, index) => [pool, balances[index] ?? 0n]));
    return pools.map((each) => ({
      ...each,
      isFunded: each.isFunded || (held.get(each.pool) ?? 0n) >= leastOf(each.other),
    }));
  }

  function leastOf(other: string): bigint {
    if (other === configuration.wrapped.token) return leastFunds.coin;
    const listed = configuration.tokens.find(({ token }) => token === other);
    return leastFunds.dollars * 10n ** BigInt(listed?.decimals ?? usualDecimals);
  }

  /** Undefined if the token has no pool with a price, or no host describes it. */
  async function lookAt(token: string, nowMs: number): Promise<TokenLook | undefined> {
    try {
      const [found, inspected] = await Promise.all([
        find(token, nowMs, undefined),
        inspectEvmToken(reader, token, new Date(nowMs)),
      ]);
      const [reference] = found?.pools ?? [];
      if (reference === undefined) return undefined;
      const { symbol, name, decimals, listed, sellable, buyTax, sellTax, flags } = inspected;
      const liquidity = formatDecimal(reference.depth);
      return { symbol, name, decimals, listed, sellable, buyTax, sellTax, flags, liquidity };
    } catch (error) {
      const isOfToken =
        isHostError(error) || error instanceof ChainUnavailable || error instanceof DomainError;
      if (!isOfToken) throw error;
      return undefined;
    }
  }

  return async (stored, nowMs) => {
    const before = stored as EvmNewTokens | undefined;
    const progress = before?.state;
    const nowSeconds = Math.floor(nowMs / 1000);
    const heads = currentHeads(await answersOf(client.inOrder().slice(0, 2), blockCall("latest")), {
      nowSeconds,
      blockSeconds,
    });
    // Reads up to the lower head, because both hosts have that block. So a host cannot claim blocks that do not exist.
    const [lowest] = heads.toSorted((a, b) => a.value.number - b.value.number);
    if (lowest === undefined) throw new ChainUnavailable(`No host of ${chain} answers`);
    const { host: first, value: head } = lowest;
    const range = nextRange(progress, head.number, dayBlocks);
    const answers = await madeIn(
      heads.map(({ host }) => host),
      range,
      head,
    );
    const isRead = answers.length > 0;
    const state = isRead ? progressAfter(progress, range) : progressAfterFailure(progress, range);
    const known = poolsOfDay(poolsAfter(before?.pools ?? [], range, answers), nowSeconds);
    const pools = bounded(await measured(first, known), before?.looks ?? {});
    const due = dueLook(
      pools.filter(({ isFunded }) => isFunded),
      before?.looks ?? {},
      nowSeconds,
    );
    const found = due === undefined ? undefined : await lookAt(due, nowMs);
    const looked = due === undefined ? {} : { [due]: { at: nowSeconds, ...(found && { found }) } };
    const tokens = new Set(pools.map(({ token }) => token));
    const looks = Object.entries({ ...before?.looks, ...looked }).filter(([token]) => tokens.has(token));
    const { low, high } = state ?? { low: 0, high: 0 };
    return {
      pools: unfundedWithoutPrice(pools, looked),
      looks: Object.fromEntries(looks),
      readAt: isRead && !range.isPast ? head.time : (before?.readAt ?? 0),
      since: Math.max(
        nowSeconds - newSeconds,
        low === 0 ? 0 : head.time - Math.ceil((high - low) * blockSeconds),
      ),
      state,
    };
  };
}
