import { type Ask, askTogether, type ValuesIn } from "./ask-together.ts";
import { isTooLarge } from "./host-fault.ts";

/** Hosts limit the calls of a request. */
const partSize = 20;

/**
 * Asks the same of many things, some in each request. A part whose answer is too large is halved, so that what strange
 * contracts have logged hides nothing else.
 *
 * @param callsOf `isAlone`: the request is about nothing else, so it cannot be halved.
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
  const parts = Array.from({ length: Math.ceil(items.length / size) }, (_, part) =>
    items.slice(part * size, (part + 1) * size),
  );
  return (await Promise.all(parts.map(askPart))).flat();
}
