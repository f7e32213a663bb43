import { AccountRole, type Address, address, type IInstruction } from "@solana/web3.js";
import { describe, expect, it } from "vitest";
import { bytesOfAddress, programs, wsolMint } from "../../../../lib/chains/sol/calls/addresses.ts";
import { joinTransaction, signMessageAndWipe } from "../../../../lib/chains/sol/messages/signed-message.ts";
import {
  approveDelegate,
  revokeDelegate,
  transferLamports,
} from "../../../../lib/chains/sol/venues/instructions.ts";
import {
  compileAny,
  instructionsOf,
  messageOf,
  mostFeeOfTerms,
  solKey,
  thief,
} from "../../../support/sol-terms.ts";
import { baseFee, isRead, rent, sol, walletsOnChain } from "./support/wallets-on-chain.ts";

const { chain, lamportsOf, newSeller, newWallet, send, sendFor, setAccount, setTokens, tokensOf } =
  walletsOnChain();

const swapBy = (swap: IInstruction, authority: Address, places: Record<number, Address>): IInstruction => ({
  ...swap,
  accounts: (swap.accounts ?? []).map((account, index) =>
    index === 0
      ? { address: authority, role: AccountRole.READONLY_SIGNER }
      : { ...account, address: places[index] ?? account.address },
  ),
});

const tokenTransfer = (from: Address, to: Address, authority: Address, amount: bigint): IInstruction => {
  const data = Buffer.alloc(9, 3);
  data.writeBigUInt64LE(amount, 1);
  const accounts = [
    { address: from, role: AccountRole.WRITABLE },
    { address: to, role: AccountRole.WRITABLE },
    { address: authority, role: AccountRole.READONLY_SIGNER },
  ];
  return { programAddress: programs.token, accounts, data: Uint8Array.from(data) };
};

describe("attacks on a real chain", () => {
  it("lets a helper steal a sale's proceeds only if the helper owns the output", async () => {
    const { name, wallet, sale, own, w } = await newSeller();
    const helper = solKey("helper").address;
    const [theirs, helpers] = [solKey("theirs").address, solKey("helper's wrapped SOL").address];
    await setTokens(theirs, thief, wsolMint, 0n);
    await setTokens(helpers, helper, wsolMint, 0n);
    const sound = instructionsOf(await messageOf(sale));
    const [swap, closing] = sound.slice(7) as [IInstruction, IInstruction];
    const source = { account: own, mint: sale.mint, tokenProgram: programs.token };
    const approval = approveDelegate(source, wallet, helper, sale.amountIn, 6);
    const theft = (from: Address) => tokenTransfer(from, theirs, helper, sale.minAmountOut);
    const revocation = revokeDelegate(own, wallet, programs.token);
    const rest = [theft(w), revocation, closing];
    const blockhash = await chain.latestBlockhash();
    const stronger = [...sound.slice(0, 7), approval, swapBy(swap, helper, {}), ...rest];
    const refused = compileAny(stronger, { payer: wallet, blockhash });
    expect(await isRead(refused)).toBe(false);
    // The transfer fails because the helper does not own the output.
    expect(await send(refused, name, "helper")).toEqual({ InstructionError: [9, { Custom: 4 }] });
    const owned = swapBy(swap, helper, { 5: helpers });
    const weaker = [...sound.slice(0, 7), approval, owned, theft(helpers), revocation, closing];
    const taken = compileAny(weaker, { payer: wallet, blockhash });
    expect(await isRead(taken)).toBe(false);
    expect(await send(taken, name, "helper")).toBe("filled");
    expect(await tokensOf(theirs)).toBe(sale.minAmountOut);
  });

  it("keeps a message valid with a nonce account only if the message advances the nonce", async () => {
    const { name, wallet, buy, own } = await newWallet();
    const [nonce, helper] = [solKey("nonce").address, solKey("helper").address];
    const data = Buffer.alloc(80);
    data.writeUInt32LE(1, 0);
    data.writeUInt32LE(1, 4);
    data.set(bytesOfAddress(helper), 8);
    data.set(bytesOfAddress(solKey("stored value").address), 40);
    data.writeBigUInt64LE(baseFee, 72);
    await setAccount(nonce, 1_447_680n, programs.system, data);
    const blockhash = solKey("stored value").address;
    const lasting = { ...buy, blockhash };
    expect(await sendFor(1000, await messageOf(lasting), name)).toBe("in no block");
    const advance: IInstruction = {
      programAddress: programs.system,
      accounts: [
        { address: nonce, role: AccountRole.WRITABLE },
        { address: address("SysvarRecentB1ockHashes11111111111111111111"), role: AccountRole.READONLY },
        { address: helper, role: AccountRole.READONLY_SIGNER },
      ],
      data: Uint8Array.of(4, 0, 0, 0),
    };
    const sound = instructionsOf(await messageOf(lasting));
    const weaker = compileAny([advance, ...sound], { payer: wallet, blockhash });
    expect(await isRead(weaker)).toBe(false);
    expect(await send(weaker, name, "helper")).toBe("filled");
    expect(await tokensOf(own)).toBe(buy.minAmountOut);
  });

  it("rejects a message that names an account twice through a lookup table", async () => {
    const { name, wallet } = await newWallet();
    const [table, other] = [solKey("table of the wallet").address, solKey("another in the table").address];
    await setAccount(other, rent.empty);
    const data = Buffer.alloc(56 + 2 * 32);
    data.writeUInt32LE(1, 0);
    // Marks the lookup table as active.
    data.fill(255, 4, 12);
    data.set(bytesOfAddress(wallet), 56);
    data.set(bytesOfAddress(other), 88);
    await setAccount(table, sol, address("AddressLookupTab1e1111111111111111111111111"), data);
    const blockhash = await chain.latestBlockhash();
    const toPlace = (addressIndex: number) => {
      const { programAddress, accounts, data: bytes } = transferLamports(wallet, other, 1000n);
      const [payer] = accounts;
      const looked = {
        address: `place ${addressIndex}` as Address,
        role: AccountRole.WRITABLE as const,
        lookupTableAddress: table,
        addressIndex,
      };
      return compileAny([{ programAddress, accounts: [payer, looked], data: bytes } as IInstruction], {
        payer: wallet,
        blockhash,
      });
    };
    const message = toPlace(0);
    const { id, bytes } = joinTransaction(message, [signMessageAndWipe(message, solKey(name).seed)]);
    const wire = Buffer.from(bytes).toString("base64");
    await expect(chain.send(wire, id)).rejects.toThrow("Account loaded twice");
    expect(await lamportsOf(wallet)).toBe(10n * sol);
    expect(await send(toPlace(1), name)).toBe("filled");
    expect(await lamportsOf(other)).toBe(rent.empty + 1000n);
  });

  it("lets a message exceed its stated fees only with an instruction that the signer rejects", async () => {
    const { name, wallet, buy } = await newWallet();
    const claim: IInstruction = {
      programAddress: address("Ed25519SigVerify111111111111111111111111111"),
      accounts: [],
      data: Uint8Array.of(200, 0),
    };
    const sound = instructionsOf(await messageOf(buy));
    const weaker = compileAny([...sound, claim], { payer: wallet, blockhash: buy.blockhash });
    expect(await isRead(weaker)).toBe(false);
    expect(await send(weaker, name)).not.toBe("filled");
    const charged = 10n * sol - (await lamportsOf(wallet));
    expect(charged - mostFeeOfTerms(buy, baseFee)).toBe(200n * baseFee);
  });

  it("lets a thief steal a buy only if the message does not create the token account", async () => {
    const { name, wallet, buy, own } = await newWallet();
    await setTokens(own, thief, buy.mint, 0n);
    const failure = await send(await messageOf(buy), name);
    expect(failure).toMatchObject({ InstructionError: [7, expect.anything()] });
    expect(await tokensOf(own)).toBe(0n);
    const weaker = instructionsOf(await messageOf(buy)).toSpliced(7, 1);
    const taken = compileAny(weaker, { payer: wallet, blockhash: buy.blockhash });
    expect(await isRead(taken)).toBe(false);
    expect(await send(taken, name)).toBe("filled");
    expect(await tokensOf(own)).toBe(buy.minAmountOut);
  });
});
