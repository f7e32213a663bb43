import { AccountRole, type Address } from "@solana/web3.js";
import { describe, expect, it } from "vitest";
import {
  allocateMarker,
  allocateTokenAccount,
  approveDelegate,
  closeToWallet,
  createAssociatedAccount,
  initializeTokenAccount,
  revokeDelegate,
  type SolInstruction,
  setComputeUnitLimit,
  setComputeUnitPrice,
  transferLamports,
} from "../../../../lib/chains/sol/venues/instructions.ts";

/** Addresses of 32 bytes that are all 1, 2, 3 or 4. */
const [wallet, account, mint, delegate] = [
  "4vJ9JU1bJJE96FWSJKvHsmmFADCg4gpZQff4P3bkLKi",
  "8qbHbw2BbbTHBW1sbeqakYXVKRQM8Ne7pLK7m6CVfeR",
  "CktRuQ2mttgRGkXJtyksdKHjUdc2C4TgDzyB98oEzy8",
  "GgBaCs3NCBuZN12kCJgAW63ydqohFkHEdfdEXBPzLHq",
] as [Address, Address, Address, Address];
const marker = "2xFYB7C55SJuc3mjNgdDYeB16nnRvsDP3uAzU3ZimjAN" as Address;
const wsol = "GsiHgCZuDerqXb5uwp23nUiLk61pTwzNokH5SHvt2PkN" as Address;
const orderId = "01KAMZ3Q5T9WJ2M4N6P8R0S1V3";

const budget = "ComputeBudget111111111111111111111111111111";
const system = "11111111111111111111111111111111";
const token = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA" as Address;
const token2022 = "TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb" as Address;
const associated = "ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL";

const base = "01".repeat(32);
const ownedByToken = "06ddf6e1d765a193d9cbe146ceeb79ac1cb485ed5f5b37913a8cf5857eff00a9";
const ownedBySystem = "00".repeat(32);
const [idInHex, seedInHex] = [orderId, `${orderId}.w`].map((text) => Buffer.from(text).toString("hex"));

/** Shows an instruction with S for signing accounts, and W for writable ones. */
function shown({ programAddress, accounts, data }: SolInstruction) {
  const marks = {
    [AccountRole.READONLY]: "",
    [AccountRole.WRITABLE]: "W ",
    [AccountRole.READONLY_SIGNER]: "S ",
    [AccountRole.WRITABLE_SIGNER]: "SW ",
  };
  return [
    programAddress,
    Buffer.from(data).toString("hex"),
    ...accounts.map(({ role, address }) => marks[role] + address),
  ];
}

// Expected bytes and accounts, as made by @solana/web3.js 1.98 and @solana/spl-token 0.4.
describe("instructions", () => {
  it.each<[string, SolInstruction, string[]]>([
    ["setComputeUnitLimit", setComputeUnitLimit(150_000), [budget, "02f0490200"]],
    ["setComputeUnitPrice", setComputeUnitPrice(2_000_000n), [budget, "0380841e0000000000"]],
    [
      "transfer",
      transferLamports(wallet, account, 897_840n),
      [system, "0200000030b30d0000000000", `SW ${wallet}`, `W ${account}`],
    ],
    [
      "allocateWithSeed of a marker",
      allocateMarker(wallet, marker, orderId),
      [
        system,
        `09000000${base}1a00000000000000${idInHex}0100000000000000${ownedBySystem}`,
        `W ${marker}`,
        `S ${wallet}`,
      ],
    ],
    [
      "allocateWithSeed of a token account",
      allocateTokenAccount(wallet, wsol, `${orderId}.w`),
      [
        system,
        `09000000${base}1c00000000000000${seedInHex}a500000000000000${ownedByToken}`,
        `W ${wsol}`,
        `S ${wallet}`,
      ],
    ],
    [
      "initializeAccount3",
      initializeTokenAccount(account, mint, wallet),
      [token, `12${base}`, `W ${account}`, mint],
    ],
    [
      "createAssociatedTokenAccountIdempotent",
      createAssociatedAccount(wallet, account, mint, token2022),
      [associated, "01", `SW ${wallet}`, `W ${account}`, wallet, mint, system, token2022],
    ],
    [
      "approveChecked",
      approveDelegate({ account, mint, tokenProgram: token }, wallet, delegate, 1_000_000n, 6),
      [token, "0d40420f000000000006", `W ${account}`, mint, delegate, `S ${wallet}`],
    ],
    ["revoke", revokeDelegate(account, wallet, token2022), [token2022, "05", `W ${account}`, `S ${wallet}`]],
    [
      "closeAccount",
      closeToWallet(account, wallet),
      [token, "09", `W ${account}`, `W ${wallet}`, `S ${wallet}`],
    ],
  ])("encodes %s as Solana's own libraries do", (_, instruction, expected) => {
    expect(shown(instruction)).toEqual(expected);
  });
});
