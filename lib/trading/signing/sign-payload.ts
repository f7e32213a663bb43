import * as v from "valibot";
import { isBase58 } from "../../core/base58.ts";
import { evmChains } from "../../core/chain-facts.ts";
import { isOwnId } from "../../core/record-ids.ts";
import type { SignAnswer, SignRequest } from "../../orders/effects.ts";
import type { SlotTerms } from "../../orders/family.ts";
import { packed, unpacked } from "../items/items.ts";

/** Packs a request or answer of the signer as JSON, with amounts as text. */
export const signPayload = (value: AnyRequest | SignAnswer): unknown => packed(value);

type AnyRequest = SignRequest;

const text = (pattern: RegExp) => v.pipe(v.string(), v.regex(pattern));
const wei = v.pipe(v.bigint(), v.minValue(0n), v.maxValue(2n ** 128n));

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const owner = {
  orderId: v.pipe(v.string(), v.check(isOwnId)),
  userID: text(/^[\x20-\x7e]{1,255}$/),
};

const evmRequest = v.strictObject({
  chain: v.picklist(evmChains),
  wallet: text(/^0x[\dA-Fa-f]{40}$/),
  ...owner,
  place: count,
  purpose: v.picklist(["approve", "swap", "clear"]),
  fees: v.strictObject({ maxFeePerGas: wei, maxPriorityFeePerGas: wei }),
});

const lamports = v.pipe(v.bigint(), v.minValue(0n), v.maxValue(2n ** 64n - 1n));
const solAddress = v.pipe(
  text(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/),
  v.check((address) => isBase58(address, 32)),
);

const common = {
  signatures: count,
  computeUnitLimit: count,
  microLamportsPerUnit: lamports,
  tip: v.exactOptional(v.strictObject({ account: solAddress, lamports })),
  blockhash: solAddress,
  lastValidBlockHeight: count,
  markerRentLamports: lamports,
};

const swap = {
  purpose: v.literal("swap"),
  ...common,
  amountIn: lamports,
  wsolRentLamports: lamports,
};

const byte = v.pipe(count, v.maxValue(255));
const isWritable = v.boolean();

/** The chain takes no transaction with as many accounts or as much data. */
const most = { accounts: 256, dataBytes: 1232 };

const build = v.strictObject({
  helper: solAddress,
  sourceDecimals: byte,
  accounts: v.pipe(
    v.array(
      v.union([
        v.strictObject({ isWritable, address: solAddress }),
        v.strictObject({ isWritable, table: solAddress, index: byte }),
      ]),
    ),
    v.maxLength(most.accounts),
  ),
  data: v.pipe(v.string(), v.maxLength(2 * most.dataBytes), v.base64()),
});

const solMessage = v.union([
  v.strictObject({ purpose: v.literal("clear"), ...common }),
  v.strictObject({
    ...swap,
    route: v.strictObject({ venue: v.literal("raydium-cpmm"), pool: solAddress, config: solAddress }),
  }),
  v.strictObject({ ...swap, route: v.strictObject({ venue: v.literal("jupiter-metis") }), build }),
]);

const solSignature = v.pipe(
  text(/^[1-9A-HJ-NP-Za-km-z]{64,88}$/),
  v.check((signature) => isBase58(signature, 64)),
);

const solRequest = v.strictObject({
  chain: v.literal("sol"),
  wallet: solAddress,
  ...owner,
  place: count,
  attempt: count,
  purpose: v.picklist(["swap", "clear"]),
  message: solMessage,
  helperSignature: v.exactOptional(solSignature),
});

const request = v.union([evmRequest, solRequest]);

const reason = v.string();
const attempt = v.looseObject({ hash: v.string() });
const attempts = v.pipe(v.array(attempt), v.minLength(1));
const slot = v.looseObject({ chain: v.string(), place: v.number(), attempts });
const answer = v.union([
  v.strictObject({ slot, raw: v.string() }),
  v.strictObject({ refused: reason }),
  v.strictObject({ later: reason }),
]);

/** Reads a request. Returns undefined if the payload is not one. */
export const readSignRequest = (payload: unknown): AnyRequest | undefined => read(request, payload);

/** Reads an answer to a request about a slot. Returns undefined if the payload is not one. */
export function readSignAnswer(payload: unknown, asked: AnyRequest): SignAnswer | undefined {
  const found = read(answer, payload);
  if (found === undefined || !("slot" in found)) return found;
  const isSame = found.slot.chain === asked.chain && found.slot.place === asked.place;
  return isSame ? { ...found, slot: found.slot as unknown as SlotTerms } : undefined;
}

function read<Schema extends v.GenericSchema>(
  schema: Schema,
  payload: unknown,
): v.InferOutput<Schema> | undefined {
  try {
    const result = v.safeParse(schema, unpacked(payload));
    return result.success ? result.output : undefined;
  } catch {
    // An amount contains characters other than digits.
    return undefined;
  }
}
