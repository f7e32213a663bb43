import { SigningKey } from "ethers/crypto";
import { Transaction } from "ethers/transaction";
import type { TestReceipt } from "trading-terminal-devnet/evm/test-chain";
import type { Evm } from "../../../lib/chains/evm/rules/family.ts";
import type { UnsignedEvmTransaction } from "../../../lib/chains/evm/rules/intent.ts";
import { type CallTransaction, encodeCall } from "../../../lib/chains/evm/venues/calldata.ts";
import type { Question } from "../../../lib/orders/effects.ts";
import type { Belongings } from "../model/chain-under-test.ts";
import { tokens } from "../model/clients.ts";
import type { AnvilHost, MinedBlock } from "./anvil-host.ts";
import { type AnvilSetup, tokenMoves } from "./anvil-setup.ts";

/** A signed transaction, with its wallet's name in the history. */
export type Signed = {
  hash: string;
  raw: string;
  wallet: string;
  nonce: number;
  maxFeePerGas: bigint;
  maxPriorityFeePerGas: bigint;
  purpose: "swap" | "approve" | "clear" | "foreign";
};

export type Unsigned = Omit<Signed, "hash" | "raw"> & CallTransaction & { gasLimit: bigint };

type RawBlock = {
  number: string;
  hash: string;
  timestamp: string;
  transactions: (string | { hash: string })[];
};

const hex = (value: bigint | number) => `0x${value.toString(16)}`;

/** Runs anvil with the names that histories give to wallets and tokens. Records every transaction that it signs. */
export class AnvilNode {
  /** Responses of anvil since its last change of state. */
  readonly answers: AnvilHost["common"]["answers"] = new Map();
  readonly setup: AnvilSetup;
  /** Signed transactions, by hash. */
  private readonly signed = new Map<string, Signed>();
  /** True until a transaction is published. */
  private isPoolEmpty = true;

  constructor(setup: AnvilSetup) {
    this.setup = setup;
  }

  private async request<Result>(method: string, ...params: unknown[]): Promise<Result> {
    return (await this.setup.chain.request(method, params)) as Result;
  }

  private change<Result = unknown>(method: string, ...params: unknown[]): Promise<Result> {
    this.answers.clear();
    return this.request(method, ...params);
  }

  at(name: string): string {
    return this.setup.addresses.get(name) as string;
  }

  /** Replaces names in a question with addresses. */
  realQuestion({ wallet, orders, missed, ...rest }: Question<Evm>): Question<Evm> {
    const real = orders.map((intent) => ({
      ...intent,
      wallet: this.at(intent.wallet),
      token: this.at(intent.token),
    }));
    return { ...rest, wallet: this.at(wallet), orders: real, missed: missed?.map((name) => this.at(name)) };
  }

  /** Signs a transaction that the core requested. */
  signCall({ call, wallet, ...terms }: UnsignedEvmTransaction): Signed {
    const { purpose } = call;
    const real = purpose === "clear" ? call : { ...call, token: this.at(call.token) };
    if (real.purpose === "swap") real.recipient = this.at(real.recipient);
    return this.sign({
      wallet,
      purpose,
      ...terms,
      ...encodeCall(this.setup.configuration, real, this.at(wallet)),
    });
  }

  sign({ wallet, purpose, nonce, to, value, data, gasLimit, ...rest }: Unsigned): Signed {
    const { maxFeePerGas, maxPriorityFeePerGas } = rest;
    const fees = { maxFeePerGas, maxPriorityFeePerGas };
    const transaction = Transaction.from({ type: 2, chainId: 1, nonce, to, value, data, gasLimit, ...fees });
    const key = new SigningKey(this.setup.keys.get(wallet) as string);
    transaction.signature = key.sign(transaction.unsignedHash);
    const { hash, serialized } = transaction;
    const signed = { hash: hash as string, raw: serialized, wallet, nonce, purpose, ...fees };
    this.signed.set(signed.hash, signed);
    return signed;
  }

  byHash = (hash: string): Signed => this.signed.get(hash) as Signed;

  byRaw(raw: string): Signed | undefined {
    return [...this.signed.values()].find((each) => each.raw === raw);
  }

  /** Transactions signed by the owners' other programs. */
  get foreign(): Signed[] {
    return [...this.signed.values()].filter(({ purpose }) => purpose === "foreign");
  }

  async publish({ raw }: Signed): Promise<"taken" | "refused"> {
    this.isPoolEmpty = false;
    return this.change("eth_sendRawTransaction", raw).then(
      () => "taken" as const,
      () => "refused" as const,
    );
  }

  /** Lists the transactions in anvil's pool. */
  async pool(): Promise<Signed[]> {
    if (this.isPoolEmpty) return [];
    type Pool = Record<string, Record<string, { hash: string }>>;
    const { pending, queued } = await this.request<{ pending: Pool; queued: Pool }>("txpool_content");
    const waiting = [pending, queued].flatMap((pool) =>
      Object.values(pool).flatMap((byNonce) => Object.values(byNonce)),
    );
    this.isPoolEmpty = waiting.length === 0;
    return waiting.map(({ hash }) => this.byHash(hash));
  }

  async drop({ hash }: Signed): Promise<void> {
    await this.change("anvil_dropTransaction", hash);
  }

  async newestBlock(): Promise<MinedBlock> {
    return blockOf(await this.request<RawBlock>("eth_getBlockByNumber", "latest", false));
  }

  async mine(time: number): Promise<MinedBlock> {
    await this.change("evm_setNextBlockTimestamp", time);
    const [block] = await this.change<[RawBlock]>("evm_mine_detailed");
    return blockOf(block);
  }

  async takeBack(blocks: number): Promise<void> {
    await this.change("anvil_rollback", blocks);
  }

  /** Sets the base fee of the next block. */
  async setBaseFee(baseFee: bigint): Promise<void> {
    await this.change("anvil_setNextBlockBaseFeePerGas", hex(baseFee));
  }

  async nonce(wallet: string, block: number | "latest" | "pending"): Promise<number> {
    const tag = typeof block === "number" ? hex(block) : block;
    return Number(await this.request("eth_getTransactionCount", this.at(wallet), tag));
  }

  async coins(address: string): Promise<bigint> {
    return BigInt(await this.request<string>("eth_getBalance", address, "latest"));
  }

  async held(token: string, wallet: string): Promise<bigint> {
    const data = tokenMoves.encodeFunctionData("balanceOf", [this.at(wallet)]);
    return BigInt(await this.setup.chain.call(this.at(token), data));
  }

  async receipt(hash: string): Promise<TestReceipt | undefined> {
    return (await this.request<TestReceipt | null>("eth_getTransactionReceipt", hash)) ?? undefined;
  }

  async belongings(wallet: string): Promise<Belongings> {
    const held = tokens.map(async (token) => [token, await this.held(token, wallet)] as const);
    return {
      coins: await this.coins(this.at(wallet)),
      tokens: new Map(await Promise.all(held)),
      nonce: await this.nonce(wallet, "latest"),
      pending: await this.nonce(wallet, "pending"),
    };
  }

  /** Returns how the owners' other programs have changed a wallet's balances. */
  async foreignEffect(wallet: string): Promise<{ coins: bigint; tokens: ReadonlyMap<string, bigint> }> {
    const moved = new Map<string, bigint>();
    let coins = 0n;
    for (const { hash } of this.foreign.filter((each) => each.wallet === wallet)) {
      const receipt = await this.receipt(hash);
      if (receipt === undefined) continue;
      coins -= BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice);
      for (const { address, data } of receipt.logs) {
        const token = tokens.find((each) => this.at(each).toLowerCase() === address) as string;
        moved.set(token, (moved.get(token) ?? 0n) - BigInt(data));
      }
    }
    return { coins, tokens: moved };
  }
}

const blockOf = ({ number, hash, timestamp, transactions }: RawBlock): MinedBlock => ({
  number: Number(number),
  hash,
  time: Number(timestamp),
  transactions: transactions.map((each) => (typeof each === "string" ? each : each.hash)),
});
