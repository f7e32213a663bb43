import { chainFacts, type EvmChain } from "../../../core/chain-facts.ts";
import { type RpcCall, thenRead, type ValuesOf } from "../../hosts/rpc-call.ts";
import { type FeeMarket, feeBlocks, type L1Fee, rewardPercentiles } from "../rules/fees.ts";
import { type ContractQuestion, multicall } from "./multicall.ts";
import { type BlockTag, feeHistoryCall, gasPriceCall, suggestedTipCall } from "./rpc-call.ts";

/** Makes the calls that {@link feeMarketOf} reads. */
export const feeMarketCalls = (chain: EvmChain) =>
  [
    feeHistoryCall(feeBlocks(chain), "latest", rewardPercentiles),
    suggestedTipCall(),
    ...(chainFacts[chain].isGasPriceFloor ? [gasPriceCall()] : []),
  ] as const;

export const feeMarketOf = ([history, suggestedTip, gasPrice]: ValuesOf<
  ReturnType<typeof feeMarketCalls>
>): FeeMarket => ({ ...history, suggestedTip, ...(gasPrice !== undefined && { gasPrice }) });

/** A predeployed contract of the OP Stack. */
const gasPriceOracle = "0x420000000000000000000000000000000000000F";

/** Selectors of `getL1Fee(bytes)` and `getOperatorFee(uint256)`. */
const selectors = { l1: "49948e0e", operator: "275aedd2" };

const word = (text: string) => text.padStart(64, "0");

/** An unsigned transaction, as hex, and its gas limit. */
type Charged = { unsigned: string; gasLimit: bigint };

/**
 * Asks how much base charges for transactions beyond their gas: a fee for their data, and an operator fee for their gas
 * limit. Old oracles have no operator fee.
 *
 * @param transactions The oracle adds the size of their signatures.
 */
export const l1FeesCall = (transactions: readonly Charged[], tag: BlockTag): RpcCall<readonly L1Fee[]> =>
  thenRead(multicall(transactions.flatMap(feeQuestions), tag), (fees) =>
    transactions.map((_, index) => {
      const [ofData, ofOperator = 0n] = fees.slice(2 * index);
      if (ofData === undefined) throw new Error("The oracle did not answer");
      return ofData + ofOperator;
    }),
  );

function feeQuestions({ unsigned, gasLimit }: Charged) {
  const hex = unsigned.slice(2);
  const length = word((hex.length / 2).toString(16));
  const padded = hex.padEnd(Math.ceil(hex.length / 64) * 64, "0");
  return [
    oracleQuestion(`0x${selectors.l1}${word("20")}${length}${padded}`),
    oracleQuestion(`0x${selectors.operator}${word(gasLimit.toString(16))}`),
  ] as const;
}

const oracleQuestion = (data: string): ContractQuestion<bigint> => ({
  to: gasPriceOracle,
  data,
  read(answer) {
    if (answer.length !== 66) throw new Error("The fee is not one word");
    return BigInt(answer);
  },
});
