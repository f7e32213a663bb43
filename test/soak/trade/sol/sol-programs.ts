import { AccountRole, type Address } from "@solana/web3.js";
import bs58 from "bs58";
import {
  markerOf,
  programs,
  tokenAccountOf,
  wsolAccountOf,
} from "../../../../lib/chains/sol/calls/addresses.ts";
import { compiledMessage } from "../../../../lib/chains/sol/messages/compose-message.ts";
import { joinTransaction, signMessageAndWipe } from "../../../../lib/chains/sol/messages/signed-message.ts";
import { type SolInstruction, transferLamports } from "../../../../lib/chains/sol/venues/instructions.ts";
import { newSolanaKey } from "../../../support/keys.ts";
import type { Chance } from "../../chance.ts";
import { openOrdersOf, type TraderWallet } from "../traders.ts";
import type { SolAccess } from "./sol-access.ts";

/** Other programs on Solana. Some hold keys of the run's wallets, and strangers send coins. */
export type SolPrograms = {
  /** Sends some coins out of a wallet. */
  payNothing(access: SolAccess): Promise<void>;
  /** Moves some or all tokens out of a wallet. */
  moveTokens(access: SolAccess): Promise<void>;
  /** Sends coins to accounts that a wallet's order is about to create, including its marker. */
  fundAccounts(access: SolAccess): Promise<void>;
};

const stranger = "11111111111111111111111111111112" as Address;

/** A gift in lamports, more than the rent of an empty account. */
const gift = 1_000_000;

/** Lamports that the giver of gifts gets before each. */
const coinsOfGiver = 10_000_000;

export function startSolPrograms(wallets: readonly TraderWallet[], chance: Chance): SolPrograms {
  const own = wallets.filter(({ chain }) => chain === "sol");
  const giver = newSolanaKey();

  async function send(
    { request }: SolAccess,
    { address, privateKey }: Pick<TraderWallet, "address" | "privateKey">,
    instructions: readonly SolInstruction[],
  ): Promise<void> {
    const { value } = await request<{ value: { blockhash: string } }>("getLatestBlockhash");
    const message = compiledMessage(address as Address, value.blockhash, instructions);
    const { bytes } = joinTransaction(message, [
      signMessageAndWipe(message, bs58.decode(privateKey).slice(0, 32)),
    ]);
    const options = { encoding: "base64", skipPreflight: true };
    await request("sendTransaction", Buffer.from(bytes).toString("base64"), options);
  }

  return {
    async payNothing(access) {
      if (own.length === 0) return;
      const wallet = chance.pick(own);
      await send(access, wallet, [transferLamports(wallet.address as Address, stranger, BigInt(gift))]);
    },
    async moveTokens(access) {
      if (own.length === 0) return;
      const wallet = chance.pick(own);
      const address = wallet.address as Address;
      const { mint, program } = access.deployment.tokens.MOON;
      const [from, to] = [
        await tokenAccountOf(address, mint, program),
        await tokenAccountOf(stranger, mint, program),
      ];
      const held = await access
        .request<{ value: { amount: string } }>("getTokenAccountBalance", from)
        // A wallet that has bought none has no account.
        .catch(() => ({ value: { amount: "0" } }));
      const units = BigInt(held.value.amount);
      if (units === 0n) return;
      const amount = chance.number() < 0.3 ? units : units / 3n;
      await send(access, wallet, [
        accountOfStranger(address, to, mint),
        moveUnits(from, to, address, amount),
      ]);
    },
    async fundAccounts(access) {
      if (own.length === 0) return;
      const wallet = chance.pick(own);
      const address = wallet.address as Address;
      const { mint, program } = chance.pick([access.deployment.tokens.MOON, access.deployment.tokens.FEEZ]);
      const [order] = openOrdersOf(wallet);
      const accounts = [
        await tokenAccountOf(address, mint, program),
        ...(order === undefined
          ? []
          : await Promise.all([markerOf, wsolAccountOf].map((of) => of(address, order.orderId)))),
      ];
      await access.request("requestAirdrop", giver.address, coinsOfGiver);
      // Surfpool runs transactions one after another, but an airdrop can change an account while one runs.
      await send(access, giver, [
        transferLamports(giver.address as Address, chance.pick(accounts), BigInt(gift)),
      ]);
    },
  };
}

const { READONLY, READONLY_SIGNER, WRITABLE, WRITABLE_SIGNER } = AccountRole;

/** Creates the stranger's account for a token of the Token program, unless it exists. */
const accountOfStranger = (payer: Address, account: Address, mint: Address): SolInstruction => ({
  programAddress: programs.associatedToken,
  accounts: [
    { address: payer, role: WRITABLE_SIGNER },
    { address: account, role: WRITABLE },
    { address: stranger, role: READONLY },
    { address: mint, role: READONLY },
    { address: programs.system, role: READONLY },
    { address: programs.token, role: READONLY },
  ],
  data: Uint8Array.of(1),
});

/** Number of the Token program's transfer instruction. */
const transferUnits = 3;

function moveUnits(from: Address, to: Address, owner: Address, amount: bigint): SolInstruction {
  const data = Buffer.alloc(9);
  data.writeUInt8(transferUnits);
  data.writeBigUInt64LE(amount, 1);
  return {
    programAddress: programs.token,
    accounts: [
      { address: from, role: WRITABLE },
      { address: to, role: WRITABLE },
      { address: owner, role: READONLY_SIGNER },
    ],
    data: Uint8Array.from(data),
  };
}
