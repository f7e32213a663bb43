import { inPartsOf } from "../../core/in-parts.ts";
import { type Ask, askTogether, type ValuesIn } from "./ask-together.ts";
import { isTooLarge } from "./host-fault.ts";

/** Maximum number of items per request, because hosts limit the number of calls. */
const partSize = 20;

/**
 * Makes the same calls about many items, a limited number of items per request. If an answer is too large, splits the
 * request in half, so that large logs of one contract do not hide the other answers.
 *
 * @param callsOf Makes the calls for some items. `isAlone` is true for a single item, which cannot be split.
 */
export async function askInParts<Item, Asked extends object>(
  ask: Ask,
  items: readonly Item[],
  callsOf: (item: Item, isAlone: boolean) => Asked,
  size = partSize,
): Promise<ValuesIn<Asked>[]> {
  async function askPart(part: readonly Item[]): Promise<ValuesIn<Asked>[]> {
    const isAlone = part.length === 1;
    try {
      return (await askTogether(
        ask,
        part.map((item) => callsOf(item, isAlone)),
      )) as ValuesIn<Asked>[];
    } catch (error) {
      if (isAlone || !isTooLarge(error)) throw error;
      return await askInParts(ask, part, callsOf, Math.ceil(part.length / 2));
    }
  }
  return (await Promise.all(inPartsOf(size, items).map(askPart))).flat();
}
