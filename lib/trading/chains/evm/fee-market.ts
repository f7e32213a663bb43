import { type FeeMarket, feeBlocks, type L1Fee, rewardPercentiles } from "../../core/evm/fees.ts";
import type { TradingChain } from "../../core/trading-chain.ts";
import { type ContractQuestion, multicall, thenRead } from "./multicall.ts";
import {
  type BlockTag,
  feeHistoryCall,
  gasPriceCall,
  type RpcCall,
  suggestedTipCall,
  type ValuesOf,
} from "./rpc-call.ts";

/** Makes the calls that {@link feeMarketOf} reads. */
export const feeMarketCalls = (chain: TradingChain) =>
  [
    feeHistoryCall(feeBlocks(chain), "latest", rewardPercentiles),
    suggestedTipCall(),
    gasPriceCall(),
  ] as const;

export const feeMarketOf = ([history, suggestedTip, gasPrice]: ValuesOf<
  ReturnType<typeof feeMarketCalls>
>): FeeMarket => ({ ...history, suggestedTip, gasPrice });

/** A predeployed contract of the OP Stack. */
const gasPriceOracle = "0x420000000000000000000000000000000000000F";

/** The selector of `getL1Fee(bytes)`. */
const selector = "49948e0e";

const word = (text: string) => text.padStart(64, "0");

/**
 * Asks how much base charges for the data of transactions, on top of their gas.
 *
 * @param unsigned The unsigned transactions, as hex. The oracle adds the size of the signature.
 */
export const l1FeesCall = (unsigned: readonly string[], tag: BlockTag): RpcCall<readonly L1Fee[]> =>
  thenRead(multicall(unsigned.map(l1FeeQuestion), tag), (fees) =>
    fees.map((fee) => {
      if (fee === undefined) throw new Error("The oracle did not answer");
      return fee;
    }),
  );

function l1FeeQuestion(unsigned: string): ContractQuestion<L1Fee> {
  const hex = unsigned.slice(2);
  const length = word((hex.length / 2).toString(16));
  const padded = hex.padEnd(Math.ceil(hex.length / 64) * 64, "0");
  return {
    to: gasPriceOracle,
    data: `0x${selector}${word("20")}${length}${padded}`,
    read(answer) {
      if (answer.length !== 66) throw new Error("The fee is not one word");
      return BigInt(answer);
    },
  };
}
