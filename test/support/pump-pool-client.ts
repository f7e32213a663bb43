import {
  buyBaseInput,
  GLOBAL_CONFIG_PDA,
  PUMP_AMM_FEE_CONFIG_PDA,
  PUMP_AMM_SDK,
  sellBaseInput,
} from "@pump-fun/pump-swap-sdk";
import type { Address, IInstruction } from "@solana/web3.js";
import { associatedAccount, programs, wrappedCoin } from "trading-terminal-devnet/sol/published";
import type { PumpPool } from "trading-terminal-devnet/sol/pump-deployment";
import { type TestSurfnet, tokenAccountBytes } from "trading-terminal-devnet/sol/test-surfnet";
import type { TestWallet } from "trading-terminal-devnet/sol/test-wallet";
import {
  bigintOf,
  createAccount,
  instructionOf,
  librariesOf,
  pumpReader,
  type SdkInstruction,
} from "./pump-on-chain.ts";

const { keyOf, numberOf } = librariesOf("@pump-fun/pump-swap-sdk");
const coinRent = 2_039_280n;

/** Everything that the SDK needs to quote and to build a trade. */
type State = Parameters<typeof PUMP_AMM_SDK.buyInstructions>[0];

/** Picks the program's own instruction among those for accounts. */
function tradeIn(instructions: readonly SdkInstruction[]): IInstruction {
  const found = instructions.find(({ programId }) => programId.toBase58() === programs.pumpPools);
  if (found === undefined) throw new Error("The SDK built no trade");
  return instructionOf(found);
}

/** Facts from which the SDK computes quotes. */
export const marketOf = (state: State) => ({
  slippage: 0,
  baseReserve: state.poolBaseAmount,
  quoteReserve: state.poolQuoteAmount,
  virtualQuoteReserves: state.pool.virtualQuoteReserves,
  globalConfig: state.globalConfig,
  baseMintAccount: state.baseMintAccount,
  baseMint: state.pool.baseMint,
  coinCreator: state.pool.coinCreator,
  creator: state.pool.creator,
  feeConfig: state.feeConfig,
  creatorFeeBps: state.pool.creatorFeeBps,
});

/** Builds trades of a new wallet in a pool of PumpSwap with the SDK. */
export async function pumpPoolClient(chain: TestSurfnet, market: PumpPool) {
  const reader = pumpReader(chain);
  const coinsOf = (owner: Address) => associatedAccount(owner, programs.token, wrappedCoin);
  const tokensOf = (owner: Address) => associatedAccount(owner, market.program, market.mint);

  /** Makes a wallet that has an account for the token, and 1,000 wrapped coins. */
  async function traderOf(): Promise<TestWallet> {
    const trader = await chain.newWallet(10n ** 12n);
    const { address } = trader;
    const wrapped = 10n ** 12n;
    const data = tokenAccountBytes(wrappedCoin, address, wrapped, { rent: coinRent });
    await chain.setAccount(await coinsOf(address), coinRent + wrapped, programs.token, data);
    await chain.transact(trader, [await createAccount(address, market.mint, market.program)]);
    return trader;
  }

  const held = async (owner: Address) => ({
    coins: await reader.units(await coinsOf(owner)),
    tokens: await reader.units(await tokensOf(owner)),
  });

  /** Reads everything that the SDK needs to quote and to build a trade. */
  async function stateFor(user: Address): Promise<State> {
    const pool = PUMP_AMM_SDK.decodePool(await reader.dataAt(market.pool));
    const globalConfig = PUMP_AMM_SDK.decodeGlobalConfig(await reader.dataAt(GLOBAL_CONFIG_PDA.toBase58()));
    const feeConfig = PUMP_AMM_SDK.decodeFeeConfig(await reader.dataAt(PUMP_AMM_FEE_CONFIG_PDA.toBase58()));
    const { data: mint } = await reader.dataAt(market.mint);
    return {
      // Leaves one recipient of each kind, because the SDK picks one at random.
      globalConfig: {
        ...globalConfig,
        protocolFeeRecipients: globalConfig.protocolFeeRecipients.slice(2, 3),
        buybackFeeRecipients: globalConfig.buybackFeeRecipients.slice(4, 5),
      },
      feeConfig,
      pool,
      poolKey: keyOf(market.pool),
      poolAccountInfo: await reader.dataAt(market.pool),
      poolBaseAmount: numberOf(await reader.units(market.vaults.token)),
      poolQuoteAmount: numberOf(await reader.units(market.vaults.coin)),
      baseMint: pool.baseMint,
      baseMintAccount: { supply: mint.readBigUInt64LE(36) },
      baseTokenProgram: keyOf(market.program),
      quoteTokenProgram: keyOf(programs.token),
      user: keyOf(user),
      userBaseTokenAccount: keyOf(await tokensOf(user)),
      userQuoteTokenAccount: keyOf(await coinsOf(user)),
      userBaseAccountInfo: null,
      userQuoteAccountInfo: null,
    } as unknown as State;
  }

  const buyOf = async (base: bigint, most: bigint, user = wallet.address) =>
    tradeIn(await PUMP_AMM_SDK.buyInstructions(await stateFor(user), numberOf(base), numberOf(most)));

  const sellOf = async (base: bigint, least: bigint, user = wallet.address) =>
    tradeIn(await PUMP_AMM_SDK.sellInstructions(await stateFor(user), numberOf(base), numberOf(least)));

  /** Turns a purchase of an exact number of tokens into one for an exact number of coins, which names the same accounts. */
  async function spendOf(coins: bigint, least: bigint): Promise<IInstruction> {
    const instruction = await buyOf(1n, 1n);
    const data = Buffer.alloc(25, 1);
    data.write("c62e1552b4d9e870", "hex");
    data.writeBigUInt64LE(coins, 8);
    data.writeBigUInt64LE(least, 16);
    return { ...instruction, data };
  }

  async function quoted(side: "buy" | "sell", base: bigint): Promise<bigint> {
    const facts = { ...marketOf(await stateFor(wallet.address)), base: numberOf(base) };
    return bigintOf((side === "buy" ? buyBaseInput(facts) : sellBaseInput(facts)).uiQuote);
  }

  const wallet = await traderOf();
  return {
    ...reader,
    market,
    wallet,
    coinsOf,
    tokensOf,
    traderOf,
    held,
    stateFor,
    buyOf,
    sellOf,
    spendOf,
    quoted,
  };
}
