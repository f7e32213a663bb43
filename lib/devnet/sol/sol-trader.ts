import { AccountRole, type Address, type IInstruction } from "@solana/web3.js";
import type { RandomTraderOptions } from "../evm/random-trader.ts";
import { type RandomTrader, tradeInRounds } from "../random-rounds.ts";
import { rentOf, setAccount, tokenAccountData } from "./made-accounts.ts";
import { associatedAccount, programs, wrappedCoin } from "./published.ts";
import type { SolDeployment } from "./sol-deployment.ts";
import type { Surfnet } from "./surfnet.ts";
import { signedWire, walletNamed } from "./test-wallet.ts";

export type SolTraderOptions = Omit<RandomTraderOptions, "chains"> & {
  chain: { request: Surfnet["request"]; deployment: SolDeployment };
};

const { READONLY, WRITABLE, WRITABLE_SIGNER } = AccountRole;

const wallet = walletNamed("random trader of sol");

/** Lamports of the wallet for fees. */
const wealth = 10n ** 12n;

/** Smallest and largest trade, in lamports and in tokens of the same worth at first. */
const size = { from: 10n ** 7n, to: 3n * 10n ** 8n };

/** Amounts in the trader's accounts of the wrapped coin and the token. They last for days of trades. */
const held = { coins: 10n ** 15n, tokens: 10n ** 15n };

/** Tokens in the smallest unit that a pool gives for a lamport at first: 10,000 with 6 decimals for a coin. */
const tokensPerLamport = 10n;

/**
 * Buys and sells small random amounts of MOON while somebody watches it, so that its chart moves. It sends a
 * transaction every few seconds, which costs the processor next to nothing.
 */
export function startSolTrader(options: SolTraderOptions): RandomTrader {
  const { chain, watched, onFailure, random = Math.random, everyMs = 2000 } = options;
  const { mint, pool, program, config, observation, vaults } = chain.deployment.tokens.MOON;
  let own: { coin: Address; token: Address } | undefined;

  async function accounts() {
    if (own !== undefined) return own;
    const made = {
      coin: await associatedAccount(wallet.address, programs.token, wrappedCoin),
      token: await associatedAccount(wallet.address, program, mint),
    };
    const rent = BigInt(rentOf(165));
    const coins = tokenAccountData(wrappedCoin, wallet.address, held.coins, { rent });
    const tokens = tokenAccountData(mint, wallet.address, held.tokens);
    await Promise.all([
      set(wallet.address, wealth, programs.system, Buffer.alloc(0)),
      set(made.coin, rent + held.coins, programs.token, coins),
      set(made.token, rent, program, tokens),
    ]);
    own = made;
    return own;
  }

  const set = (account: Address, lamports: bigint, owner: Address, data: Buffer) =>
    setAccount(chain.request, { address: account, lamports: Number(lamports), owner, data });

  async function trade(): Promise<void> {
    const { coin, token } = await accounts();
    const coinSide = { account: coin, vault: vaults.coin, program: programs.token, mint: wrappedCoin };
    const tokenSide = { account: token, vault: vaults.token, program, mint };
    const isBuy = random() < 0.5;
    const [from, to] = isBuy ? [coinSide, tokenSide] : [tokenSide, coinSide];
    const share = BigInt(Math.round(random() ** 2 * 1e6));
    const lamports = size.from + ((size.to - size.from) * share) / 1_000_000n;
    const data = Buffer.alloc(24);
    // Names Raydium's instruction `swap_base_input`.
    data.write("8fbe5adac41e33de", "hex");
    data.writeBigUInt64LE(isBuy ? lamports : lamports * tokensPerLamport, 8);
    const accountsInOrder: [Address, AccountRole][] = [
      [wallet.address, WRITABLE_SIGNER],
      [chain.deployment.authority, READONLY],
      [config, READONLY],
      [pool, WRITABLE],
      [from.account, WRITABLE],
      [to.account, WRITABLE],
      [from.vault, WRITABLE],
      [to.vault, WRITABLE],
      [from.program, READONLY],
      [to.program, READONLY],
      [from.mint, READONLY],
      [to.mint, READONLY],
      [observation, WRITABLE],
    ];
    const swap: IInstruction = {
      programAddress: programs.raydiumCpmm,
      data,
      accounts: accountsInOrder.map(([address, role]) => ({ address, role })),
    };
    const { value } = (await chain.request("getLatestBlockhash", [{ commitment: "processed" }])) as {
      value: { blockhash: string };
    };
    const { wire } = signedWire(wallet, [swap], value.blockhash);
    await chain.request("sendTransaction", [wire, { encoding: "base64", skipPreflight: true }]);
  }

  return tradeInRounds({ everyMs, random, onFailure }, async () => {
    const tokens = await watched();
    if (tokens.some((each) => each.chain === "sol" && each.token === mint)) await trade();
  });
}
