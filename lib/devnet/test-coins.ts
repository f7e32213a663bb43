import { setTimeout as pause } from "node:timers/promises";
import { AccountRole, type Address } from "@solana/web3.js";
import type { ChainName } from "./chain-facts.ts";
import { callAnvil } from "./evm/call-anvil.ts";
import type { LocalChains } from "./local-chains.ts";
import { setAccount, u32, u64 } from "./sol/made-accounts.ts";
import { programs } from "./sol/published.ts";
import { signedWire, walletNamed } from "./sol/test-wallet.ts";

/** Coins in one gift. */
export const giftCoins = 10n;

/** Account that gives coins on EVM chains. Nobody has its key: anvil sends its transactions unsigned. */
const giverAccount = "0x61FE000000000000000000000000000000000001";

const hex = (value: bigint) => `0x${value.toString(16)}`;

/** Number of looks for a gift in a block, and milliseconds between them. */
const looks = { most: 100, everyMs: 100 };

/**
 * Gives an address coins. They come by a transaction, because a balance that is set while a swap runs would be counted
 * as its result. Resolves to `given` once a block has the gift, to `refused` if a contract at the address takes no
 * coins, and to `waiting` if no block has it after ten seconds.
 *
 * @param address An address of the chain.
 */
export async function giveTestCoins(
  { chains, sol }: Pick<LocalChains, "chains" | "sol">,
  chain: ChainName,
  address: string,
): Promise<"given" | "refused" | "waiting"> {
  const url = chains.find((each) => each.chain === chain)?.url;
  const look = url === undefined ? await sendOnSol(sol, address as Address) : await sendOnEvm(url, address);
  for (let count = 0; count < looks.most; count++) {
    const isGiven = await look();
    if (isGiven !== undefined) return isGiven ? "given" : "refused";
    await pause(looks.everyMs);
  }
  return "waiting";
}

/** Returns true or false once a block has the gift, by whether it succeeded. */
type Look = () => Promise<boolean | undefined>;

async function sendOnEvm(url: string, to: string): Promise<Look> {
  await callAnvil(url, [
    ["anvil_impersonateAccount", [giverAccount]],
    ["anvil_setBalance", [giverAccount, hex(10n ** 27n)]],
  ]);
  const gift = { from: giverAccount, to, value: hex(giftCoins * 10n ** 18n), gas: hex(100_000n) };
  const [hash] = await callAnvil(url, [["eth_sendTransaction", [gift]]]);
  return async () => {
    const [receipt] = await callAnvil(url, [["eth_getTransactionReceipt", [hash]]]);
    return receipt ? (receipt as { status: string }).status === "0x1" : undefined;
  };
}

let gifts = 0;

async function sendOnSol(sol: LocalChains["sol"], address: Address): Promise<Look> {
  if (sol === undefined) throw new Error("The chain sol does not run");
  // Pays each gift from an account of its own, because two equal transactions in a slot would be one.
  const giver = walletNamed(`giver of test coins ${++gifts}`);
  const lamports = giftCoins * 10n ** 9n;
  const wealth = Number(lamports + 10n ** 9n);
  const empty = { address: giver.address, owner: programs.system, data: Buffer.alloc(0) };
  await setAccount(sol.request, { ...empty, lamports: wealth });
  const transfer = {
    programAddress: programs.system,
    accounts: [
      { address: giver.address, role: AccountRole.WRITABLE_SIGNER },
      { address, role: AccountRole.WRITABLE },
    ],
    data: Buffer.concat([u32(2), u64(lamports)]),
  };
  const { value } = (await sol.request("getLatestBlockhash", [{ commitment: "processed" }])) as {
    value: { blockhash: string };
  };
  const { wire, signature } = signedWire(giver, [transfer], value.blockhash);
  await sol.request("sendTransaction", [wire, { encoding: "base64", skipPreflight: true }]);
  return async () => {
    const { value: statuses } = (await sol.request("getSignatureStatuses", [[signature]])) as {
      value: readonly ({ err: unknown } | null)[];
    };
    const [status] = statuses;
    return status ? status.err === null : undefined;
  };
}
