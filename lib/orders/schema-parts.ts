import * as v from "valibot";
import { networks } from "../core/network.ts";

/** Parts of the schemas on which the signer bases its decisions. */

export const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
export const units = v.pipe(v.bigint(), v.minValue(0n), v.maxValue(2n ** 256n - 1n));
export const text = v.pipe(v.string(), v.maxLength(1000));
export const textLike = (pattern: RegExp) => v.pipe(v.string(), v.regex(pattern));

export const listOf = <const Item extends v.GenericSchema>(item: Item, most: number) =>
  v.pipe(v.array(item), v.maxLength(most), v.readonly());

/** The id of a program key. */
export const programKeyId = textLike(/^pk_[\w-]{20,64}$/);

/** Names a user and a wallet on one chain. */
export const owner = { chain: v.picklist(networks), wallet: text, userID: text };

const blockName = v.strictObject({ number: count, hash: text });

export const blockNames = listOf(blockName, 10);

export const block = v.strictObject({ ...blockName.entries, time: count });
