import { logFault } from "../../lib/runtime/log.ts";

// A program that fails in several ways with data from outside, and logs each fault. A test bundles and runs it.
console.error = (line: object) => console.log(JSON.stringify(line));
const data = process.env.DATA ?? "";

class Reader {
  async read(value: { text?: string }): Promise<number> {
    await Promise.resolve();
    return this.#length(value);
  }

  #length({ text }: { text?: string }): number {
    return Reader.lengthOf(text as string);
  }

  static lengthOf = (text: string): number => text.length;
}

const readAll = async (values: readonly object[]) => {
  for (const value of values) await new Reader().read(value);
};

const named = {
  [data]: () => {
    throw new RangeError(data);
  },
};

async function run(name: string, act: () => unknown): Promise<void> {
  try {
    await act();
  } catch (error) {
    logFault(name, error);
  }
}

await run("functions", () => readAll([{ [data]: 1 }]));
await run("data as a name", () => named[data]?.());
await run("foreign text", () => JSON.parse(data));
await run("cause", () => {
  const cause = new TypeError(data);
  throw Object.assign(new Error(data), { cause });
});
await run("fault of AWS", () => Promise.reject(Object.assign(new Error(data), { $metadata: {} })));
await run("stack that was read", () => {
  const error = new Error(data);
  void error.stack;
  throw error;
});
