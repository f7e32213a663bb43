import { address } from "@solana/web3.js";
import { ChainUnavailable, type HostError, isHostError } from "../../chains/hosts/host-fault.ts";
import { thenRead } from "../../chains/hosts/rpc-call.ts";
import type { RpcHost } from "../../chains/hosts/rpc-host.ts";
import { ByteReader } from "../../chains/sol/calls/byte-reader.ts";
import { type Accounts, accountsCall, final, mostAccounts } from "../../chains/sol/calls/rpc-call.ts";
import type { SolReader } from "../../chains/sol/venues/reader.ts";
import type { SolPool } from "./pools.ts";
import type { PoolSighting } from "./rules/witnesses.ts";
import { sampledVenues } from "./venues.ts";

const clock = address("SysvarC1ock11111111111111111111111111111111");

/** The pools that one host shows. Pools that do not trade are absent. */
export type ShownPools = {
  host: string;
  /** The oldest slot of the answers, with its time. */
  head: { number: number; time: number };
  pools: ReadonlyMap<string, PoolSighting>;
};

/** Asks the two hosts whose last failures are longest ago, or one if the chain has no other. */
export type LookAtPools = (pools: readonly SolPool[]) => Promise<ShownPools[]>;

/** Makes a function that reads pools at two hosts at the same time. */
export function poolLooks({ client }: Pick<SolReader, "client">): LookAtPools {
  const names = new Map(client.inOrder().map((host, index) => [host, `host ${index}`]));
  return async (pools) => {
    const asked = inCalls(pools);
    const looks = await Promise.all(
      client
        .inOrder()
        .slice(0, 2)
        .map((host) => lookOf(host, names.get(host) ?? "", asked).catch(errorOf)),
    );
    const [cause] = looks.filter(isHostError);
    const found = looks.filter((look): look is ShownPools => !isHostError(look));
    if (found.length === 0) throw new ChainUnavailable("No host of sol answers", { cause });
    return found;
  };
}

function errorOf(error: unknown): HostError {
  if (isHostError(error)) return error;
  throw error;
}

type AskedPools = { addresses: readonly string[]; pools: readonly SolPool[] };

/** Splits pools into groups whose accounts fit into one call, with the clock. An empty group asks for the clock. */
function inCalls(pools: readonly SolPool[]): AskedPools[] {
  const groups: SolPool[][] = [[]];
  let count = 1;
  for (const pool of pools) {
    count += pool.accounts.length;
    if (count > mostAccounts) {
      groups.push([]);
      count = 1 + pool.accounts.length;
    }
    groups.at(-1)?.push(pool);
  }
  return groups.map((group) => ({
    addresses: [clock, ...group.flatMap(({ accounts }) => accounts)],
    pools: group,
  }));
}

async function lookOf(host: RpcHost, name: string, asked: readonly AskedPools[]): Promise<ShownPools> {
  const parts = await Promise.all(
    asked.map(async (part) => {
      const call = thenRead(accountsCall(part.addresses, final), (found) => partOf(part, found));
      const [read] = await host.request([call]);
      return read;
    }),
  );
  const [oldest] = parts.map(({ head }) => head).toSorted((a, b) => a.number - b.number);
  return {
    host: name,
    head: oldest ?? { number: 0, time: 0 },
    pools: new Map(parts.flatMap(({ sightings }) => sightings)),
  };
}

function partOf({ addresses, pools }: AskedPools, { slot, accounts }: Accounts) {
  const found = new Map(addresses.map((each, index) => [each, accounts[index]]));
  const time = Number(new ByteReader(found.get(clock)?.data ?? new Uint8Array()).skip(32).u64());
  const sightings = pools.flatMap(({ pool, venue, accounts: own }) => {
    const amounts = sampledVenues[venue].amountsIn(own, (each) => found.get(each));
    return amounts === undefined ? [] : [[pool, { ...amounts, slot, time }] as const];
  });
  return { head: { number: slot, time }, sightings };
}
