import * as curveSdk from "@pump-fun/pump-sdk";
import * as poolSdk from "@pump-fun/pump-swap-sdk";
import { address } from "@solana/web3.js";
import { describe, expect, it } from "vitest";
import {
  bondingCurveOf,
  pumpConfigOf,
  pumpCreatorVaultOf,
  pumpEventAuthorityOf,
  pumpFeeConfigOf,
  pumpPoolCreatorOf,
  pumpPoolExtensionOf,
  pumpPoolOf,
  pumpPrograms,
  pumpSharingOf,
  pumpSlippageCodes,
  pumpVolumeOfUser,
  pumpVolumesOf,
} from "../../../../lib/chains/sol/calls/pump-addresses.ts";

const mint = curveSdk.PUMP_PROGRAM_ID;
const user = curveSdk.PUMP_FEE_PROGRAM_ID;
const [mintAddress, userAddress] = [address(String(mint)), address(String(user))];
const [poolMint, poolUser] = [poolSdk.PUMP_PROGRAM_ID, poolSdk.PUMP_FEE_PROGRAM_ID];

describe("Pump's programs", () => {
  it("have the addresses of their SDKs", () => {
    expect(pumpPrograms).toEqual({
      curve: String(curveSdk.PUMP_PROGRAM_ID),
      pool: String(poolSdk.PUMP_AMM_PROGRAM_ID),
      fees: String(curveSdk.PUMP_FEE_PROGRAM_ID),
    });
  });

  it("derive the accounts of their SDKs", async () => {
    expect(
      await Promise.all([
        pumpConfigOf("curve"),
        pumpFeeConfigOf("curve"),
        pumpEventAuthorityOf("curve"),
        pumpVolumesOf("curve"),
        pumpVolumeOfUser("curve", userAddress),
        pumpCreatorVaultOf("curve", userAddress),
        bondingCurveOf(mintAddress),
        pumpSharingOf(mintAddress),
        pumpPoolCreatorOf(mintAddress),
        pumpPoolOf(mintAddress),
      ]),
    ).toEqual(
      [
        curveSdk.GLOBAL_PDA,
        curveSdk.PUMP_FEE_CONFIG_PDA,
        curveSdk.PUMP_EVENT_AUTHORITY_PDA,
        curveSdk.GLOBAL_VOLUME_ACCUMULATOR_PDA,
        curveSdk.userVolumeAccumulatorPda(user),
        curveSdk.creatorVaultPda(user),
        curveSdk.bondingCurvePda(mint),
        curveSdk.feeSharingConfigPda(mint),
        curveSdk.pumpPoolAuthorityPda(mint),
        curveSdk.canonicalPumpPoolPda(mint),
      ].map(String),
    );
  });

  it("derive the accounts of pools of the pools' SDK", async () => {
    expect(
      await Promise.all([
        pumpConfigOf("pool"),
        pumpFeeConfigOf("pool"),
        pumpEventAuthorityOf("pool"),
        pumpVolumesOf("pool"),
        pumpVolumeOfUser("pool", userAddress),
        pumpCreatorVaultOf("pool", userAddress),
        pumpPoolOf(mintAddress),
        pumpPoolExtensionOf(mintAddress),
      ]),
    ).toEqual(
      [
        poolSdk.GLOBAL_CONFIG_PDA,
        poolSdk.PUMP_AMM_FEE_CONFIG_PDA,
        poolSdk.PUMP_AMM_EVENT_AUTHORITY_PDA,
        poolSdk.GLOBAL_VOLUME_ACCUMULATOR_PDA,
        poolSdk.userVolumeAccumulatorPda(poolUser),
        poolSdk.coinCreatorVaultAuthorityPda(poolUser),
        poolSdk.canonicalPumpPoolPda(poolMint),
        poolSdk.poolV2Pda(poolMint),
      ].map(String),
    );
  });

  it.each([
    ["curve", curveSdk.pumpIdl.errors, /^(TooMuchSol|TooLittleSol|BuySlippage)/],
    ["pool", poolSdk.pumpAmmJson.errors, /^(ExceededSlippage|BuySlippage)/],
  ] as const)("fail with the published codes if the %s's price has moved", (market, errors, names) => {
    const codes = errors.filter(({ name }) => names.test(name)).map(({ code }) => code);
    expect(pumpSlippageCodes[market]).toEqual(codes);
  });
});
