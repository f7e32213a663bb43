import { type Address, address } from "@solana/web3.js";
import { programs, tokenAccountOf, wsolMint } from "./addresses.ts";
import { ByteReader } from "./byte-reader.ts";
import {
  pumpConfigOf,
  pumpEventAuthorityOf,
  pumpFeeConfigOf,
  pumpPrograms,
  pumpVolumesOf,
} from "./pump-addresses.ts";
import type { Account } from "./rpc-call.ts";

/** The program of lookup tables. Tables only grow, and their entries never change. */
export const tableProgram = address("AddressLookupTab1e1111111111111111111111111");

/** Fee accounts of Pump. Operators choose one of each kind. */
export type PumpRecipients = { usual: Address; mayhem: Address; buyback: Address };

/**
 * Places in the lookup table for trades on Pump's programs. Without a table, their messages would be larger than the
 * chain allows. The signer needs no host: the places are fixed, and each look checks them against the chain.
 */
export const pumpSlots = {
  curve: { config: 0, volumes: 1, fees: 2, events: 3 },
  pool: { config: 4, volumes: 5, fees: 6, events: 7 },
  feeProgram: 8,
  wsol: 9,
  token2022: 10,
  usual: { recipient: 11, account: 12 },
  mayhem: { recipient: 13, account: 14 },
  buyback: { recipient: 15, account: 16 },
} as const;

/** Returns the accounts of the first places, which do not depend on the operators' choice. */
export const fixedPumpAccounts = async (): Promise<Address[]> => [
  ...(await accountsOf("curve")),
  ...(await accountsOf("pool")),
  pumpPrograms.fees,
  wsolMint,
  programs.token2022,
];

const accountsOf = (market: "curve" | "pool"): Promise<Address[]> =>
  Promise.all([
    pumpConfigOf(market),
    pumpVolumesOf(market),
    pumpFeeConfigOf(market),
    pumpEventAuthorityOf(market),
  ]);

/** Returns the accounts of a table, in order. */
export const pumpTableOf = async ({ usual, mayhem, buyback }: PumpRecipients): Promise<Address[]> => [
  ...(await fixedPumpAccounts()),
  ...(
    await Promise.all(
      [usual, mayhem, buyback].map(async (recipient) => [
        recipient,
        await tokenAccountOf(recipient, wsolMint, programs.token),
      ]),
    )
  ).flat(),
];

const tableKind = 1;
const neverDeactivated = 2n ** 64n - 1n;

/** Offset of the addresses. The slot of deactivation is before it, and an authority that can only add addresses. */
const addressesAt = 56;

/** Lists the addresses of a lookup table. Undefined if it is another account, or being closed. */
export function readLookupTable({
  owner,
  data,
}: Pick<Account, "owner" | "data">): readonly string[] | undefined {
  if (owner !== tableProgram || data.length < addressesAt) return undefined;
  const reader = new ByteReader(data);
  if (reader.u32() !== tableKind || reader.u64() !== neverDeactivated) return undefined;
  const rest = new ByteReader(data.subarray(addressesAt));
  return rest.addresses(Math.floor(rest.left / 32));
}

/** The recipients that a program accepts. */
type AcceptedRecipients = {
  recipients: readonly string[];
  mayhemRecipients: readonly string[];
  buybackRecipients: readonly string[];
};

/** True if a table holds what messages expect, and a program accepts the recipients in it. */
export const isPumpTable = (
  held: readonly string[],
  fixed: readonly Address[],
  { recipients, mayhemRecipients, buybackRecipients }: AcceptedRecipients,
): boolean =>
  fixed.every((each, place) => held[place] === each) &&
  recipients.includes(held[pumpSlots.usual.recipient] ?? "") &&
  mayhemRecipients.includes(held[pumpSlots.mayhem.recipient] ?? "") &&
  buybackRecipients.includes(held[pumpSlots.buyback.recipient] ?? "");
