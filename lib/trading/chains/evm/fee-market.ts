import { type FeeMarket, feeBlocks, type L1Fee, rewardPercentiles } from "../../core/evm/fees.ts";
import type { TradingChain } from "../../core/trading-chain.ts";
import {
  type BlockTag,
  contractCall,
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
 * Asks how much base charges for a transaction's data, on top of its gas.
 *
 * @param unsigned The unsigned transaction, as hex. The oracle adds the size of the signature.
 */
export function l1FeeCall(unsigned: string, tag: BlockTag): RpcCall<L1Fee> {
  const hex = unsigned.slice(2);
  const length = word((hex.length / 2).toString(16));
  const padded = hex.padEnd(Math.ceil(hex.length / 64) * 64, "0");
  const { read, ...call } = contractCall(
    { to: gasPriceOracle, data: `0x${selector}${word("20")}${length}${padded}` },
    tag,
  );
  return {
    method: call.method,
    params: call.params,
    read(result) {
      const text = read(result);
      if (text.length !== 66) throw new Error("The fee is not one word");
      return BigInt(text);
    },
  };
}
