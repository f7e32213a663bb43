import type { Address } from "@solana/web3.js";
import { describe, expect, it } from "vitest";
import { bytesOfAddress } from "../../../../lib/chains/sol/calls/addresses.ts";
import {
  fixedPumpAccounts,
  isPumpTable,
  pumpSlots,
  pumpTableOf,
  readLookupTable,
  tableProgram,
} from "../../../../lib/chains/sol/calls/pump-table.ts";
import { pumpRecipients } from "../../../support/pump-accounts.ts";

const [usual, mayhem, buyback] = [
  pumpRecipients.usual[3],
  pumpRecipients.mayhem[0],
  pumpRecipients.buyback[7],
] as [Address, Address, Address];

const accepted = {
  recipients: pumpRecipients.usual,
  mayhemRecipients: pumpRecipients.mayhem,
  buybackRecipients: pumpRecipients.buyback,
};

/** Writes a lookup table. */
function tableData(addresses: readonly Address[]): Buffer {
  const head = Buffer.alloc(56);
  head.writeUInt32LE(1, 0);
  head.fill(255, 4, 12);
  return Buffer.concat([head, ...addresses.map(bytesOfAddress)]);
}

describe("the lookup table for Pump", () => {
  it("holds what messages expect at each place", async () => {
    const held = await pumpTableOf({ usual, mayhem, buyback });
    expect(readLookupTable({ owner: tableProgram, data: tableData(held) })).toEqual(held);
    expect(isPumpTable(held, await fixedPumpAccounts(), accepted)).toBe(true);
    expect(held).toHaveLength(17);
  });

  it.each([
    ...Array.from({ length: 11 }, (_, place) => place),
    pumpSlots.usual.recipient,
    pumpSlots.mayhem.recipient,
    pumpSlots.buyback.recipient,
  ])("is refused with another account at place %i", async (place) => {
    const held = await pumpTableOf({ usual, mayhem, buyback });
    expect(isPumpTable(held.with(place, tableProgram), await fixedPumpAccounts(), accepted)).toBe(false);
    expect(isPumpTable(held.slice(0, place), await fixedPumpAccounts(), accepted)).toBe(false);
  });

  it("is refused while it is being closed, and if it is another account", async () => {
    const data = tableData(await pumpTableOf({ usual, mayhem, buyback }));
    expect(readLookupTable({ owner: "11111111111111111111111111111111", data })).toBeUndefined();
    expect(readLookupTable({ owner: tableProgram, data: data.subarray(0, 55) })).toBeUndefined();
    const closing = Buffer.from(data);
    closing.writeBigUInt64LE(5n, 4);
    expect(readLookupTable({ owner: tableProgram, data: closing })).toBeUndefined();
    const uninitialized = Buffer.from(data);
    uninitialized.writeUInt32LE(0, 0);
    expect(readLookupTable({ owner: tableProgram, data: uninitialized })).toBeUndefined();
  });
});
