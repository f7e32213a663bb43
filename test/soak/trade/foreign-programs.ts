import { Interface } from "ethers/abi";
import type { Chance } from "../chance.ts";
import { type ChainAccess, signForeign } from "./chain-access.ts";
import { readBalances, tradedTokens } from "./read-chain.ts";
import type { TraderWallet } from "./traders.ts";

/** Other programs that hold keys of the run's wallets and send their own transactions. */
export type ForeignPrograms = {
  /** Sends an empty transaction from a wallet to itself, with a lower or higher fee than the waiting one. */
  payNothing(access: ChainAccess): Promise<void>;
  /** Moves some or all tokens out of a wallet. */
  moveTokens(access: ChainAccess): Promise<void>;
  /** Hashes of all transactions sent by these programs. */
  sent: ReadonlySet<string>;
};

const stranger = "0x000000000000000000000000000000000000dEaD";
const tokenABI = new Interface(["function transfer(address to, uint256 value) returns (bool)"]);

/** Builds a call that moves tokens out of a wallet. */
export const callToMove = (token: string, units: bigint) => ({
  to: token,
  data: tokenABI.encodeFunctionData("transfer", [stranger, units]),
  gasLimit: 120_000n,
});

export function startForeignPrograms(wallets: readonly TraderWallet[], chance: Chance): ForeignPrograms {
  const sent = new Set<string>();

  async function send(
    access: ChainAccess,
    { address, privateKey }: TraderWallet,
    call: { to: string; data: string; gasLimit: bigint },
  ): Promise<void> {
    const tag = chance.pick(["latest", "pending"]);
    const nonce = Number(await access.request("eth_getTransactionCount", address, tag));
    const fee = BigInt(chance.pick([2, 5, 40])) * 10n ** 9n;
    const { hash, raw } = signForeign(access.chain, { privateKey, nonce, fee, ...call });
    sent.add(hash);
    // Ignores errors, because the pool may hold a transaction with this nonce and a higher fee.
    await access.request("eth_sendRawTransaction", raw).catch(() => {});
  }

  const someoneOn = ({ chain }: ChainAccess) => {
    const own = wallets.filter((wallet) => wallet.chain === chain);
    return own.length === 0 ? undefined : chance.pick(own);
  };

  return {
    sent,
    async payNothing(access) {
      const wallet = someoneOn(access);
      if (wallet) await send(access, wallet, { to: wallet.address, data: "0x", gasLimit: 21_000n });
    },
    async moveTokens(access) {
      const wallet = someoneOn(access);
      if (wallet === undefined) return;
      const held = await readBalances(access, wallet.address);
      const token = tradedTokens.find((each) => (held.get(each) ?? 0n) > 0n);
      if (token === undefined) return;
      const units = held.get(token) ?? 0n;
      const amount = chance.number() < 0.3 ? units : units / 3n;
      await send(access, wallet, callToMove(token, amount));
    },
  };
}
