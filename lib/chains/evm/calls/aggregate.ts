/** A call to a contract. */
type Asked = { to: string; data: string };

/** A contract's answer to a call, as hex. */
export type Aggregated = { success: boolean; returnData: string };

/** Selector of `aggregate3((address,bool,bytes)[])` in Multicall3. */
const selector = "0x82ad56cb";

/** Length of a 32-byte word in hexadecimal characters. */
const wordSize = 64;

const word = (value: number): string => value.toString(16).padStart(wordSize, "0");

/** Rounds the length of hexadecimal text up to whole words. */
const wholeWords = (hex: string) => Math.ceil(hex.length / wordSize) * wordSize;

/**
 * Encodes calls for Multicall3, any of which may fail. Handles only the types of `aggregate3`, because a general
 * decoder takes a tenth of a second for 300 answers.
 */
export function encodeAggregate(calls: readonly Asked[]): string {
  const items = calls.map(({ to, data }) => {
    const bytes = data.slice(2);
    const address = to.slice(2).toLowerCase().padStart(wordSize, "0");
    return [address, word(1), word(96), word(bytes.length / 2), bytes.padEnd(wholeWords(bytes), "0")].join(
      "",
    );
  });
  let place = 32 * items.length;
  const places = items.map((item) => {
    const at = word(place);
    place += item.length / 2;
    return at;
  });
  return [selector, word(32), word(items.length), ...places, ...items].join("");
}

/**
 * Decodes the answers to a given number of calls.
 *
 * @throws {Error} if the data does not encode exactly this number of answers
 */
export function decodeAggregate(answer: string, count: number): Aggregated[] {
  /** Reads the number at the given offset in bytes. */
  const numberAt = (place: number): number => {
    const hex = answer.slice(2 + 2 * place, 2 + 2 * place + wordSize);
    if (hex.length < wordSize) throw new Error("An answer is cut off");
    return Number(`0x${hex}`);
  };
  const list = numberAt(0);
  if (numberAt(list) !== count) throw new Error("Answers are missing");
  const first = list + 32;
  return Array.from({ length: count }, (_, index) => {
    const item = first + numberAt(first + 32 * index);
    const bytes = item + numberAt(item + 32);
    const length = numberAt(bytes);
    const returnData = answer.slice(2 + 2 * (bytes + 32), 2 + 2 * (bytes + 32 + length));
    if (returnData.length !== 2 * length) throw new Error("An answer is cut off");
    return { success: numberAt(item) !== 0, returnData: `0x${returnData}` };
  });
}
